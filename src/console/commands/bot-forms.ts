/** The dialogs of the Bots screen while they are filled in: a new bot's text, a stop, a stop rule, a tag. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Instrument } from '../../domain/instrument.ts';
import { BOT_TYPES, type BotType } from '../../schemas/bots/bot-type.ts';
import {
  type AreaMove,
  areaOf,
  atLine,
  breakLine,
  cursorOf,
  eraseAfter,
  eraseBefore,
  MAX_AREA,
  moved,
  movedLines,
  replace,
  type TextArea,
  undone,
} from '../model/bot-area.ts';
import { confirmCreate, confirmRule, confirmStop } from '../model/bot-confirmations.ts';
import { type BotDraft, type DraftNote, readDraft } from '../model/bot-draft.ts';
import {
  type BotForm,
  type BotRuleForm,
  CLEANUPS,
  RULE_ORDERS,
  RULE_STRATEGIES,
  STOP_COMMANDS,
} from '../model/bot-forms.ts';
import { botName, marketNow, selectedBot, trades } from '../model/bot-list.ts';
import { laidOut, printJson } from '../model/bot-print.ts';
import { ruleFields, ruleParams, ruleProblem } from '../model/bot-rules.ts';
import { botTemplate } from '../model/bot-templates.ts';
import { selectedSymbol } from '../model/lists.ts';
import { ask, closeDialog, deskState, openDialog, patchDialog, type Session, say, tell } from '../session.ts';
import { withArea } from '../state/text-fields.ts';
import { topDialog } from '../state/ui.ts';
import { withRule } from './bots.ts';

// --- a new bot ---

export function newBot(session: Session): void {
  const text = templateOf(session, 'SQUEEZE');
  if (text === null) say(session, 'no exchange account with instruments', 'warn');
  else openBotForm(session, 'New bot', 'SQUEEZE', text);
}

/** A new bot with the settings of the selected one. */
export function cloneBot(session: Session): void {
  const state = deskState(session);
  const bot = state ? selectedBot(state, session.ui.getState().bots) : null;
  if (!bot) {
    say(session, 'nothing to clone: no bot is selected', 'warn');
    return;
  }
  const { type, settings, options, metadata, tag } = bot;
  const whole = {
    type,
    settings,
    ...(options ? { options } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tag === undefined ? {} : { tag }),
  };
  openBotForm(session, `Clone of ${botName(bot)}`, type, printJson(whole).join('\n'));
}

function openBotForm(session: Session, title: string, type: BotType, text: string): void {
  const area = areaOf(text);
  openDialog(session, {
    kind: 'bot-form',
    title,
    type,
    file: '',
    area,
    given: area.text,
    focus: 'type',
    check: null,
    refusal: null,
    leaving: false,
  });
  session.fieldChanged('bot');
}

/** On the symbol looked at last, where the account trades it; else on the first there is. */
function templateOf(session: Session, type: BotType): string | null {
  const state = deskState(session);
  if (!state) return null;
  const ui = session.ui.getState();
  const account = state.accounts.find(({ kind }) => kind === 'spot') ?? state.accounts[0];
  const own = state.instruments.filter(({ exchange }) => exchange === account?.id);
  const named = (symbol: string | undefined): Instrument | undefined =>
    own.find((entry) => entry.symbol === symbol);
  const looked = ui.watch.id === null ? undefined : selectedSymbol(state, ui);
  const instrument = named(looked) ?? named('BTCUSDT') ?? own[0];
  if (!instrument) return null;
  const price = state.prices[instrument.symbol];
  const now = Math.max(price?.time ?? 0, marketNow(state, 0));
  return botTemplate(type, { instrument, last: price?.last ?? null, now });
}

/** What stands against the text: first what cannot be created, then the desk's word on it, then what is only odd. */
export function remarksOf(
  form: Pick<BotForm, 'area' | 'check'>,
  draft: BotDraft,
): readonly (DraftNote & { readonly kind: 'problem' | 'warning' })[] {
  const { text } = form.area;
  const checked = form.check?.text === text ? form.check : null;
  const noted = (list: readonly { path: string; message: string }[] = []): DraftNote[] =>
    list.map(({ path, message }) => ({
      line: draft.lineOf(path),
      text: path === '' ? message : `${path}: ${message}`,
    }));
  const problems = draft.problems.length > 0 ? draft.problems : noted(checked?.problems);
  return [
    ...problems.map((note) => ({ ...note, kind: 'problem' as const })),
    ...[...draft.warnings, ...noted(checked?.warnings)].map((note) => ({
      ...note,
      kind: 'warning' as const,
    })),
  ];
}

export function draftOf(session: Session, text: string): BotDraft {
  return readDraft(
    text,
    (deskState(session)?.accounts ?? []).map(({ id }) => id),
  );
}

/** The live check of whichever form is open; an answer counts only for what it was asked about. */
export async function checkBot(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind === 'bot-form') await checkText(session, dialog);
  else if (dialog?.kind === 'bot-stop') {
    const [run] = dialog.runs;
    if (!run || dialog.runs.length > 1) return;
    const detail = await ask(session, 'bots.detail', { id: run[0] });
    patchDialog(session, 'bot-stop', (now) => (now.runs === dialog.runs ? { detail } : {}));
  } else if (dialog?.kind === 'bot-rule') {
    const detail = await ask(session, 'bots.detail', { id: dialog.id });
    patchDialog(session, 'bot-rule', (now) => {
      if (now.id !== dialog.id) return {};
      // Only the first answer brings values in: later ones must not take away what is typed.
      return now.detail === null ? withRule({ ...now, detail }) : { detail };
    });
  }
}

async function checkText(session: Session, { area }: BotForm): Promise<BotForm['check']> {
  const { text } = area;
  const { bot } = draftOf(session, text);
  if (!bot) return null;
  const { type, settings, options } = bot;
  const answer = await ask(session, 'bots.check', { type, settings, ...(options ? { options } : {}) });
  if (!answer) return null;
  const check = { text, problems: answer.problems, warnings: answer.warnings };
  patchDialog(session, 'bot-form', (now) => (now.area.text === text ? { check } : {}));
  return check;
}

export async function reviewBot(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  const draft = draftOf(session, form.area.text);
  if (!draft.bot) {
    nextProblem(session);
    say(session, draft.problems[0]?.text ?? 'it cannot be read', 'warn');
    return;
  }
  const check = form.check?.text === form.area.text ? form.check : await checkText(session, form);
  const top = topDialog(session.ui.getState());
  const state = deskState(session);
  if (!state || top?.kind !== 'bot-form' || top.area.text !== form.area.text) return;
  const problems = remarksOf({ area: top.area, check }, draft).filter(({ kind }) => kind === 'problem');
  openDialog(
    session,
    confirmCreate(
      state,
      draft.bot,
      problems.map(({ text }) => text),
      session.now(),
    ),
  );
}

/** What has been written would be lost: says so once. */
export function leaveBotForm(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  if (form.area.text === form.given || form.area.text.trim() === '' || form.leaving) {
    closeDialog(session);
    return;
  }
  patchDialog(session, 'bot-form', () => ({ leaving: true }));
}

/** The next type, with its template where nothing of one's own would be lost. */
export function chooseType(session: Session, by: number): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form' || form.focus !== 'type') return;
  const at = BOT_TYPES.indexOf(form.type) + by;
  const type = BOT_TYPES[(at + BOT_TYPES.length) % BOT_TYPES.length] ?? form.type;
  const own = form.area.text !== form.given && form.area.text.trim() !== '';
  if (own) {
    say(session, 'what is written stays; empty the text (ctrl-u in it) for a template', 'warn');
    return;
  }
  const text = templateOf(session, type);
  if (text === null) return;
  const area = replace(form.area, text);
  patchDialog(session, 'bot-form', () => ({ type, area, given: area.text, refusal: null }));
  session.fieldChanged('bot');
}

/** The file's text comes into the form, with a way back to what was there. */
export async function readBotFile(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  const path = form.file.trim();
  if (path === '') return;
  const { text, problem } = await textOf(path);
  patchDialog(session, 'bot-form', (now) => {
    if (now.file.trim() !== path) return {};
    if (text === null) return { refusal: problem };
    const area = replace(now.area, laidOut(text));
    return { area, given: area.text, focus: 'json', refusal: null, leaving: false };
  });
  if (text !== null) session.fieldChanged('bot');
}

async function textOf(path: string): Promise<{ text: string | null; problem: string }> {
  const place = resolve(path.replace(/^~(?=\/|$)/, homedir()));
  try {
    const found = await stat(place);
    if (!found.isFile()) return { text: null, problem: `${place} is not a file` };
    if (found.size > MAX_AREA)
      return { text: null, problem: `${place} has ${found.size} bytes; at most ${MAX_AREA}` };
    return { text: await readFile(place, 'utf8'), problem: '' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? 'unknown'})`;
    return { text: null, problem: `${place}: ${why}` };
  }
}

// --- the text's own keys ---

function edit(session: Session, change: (area: TextArea) => TextArea): void {
  session.ui.setState((ui) => withArea(ui, change));
  session.fieldChanged('bot');
}

export const newLine = (session: Session): void => edit(session, breakLine);
export const eraseBack = (session: Session): void => edit(session, eraseBefore);
export const eraseForward = (session: Session): void => edit(session, eraseAfter);
export const undoText = (session: Session): void => edit(session, undone);
export const clearText = (session: Session): void => edit(session, (area) => replace(area, ''));
export const moveInText = (session: Session, where: AreaMove): void =>
  edit(session, (area) => moved(area, where));
export const moveLines = (session: Session, by: number): void =>
  edit(session, (area) => movedLines(area, by));

/** To the next line with a problem, from the cursor on and around. */
export function nextProblem(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  const lines = remarksOf(form, draftOf(session, form.area.text)).flatMap(({ line }) => line ?? []);
  const here = cursorOf(form.area).row + 1;
  const next = lines.filter((line) => line > here).sort((a, b) => a - b)[0] ?? Math.min(...lines);
  if (!Number.isFinite(next)) return;
  patchDialog(session, 'bot-form', ({ area }) => ({ area: atLine(area, next - 1), focus: 'json' }));
}

// --- stop, rule, tag ---

export function reviewStop(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'bot-stop') return;
  const bot = state.bots[form.runs[0]?.[0] ?? ''];
  if (form.runs.length === 1 && form.detail === null && bot && trades(bot)) {
    say(session, 'still asking what it holds; press again');
    session.fieldChanged('bot');
    return;
  }
  openDialog(session, confirmStop(state, form, session.now()));
}

export function reviewRule(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'bot-rule') return;
  const bot = state.bots[form.id];
  const stops = form.detail?.live?.stops ?? [];
  const problem = bot ? ruleProblem(form, stops) : 'the bot is gone';
  if (problem !== null || !bot) {
    say(session, problem ?? '', 'warn');
    return;
  }
  const params = ruleParams(form, stops, marketNow(state, session.wall()));
  openDialog(session, confirmRule(state, bot, form, params, session.now()));
}

/** A tag is given at once: nothing follows from it, and the old one is told. */
export async function saveTag(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-tag') return;
  const tag = form.value.trim();
  const before = deskState(session)?.bots[form.id]?.tag;
  const outcome = await ask(session, 'bots.tag', { id: form.id, tag });
  if (!outcome) return;
  if (!outcome.ok) {
    patchDialog(session, 'bot-tag', () => ({ refusal: outcome.error.message }));
    return;
  }
  if (topDialog(session.ui.getState())?.kind === 'bot-tag') closeDialog(session);
  const was = before === undefined ? '' : `; it was "${before}"`;
  tell(session, tag === '' ? `tag taken off${was}` : `tagged "${tag}"${was}`, 'ok');
}

function next<T>(list: readonly T[], value: T, by: number): T {
  return list[(list.indexOf(value) + by + list.length) % list.length] ?? value;
}

/** Left and right in the forms of the Bots screen. */
export function chooseInBot(session: Session, by: number): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind === 'bot-form') chooseType(session, by);
  else if (dialog?.kind === 'bot-stop') {
    const { focus } = dialog;
    patchDialog(session, 'bot-stop', ({ cleanup, sell, force }) => ({
      ...(focus === 'cleanup' ? { cleanup: next(CLEANUPS, cleanup, by) } : {}),
      ...(focus === 'sell' ? { sell: !sell } : {}),
      ...(focus === 'force' ? { force: !force } : {}),
    }));
  } else if (dialog?.kind === 'bot-rule')
    patchDialog(session, 'bot-rule', (form) => ({ ...chosenInRule(form, by), refusal: null }));
}

function chosenInRule(form: BotRuleForm, by: number): BotRuleForm {
  switch (form.focus) {
    case 'command':
      return withRule({ ...form, command: next(STOP_COMMANDS, form.command, by), rule: 0 });
    case 'rule': {
      const count = form.detail?.live?.stops.length ?? 0;
      return count === 0 ? form : withRule({ ...form, rule: (form.rule + by + count) % count });
    }
    case 'strategy':
      return { ...form, strategy: next(RULE_STRATEGIES, form.strategy, by) };
    case 'trigger':
      return { ...form, trigger: form.trigger === 'kline' ? 'exchange' : 'kline' };
    case 'order':
      return { ...form, order: next(RULE_ORDERS, form.order, by) };
    case 'complete':
    case 'closed':
    case 'disabled':
      return { ...form, [form.focus]: !form[form.focus] };
    default:
      return form;
  }
}

/** The fields of a form of the Bots screen in their order. */
export function botFieldIds(dialog: ReturnType<typeof topDialog>): readonly string[] {
  switch (dialog?.kind) {
    case 'bot-form':
      return ['type', 'file', 'json', 'review'];
    case 'bot-stop':
      return ['cleanup', 'sell', 'force', 'review'];
    case 'bot-rule':
      return ruleFields(dialog);
    case 'bot-tag':
      return ['value', 'review'];
    default:
      return [];
  }
}
