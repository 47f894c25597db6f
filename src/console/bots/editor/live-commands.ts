/**
 * What follows a key in the bot editor: the desk's checks and the ladder at once, the replay once nothing has
 * been typed for a while. A response counts only for the draft it was requested for; nothing here waits for
 * anything but the desk.
 */
import { randomUUID } from 'node:crypto';
import type { BotSketch, DeskState, PriceView } from '../../../desk/console/protocol.ts';
import { ask, deskState, patchDialog, type Session } from '../../app/session.ts';
import { marketNow } from '../../trading/bots.ts';
import { priceOf } from '../../trading/prices.ts';
import { chartFrame, longerFrames } from '../bot-chart.ts';
import { bodyOf } from './draft.ts';
import { type BotEditor, frameIn, symbolIn } from './editor.ts';

/** Largest number of columns in a chart. */
const COLUMNS = 110;
/** Shortest time span that the chart shows. */
const CHART_MS = 24 * 3_600_000;

/** The requests of a session. */
interface Line {
  readonly token: string;
  /** A ladder is requested; `again`: another draft has come meanwhile. */
  laying: boolean;
  again: boolean;
  replaying: boolean;
}

const lines = new WeakMap<Session, Line>();

function lineOf(session: Session): Line {
  const known = lines.get(session);
  if (known) return known;
  const line: Line = { token: randomUUID(), laying: false, again: false, replaying: false };
  lines.set(session, line);
  return line;
}

/** Returns the editor, even if a confirmation is open above it. */
function editorOf(session: Session): BotEditor | null {
  const found = session.ui.getState().dialogs.findLast(({ kind }) => kind === 'bot-editor');
  return (found as BotEditor | undefined) ?? null;
}

function patch(session: Session, change: (editor: BotEditor) => Partial<BotEditor>): void {
  patchDialog(session, 'bot-editor', change);
}

function sketchOf({ type, form }: BotEditor): BotSketch {
  const { settings, options } = bodyOf(form.draft);
  return { type, settings, ...(options ? { options } : {}) };
}

/** Called at every change: ends the replay of an older draft, whose result is not needed any more. */
export function editorTouched(session: Session): void {
  const editor = editorOf(session);
  if (!editor) return;
  if (editor.replay.was.state === 'running') endReplay(session);
}

/** Requests the checks and the ladder of the current draft. */
export async function checkEditor(session: Session): Promise<void> {
  const editor = editorOf(session);
  if (!editor) return;
  const { draft } = editor.form;
  void layOut(session);
  void loadChart(session);
  const answer = await ask(session, 'bots.check', sketchOf(editor));
  if (!answer) return;
  const { problems, warnings } = answer;
  patch(session, (now) => (now.form.draft === draft ? { check: { draft, problems, warnings } } : {}));
}

/** Requests one ladder at a time; the newest draft comes last. */
async function layOut(session: Session): Promise<void> {
  const line = lineOf(session);
  line.again = true;
  if (line.laying) return;
  line.laying = true;
  while (line.again) {
    line.again = false;
    const editor = editorOf(session);
    if (!editor) break;
    const { draft } = editor.form;
    const view = await ask(session, 'bots.ladder', sketchOf(editor));
    if (view) patch(session, () => ({ ladder: { draft, view } }));
  }
  line.laying = false;
}

/** Loads the symbol's candles, once per symbol and frame. */
async function loadChart(session: Session): Promise<void> {
  const editor = editorOf(session);
  const state = deskState(session);
  if (!editor || !state) return;
  const symbol = symbolIn(editor);
  const price = priceIn(state, editor);
  if (!price) return;
  const { market } = price;
  const wanted = Math.max(frameIn(editor), chartFrame(CHART_MS, COLUMNS));
  // Candles that were loaded for another account may be of another market.
  const chart = editor.chart?.market === market ? editor.chart : null;
  if (chart !== editor.chart) patch(session, () => ({ chart }));
  if (chart?.symbol === symbol && chart.frameMs >= wanted) return;
  const now = Math.max(price.time, marketNow(state, 0));
  for (const frameMs of [wanted, ...longerFrames(wanted + 1)]) {
    const from = now - frameMs * COLUMNS;
    const candles = await ask(session, 'market.candles', { market, symbol, frameMs, from, to: now });
    if (!candles) return;
    if (candles.length === 0) continue;
    patch(session, (later) => {
      const same = symbolIn(later) === symbol && priceIn(state, later)?.market === market;
      return same ? { chart: { market, symbol, frameMs, candles } } : {};
    });
    return;
  }
}

/** The price of the bot's symbol on its account's market. */
function priceIn(state: DeskState, editor: BotEditor): PriceView | undefined {
  return priceOf(state, editor.form.draft.exchange, symbolIn(editor));
}

// --- replay ---

/** A replay that takes longer than this shows its progress. */
const PROGRESS_MS = 300;

export async function replayEditor(session: Session): Promise<void> {
  const editor = editorOf(session);
  if (!editor || editor.replay.was.state === 'running') return;
  const { draft } = editor.form;
  if (editor.replay.draft === draft && editor.replay.was.state === 'over') return;
  const { token } = lineOf(session);
  patch(session, () => ({ replay: { draft, was: { state: 'running', done: 0, of: 0, shown: false } } }));
  lookAgain(session);
  const view = await ask(session, 'bots.replay', { ...sketchOf(editor), token });
  patch(session, (now) => {
    if (now.replay.draft !== draft) return {};
    if (!view || view.done === 'cancelled') return { replay: { draft, was: { state: 'waiting' } } };
    return { replay: { draft, was: { state: 'over', view } } };
  });
}

/** Requests the progress, repeatedly while the replay runs. */
export async function followReplay(session: Session): Promise<void> {
  const running = editorOf(session)?.replay;
  if (running?.was.state !== 'running') return;
  const progress = await ask(session, 'bots.replayProgress', { token: lineOf(session).token });
  patch(session, ({ replay }) => {
    if (replay.draft !== running.draft || replay.was.state !== 'running') return {};
    const { done, of } = progress ?? replay.was;
    return { replay: { ...replay, was: { state: 'running', done, of, shown: true } } };
  });
  if (editorOf(session)?.replay.was.state === 'running') lookAgain(session);
}

export function endReplay(session: Session): void {
  const editor = editorOf(session);
  if (editor?.replay.was.state !== 'running') return;
  patch(session, ({ replay }) => ({ replay: { draft: replay.draft, was: { state: 'waiting' } } }));
  void ask(session, 'bots.replayEnd', { token: lineOf(session).token });
}

/** Requests the progress again after a delay. */
function lookAgain(session: Session): void {
  session.later('editor-progress', PROGRESS_MS, () => void followReplay(session));
}
