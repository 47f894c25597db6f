/** The form of a new bot: a template, file, paste or clone to start from, its text and the checks of it. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Instrument } from '../../domain/instrument.ts';

import { BOT_TYPES, type BotType, USUAL_TYPE } from '../../schemas/bots/index.ts';
import { ask, closeDialog, deskState, openDialog, patchDialog, type Session, say } from '../app/session.ts';
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
} from '../forms/text-area.ts';
import { withArea } from '../forms/text-fields.ts';
import { topDialog } from '../state/ui.ts';
import { marketNow } from '../trading/bots.ts';
import { accountsAt, priceOf } from '../trading/prices.ts';
import { selectedPrice } from '../trading/watch.ts';
import { confirmCreate } from './bot-confirmations.ts';
import { type BotDraft, type DraftNote, readDraft } from './bot-draft.ts';
import type { BotForm } from './bot-forms.ts';
import { laidOut } from './bot-print.ts';
import { botTemplate } from './bot-templates.ts';

export function newBotJson(session: Session): void {
  const text = templateOf(session, USUAL_TYPE);
  if (text === null) say(session, 'no exchange account with instruments', 'warn');
  else openBotForm(session, 'New bot', USUAL_TYPE, text);
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
  session.fieldChanged('bot-form');
}

/** Returns a template for the current symbol if the account trades it, else for BTCUSDT or the first one. */
export function templateOf(session: Session, type: BotType): string | null {
  const state = deskState(session);
  if (!state) return null;
  const ui = session.ui.getState();
  const looked = ui.overview.looksAt ? selectedPrice(state, ui) : undefined;
  const accounts = accountsAt(state.accounts, looked);
  const account = accounts.find(({ kind }) => kind === 'spot') ?? accounts[0];
  const own = state.instruments.filter((one) => one.exchange === account?.id && !one.delisted);
  const named = (symbol: string | undefined): Instrument | undefined =>
    own.find((entry) => entry.symbol === symbol);
  const instrument = named(looked?.symbol) ?? named('BTCUSDT') ?? own[0];
  if (!instrument) return null;
  const price = priceOf(state, instrument.exchange, instrument.symbol);
  const now = Math.max(price?.time ?? 0, marketNow(state, 0));
  return botTemplate(type, { instrument, last: price?.last ?? null, now });
}

/** The remarks on the text: first the problems (of creation, else of the desk's check), then the warnings. */
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

export async function checkText(session: Session, { area }: BotForm): Promise<BotForm['check']> {
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
    ),
  );
}

/** Leaves the form; if a written text would be lost, warns first. */
export function leaveBotForm(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  if (form.area.text === form.given || form.area.text.trim() === '' || form.leaving) {
    closeDialog(session);
    return;
  }
  patchDialog(session, 'bot-form', () => ({ leaving: true }));
}

/** Chooses the next type, and loads its template unless that would overwrite the person's own text. */
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
  session.fieldChanged('bot-form');
}

/** Reads the file into the form; the text before can be restored. */
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
  if (text !== null) session.fieldChanged('bot-form');
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

// --- keys of the text ---

function edit(session: Session, change: (area: TextArea) => TextArea): void {
  session.ui.setState((ui) => withArea(ui, change));
  session.fieldChanged('bot-form');
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

/** Moves to the next line with a problem, starting over after the last one. */
export function nextProblem(session: Session): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-form') return;
  const lines = remarksOf(form, draftOf(session, form.area.text)).flatMap(({ line }) => line ?? []);
  const here = cursorOf(form.area).row + 1;
  const next = lines.filter((line) => line > here).sort((a, b) => a - b)[0] ?? Math.min(...lines);
  if (!Number.isFinite(next)) return;
  patchDialog(session, 'bot-form', ({ area }) => ({ area: atLine(area, next - 1), focus: 'json' }));
}
