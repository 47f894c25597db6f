/**
 * The bot editor as plain data: the form and the keyboard's place in it, the desk's checks, and the drafts it
 * is compared with. Every effect of a key is a function here. Pure.
 */
import type { LadderView, ReplayView } from '../../../desk/console/protocol.ts';
import type { Candle } from '../../../domain/rows.ts';
import { type BotType, wordsOf } from '../../../schemas/bots/index.ts';
import { type Draft, type Edit, editedForm, type FormModel, rowsOf, valueAt } from './draft.ts';
import { formTree, type Section } from './fields.ts';
import { type Cell, type CheckRemarks, type FormRow, formRows, rowOf, stopsOf } from './rows.ts';

/** The state of a draft's replay. */
export type ReplayState =
  | { readonly state: 'waiting' }
  | { readonly state: 'running'; readonly done: number; readonly of: number; readonly shown: boolean }
  | { readonly state: 'over'; readonly view: ReplayView };

export interface BotEditor {
  readonly kind: 'bot-editor';
  readonly type: BotType;
  /** The bot that is changed; null: a new bot. */
  readonly botId: string | null;
  readonly title: string;
  readonly form: FormModel;
  /** The draft as it was opened, or saved last. */
  readonly given: Draft;
  /** The settings of the last run; null: no run. */
  readonly lastRun: { readonly runId: string; readonly draft: Draft } | null;
  /** The focused place, named as `stopsOf` names it. */
  readonly focus: string;
  readonly pane: 'form' | 'live';
  readonly offset: number;
  readonly unfolded: readonly Section[];
  /** The desk's check, and the draft that was checked. */
  readonly check: (CheckRemarks & { readonly draft: Draft }) | null;
  readonly ladder: { readonly draft: Draft; readonly view: LadderView } | null;
  readonly replay: { readonly draft: Draft; readonly was: ReplayState };
  readonly chart: {
    readonly market: string;
    readonly symbol: string;
    readonly frameMs: number;
    readonly candles: readonly Candle[];
  } | null;
  /** The bot's JSON from `$EDITOR`, if it could not be read. */
  readonly json: string | null;
  /** Market time when the editor was opened, Unix ms. */
  readonly now: number;
  readonly refusal: string | null;
  /** The person was warned that leaving loses the changes. */
  readonly leaving: boolean;
}

export interface EditorStart {
  readonly type: BotType;
  readonly botId: string | null;
  readonly title: string;
  readonly draft: Draft;
  readonly now: number;
}

export function openedEditor({ type, botId, title, draft, now }: EditorStart): BotEditor {
  const form: FormModel = { tree: formTree(type), draft, texts: {} };
  const editor: BotEditor = {
    kind: 'bot-editor',
    type,
    botId,
    title,
    form,
    given: draft,
    lastRun: null,
    focus: 'review',
    pane: 'form',
    offset: 0,
    unfolded: [],
    check: null,
    ladder: null,
    replay: { draft, was: { state: 'waiting' } },
    chart: null,
    json: null,
    now,
    refusal: null,
    leaving: false,
  };
  const wanted = ['symbol.base', 'symbol'];
  const stops = rowsOfEditor(editor).flatMap(stopsOf);
  return { ...editor, focus: wanted.find((path) => stops.includes(path)) ?? stops[0] ?? 'review' };
}

/** Caches each form's last rows: one key and its frame ask for the same rows many times. */
const known = new WeakMap<
  FormModel,
  Pick<BotEditor, 'type' | 'check' | 'unfolded'> & { readonly rows: readonly FormRow[] }
>();

/** Returns the rows of the form. A check of an older draft is shown until the new one is there. */
export function rowsOfEditor({ type, form, unfolded, check }: BotEditor): readonly FormRow[] {
  const last = known.get(form);
  if (last && last.type === type && last.unfolded === unfolded && last.check === check) return last.rows;
  const rows = formRows({ type, form, said: check, unfolded });
  known.set(form, { type, unfolded, check, rows });
  return rows;
}

export function isDirty({ form, given, json }: BotEditor): boolean {
  return (
    json !== null ||
    Object.keys(form.texts).length > 0 ||
    JSON.stringify(form.draft) !== JSON.stringify(given)
  );
}

/** The row that has the keyboard, and the column in it. */
export function focusOf(editor: BotEditor, rows = rowsOfEditor(editor)): { row: number; column: number } {
  for (const [row, one] of rows.entries()) {
    const column = stopsOf(one).indexOf(editor.focus);
    if (column >= 0) return { row, column };
  }
  const row = rowOf(rows, editor.focus.replace(/\[\]$/, '')) ?? 0;
  return { row, column: 0 };
}

/** The cell that has the keyboard; null on a row that is neither typed nor chosen. */
export function focusedCell(editor: BotEditor): Cell | null {
  const row = rowsOfEditor(editor).find((one) => stopsOf(one).includes(editor.focus));
  if (row?.kind === 'field') return row.cell;
  return row?.kind === 'entry' ? (row.cells.find(({ path }) => path === editor.focus) ?? null) : null;
}

export function isTyped(cell: Cell | null): boolean {
  return cell !== null && cell.leaf.kind !== 'choice' && cell.leaf.kind !== 'flag';
}

export type Move = 'down' | 'up' | 'next' | 'previous' | 'top' | 'bottom' | 'section' | 'section-back';

export function movedFocus(editor: BotEditor, move: Move): BotEditor {
  const rows = rowsOfEditor(editor);
  const { row, column } = focusOf(editor, rows);
  const stops = rows.map(stopsOf);
  const all = stops.flat();
  const to = (focus: string | undefined): BotEditor =>
    focus === undefined ? editor : { ...editor, focus, leaving: false };
  const at = all.indexOf(editor.focus);
  switch (move) {
    case 'next':
      return to(all[(at + 1) % all.length]);
    case 'previous':
      return to(all[(at - 1 + all.length) % all.length]);
    case 'top':
      return to(all[0]);
    case 'bottom':
      return to(all.at(-1));
    case 'section':
    case 'section-back': {
      const heads = rows.flatMap((one, index) => (one.kind === 'section' ? [index] : []));
      const own = heads.findLast((index) => index <= row) ?? 0;
      const place = heads.indexOf(own) + (move === 'section' ? 1 : -1);
      const head = heads[Math.max(0, place)] ?? rows.length - 2;
      return to(stops.slice(head).flat()[0] ?? 'review');
    }
    default: {
      const step = move === 'down' ? 1 : -1;
      for (let next = row + step; next >= 0 && next < rows.length; next += step) {
        const there = stops[next] ?? [];
        if (there.length > 0) return to(there[Math.min(column, there.length - 1)]);
      }
      return editor;
    }
  }
}

/** Applies an edit; the checks and results of the old draft are kept until the desk has sent new ones. */
export function editedEditor(editor: BotEditor, edit: Edit): BotEditor {
  const form = editedForm(editor.form, edit, { now: editor.now });
  if (form === editor.form) return editor;
  return settled({ ...editor, form, leaving: false, refusal: null });
}

/** Moves the keyboard to an existing place if its own is gone. */
function settled(editor: BotEditor): BotEditor {
  const stops = rowsOfEditor(editor).flatMap(stopsOf);
  if (stops.includes(editor.focus)) return editor;
  const list = /^(.*)\[\d+\]/.exec(editor.focus)?.[1];
  const near = list === undefined ? undefined : stops.filter((stop) => stop.startsWith(`${list}[`)).at(-1);
  return { ...editor, focus: near ?? stops[0] ?? 'review' };
}

/** The list that has the keyboard, and the entry; -1 on the list's head. */
export function listAt(editor: BotEditor): { path: string; at: number } | null {
  const match = /^(.+?)\[(\d*)\]/.exec(editor.focus);
  if (!match) return null;
  return { path: match[1] ?? '', at: match[2] === '' ? -1 : Number(match[2]) };
}

export function listEdited(editor: BotEditor, how: 'add' | 'remove' | 'raise' | 'lower'): BotEditor {
  if (how === 'remove' && !listAt(editor)) {
    // Outside of lists, a field is emptied, and an unknown field is removed.
    return editor.focus === 'review' || editor.focus.startsWith('+')
      ? editor
      : editedEditor(editor, { do: 'drop', path: editor.focus });
  }
  const list = listAt(editor);
  if (!list) return editor;
  const { path, at } = list;
  const count = rowsOf(editor.form.draft, path).length;
  if (how === 'add') {
    const after = at < 0 ? count - 1 : at;
    const next = editedEditor(editor, { do: 'add', path, at: after });
    return next === editor ? editor : withEntry(next, path, after + 1);
  }
  if (at < 0) return editor;
  if (how === 'remove') {
    const next = editedEditor(editor, { do: 'remove', path, at });
    return withEntry(next, path, Math.min(at, count - 2));
  }
  const by = how === 'raise' ? -1 : 1;
  const next = editedEditor(editor, { do: 'move', path, at, by });
  return next === editor ? editor : withEntry(next, path, at + by, true);
}

/** Moves the keyboard to an entry: to the same field as before, else to its first one. */
function withEntry(editor: BotEditor, path: string, at: number, same = false): BotEditor {
  const stops = rowsOfEditor(editor).flatMap(stopsOf);
  const own = stops.filter((stop) => stop.startsWith(`${path}[${at}]`));
  const kept = editor.focus.replace(/\[\d+\]/, `[${at}]`);
  const focus = same && own.includes(kept) ? kept : (own[0] ?? `${path}[]`);
  return settled({ ...editor, focus });
}

/** Handles left and right: the next choice, or unfolds or folds a section. */
export function choseIn(editor: BotEditor, by: number, accounts: readonly string[]): BotEditor {
  if (editor.focus.startsWith('+')) {
    const section = editor.focus.slice(1) as Section;
    const open = editor.unfolded.includes(section);
    const unfolded = open ? editor.unfolded.filter((one) => one !== section) : [...editor.unfolded, section];
    return settled({ ...editor, unfolded });
  }
  const cell = focusedCell(editor);
  if (!cell || isTyped(cell)) return editor;
  const choices = cell.path === 'exchange' ? { choices: accounts } : {};
  return editedEditor(editor, { do: 'choose', path: cell.path, by, ...choices });
}

/** Replaces the whole draft. */
export function replacedDraft(editor: BotEditor, draft: Draft): BotEditor {
  const form: FormModel = { ...editor.form, draft, texts: {} };
  return settled({ ...editor, form, json: null, refusal: null, leaving: false });
}

/** Moves to the next field with a problem, and to the form's pane. */
export function toProblem(editor: BotEditor): BotEditor {
  const rows = rowsOfEditor(editor);
  const { row } = focusOf(editor, rows);
  const wrong = rows.flatMap((one, at) =>
    one.remark?.kind === 'problem' && stopsOf(one).length > 0 ? [at] : [],
  );
  const at = wrong.find((index) => index > row) ?? wrong[0];
  const target = at === undefined ? undefined : rows[at];
  if (!target) return editor;
  const stops = stopsOf(target);
  const own = target.remark?.path ?? '';
  return { ...editor, focus: stops.find((stop) => stop === own) ?? stops[0] ?? editor.focus, pane: 'form' };
}

/** The symbol in the settings, such as `BTCUSDT`; empty if there is none. */
export function symbolIn({ form }: Pick<BotEditor, 'form'>): string {
  const { draft } = form;
  const ticker = draft.ticker;
  if (typeof ticker === 'string' && ticker !== '') return ticker;
  if (typeof draft.symbol === 'string') return draft.symbol;
  const [base, quote] = [valueAt(draft, 'symbol.base'), valueAt(draft, 'symbol.quote')];
  return typeof base === 'string' && typeof quote === 'string' ? base + quote : '';
}

/** The length of the bot's candles, ms; a minute if the settings have none. */
export function frameIn({ form, type }: Pick<BotEditor, 'form' | 'type'>): number {
  const given = Number(form.draft.timeFrame);
  const ms = wordsOf(type).minutes?.includes('timeFrame') ? given * 60_000 : given;
  return Number.isSafeInteger(ms) && ms >= 60_000 && ms % 60_000 === 0 ? ms : 60_000;
}
