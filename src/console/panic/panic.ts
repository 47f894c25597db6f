/**
 * Panic: stop all bots, cancel all orders, close all positions, and if wanted sell what bots hold on spot.
 * The items to work on, the words of the confirmation, and the progress of a run, item by item. Pure.
 */
import type { BotBatchResult, BotView, DeskState, Result } from '../../desk/console/protocol.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { OrderView } from '../../domain/order.ts';
import { question } from '../dialogs/question.ts';
import type { StillTableData } from '../lists/still-table.ts';
import { notionals, orderWords } from '../orders/order-words.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { botName, isRunning, symbolOf } from '../trading/bots.ts';
import { isOpen } from '../trading/orders.ts';
import { isLong, openPositions, positionTotals, sizeOf } from '../trading/positions.ts';
import { counted, exact, group, MISSING, signed } from '../ui/format.ts';
import { meter } from '../ui/glyphs.ts';
import { type Line, span } from '../ui/line.ts';

/**
 * In order of execution: a stopped bot sells nothing, so holdings come first; a running bot would place
 * cancelled orders again, so bots are stopped before orders are cancelled.
 */
export const PANIC_PARTS = ['holdings', 'bots', 'orders', 'positions'] as const;
/**
 * The default: without `holdings`, since a sale cannot be undone and what a bot holds on spot cannot be
 * liquidated.
 */
export const USUAL_PARTS: readonly PanicPart[] = ['bots', 'orders', 'positions'];
export type PanicPart = (typeof PANIC_PARTS)[number];
export type PanicParts = Readonly<Record<PanicPart, boolean>>;

export interface PanicItem {
  readonly part: PanicPart;
  /** Id of the bot, the order or the position. */
  readonly id: string;
  /** What is to be done, in the words used when the item was found. */
  readonly name: string;
  readonly state: 'waiting' | 'working' | 'done' | 'failed';
  /** The outcome in words. */
  readonly text: string;
  /** It has failed because it was refused: nothing was done. */
  readonly refused?: boolean;
}

export interface PanicRun {
  readonly parts: readonly PanicPart[];
  readonly items: readonly PanicItem[];
  readonly running: boolean;
}

/** The choice of parts; the word is asked for after the review. */
export interface PanicForm {
  readonly kind: 'panic';
  readonly parts: PanicParts;
  readonly focus: PanicPart | 'review';
}

/** Shows the current or last run. */
export interface PanicRunDialog {
  readonly kind: 'panic-run';
  readonly offset: number;
}

export type PanicAction =
  | { readonly type: 'panic'; readonly parts: readonly PanicPart[] }
  /** Tries only the failed items again. */
  | { readonly type: 'panic-again' };

export const PANIC_WORD = 'panic';

/** The part of the state that a panic reads. */
export type PanicWorld = Pick<DeskState, 'bots' | 'orders' | 'futures'>;

/**
 * MARKET orders are left out: they rest nowhere, and one in flight may be the panic's own close. Only one
 * that was not sent yet counts.
 */
function ordersToCancel({ orders }: Pick<PanicWorld, 'orders'>): readonly OrderView[] {
  return Object.values(orders).filter((order) => isOpen(order) && (order.type !== 'MARKET' || order.waiting));
}

/** Running bots that hold something on a spot account. */
function holders({ bots }: Pick<PanicWorld, 'bots'>): readonly BotView[] {
  return Object.values(bots).filter((bot) => bot.holds !== undefined && isRunning(bot));
}

function heldWords({ holds }: BotView): string {
  return holds ? `${exact(holds.qty)} ${holds.asset}` : MISSING;
}

/** All current items of a part. */
export function panicTargets(state: PanicWorld, part: PanicPart): readonly { id: string; name: string }[] {
  switch (part) {
    case 'holdings':
      return holders(state).map((bot) => ({
        id: bot.id,
        name: `sell ${heldWords(bot)} of ${botName(bot)} ${bot.type}`,
      }));
    case 'bots':
      return Object.values(state.bots)
        .filter((bot) => isRunning(bot) || bot.restartAt !== null)
        .map((bot) => ({
          id: bot.id,
          name: `${isRunning(bot) ? 'stop' : 'do not start'} ${botName(bot)} ${bot.type} ${symbolOf(bot)}`.trimEnd(),
        }));
    case 'orders':
      return ordersToCancel(state).map((order) => ({ id: order.id, name: `cancel ${orderWords(order)}` }));
    case 'positions':
      return openPositions(state).map((position) => ({
        id: position.id,
        name: `close ${isLong(position) ? 'LONG' : 'SHORT'} ${exact(sizeOf(position))} ${position.symbol}`,
      }));
  }
}

export function chosenParts(parts: PanicParts): readonly PanicPart[] {
  return PANIC_PARTS.filter((part) => parts[part]);
}

const VERBS: Record<PanicPart, string> = {
  holdings: 'sell',
  bots: 'stop',
  orders: 'cancel',
  positions: 'close',
};
const ONES: Record<PanicPart, string> = {
  holdings: 'holding',
  bots: 'bot',
  orders: 'order',
  positions: 'position',
};

/** The action in words: `stop 3 bots`, `cancel 1 order`. */
export function partWords(part: PanicPart, count: number): string {
  return `${VERBS[part]} ${counted(count, ONES[part], part)}`;
}

const NONE: Record<PanicPart, string> = {
  holdings: 'no bot holds any',
  bots: 'none runs',
  orders: 'none open',
  positions: 'none open',
};

/** What a part consists of now, for the form and the confirmation. */
export function partDetail(state: DeskState, part: PanicPart): string {
  const count = panicTargets(state, part).length;
  if (count === 0) return NONE[part];
  switch (part) {
    case 'holdings': {
      const all = holders(state).map(heldWords);
      const more = all.length > 3 ? ` and ${all.length - 3} more` : '';
      return `${counted(count, 'bot holds', 'bots hold')} ${all.slice(0, 3).join(', ')}${more}; at market`;
    }
    case 'bots': {
      const running = Object.values(state.bots).filter(isRunning).length;
      const due = count - running;
      return `${running} running${due > 0 ? `, ${due} about to start again` : ''}; at once, by force`;
    }
    case 'orders': {
      const open = ordersToCancel(state);
      const buys = open.filter(({ side }) => side === 'BUY').length;
      return `${group(String(count))} open: ${buys} BUY, ${count - buys} SELL, ${notionals(state, open)}`;
    }
    case 'positions': {
      const { pnl } = positionTotals(openPositions(state));
      return `${count} open, PnL now ${signed(pnl, 2)}; at market`;
    }
  }
}

export function confirmPanic(state: DeskState, parts: readonly PanicPart[]): ConfirmDialog {
  const rows: InfoRow[] = [
    { name: 'accounts', value: state.accounts.map(({ id }) => id).join(', ') },
    ...PANIC_PARTS.map(
      (part): InfoRow =>
        parts.includes(part)
          ? { name: part, value: partDetail(state, part), tone: 'danger' }
          : { name: part, value: 'left alone', tone: 'muted' },
    ),
  ];
  const named = parts
    .map((part) => [part, panicTargets(state, part).length] as const)
    .filter(([, count]) => count > 0)
    .map(([part, count]) => partWords(part, count));
  return question(state, {
    title: 'Panic',
    rows,
    next: `${orderOfWork(parts)} ${parts.includes('holdings') ? 'Other spot' : 'Spot'} balances stay as they are. What fails is shown and can be tried again.`,
    verb: named.join(', '),
    word: PANIC_WORD,
    action: { type: 'panic', parts },
  });
}

function orderOfWork(parts: readonly PanicPart[]): string {
  const words: Record<PanicPart, string> = {
    holdings: 'bots that hold something on spot are stopped and sell it at market',
    bots: parts.includes('orders') ? 'bots are stopped' : 'bots are stopped, their orders stay',
    orders: 'orders are cancelled, protective stops too',
    positions: 'positions are closed at market',
  };
  const text = parts.map((part) => words[part]).join(', then ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

export function confirmPanicAgain(state: DeskState, run: PanicRun): ConfirmDialog {
  const failed = run.items.filter((item) => item.state === 'failed');
  const shown = failed.slice(0, 6);
  const more = failed.length - shown.length;
  return question(state, {
    title: 'Panic: what failed, again',
    rows: [
      ...shown.map((item): InfoRow => ({ name: item.part, value: item.name, tone: 'danger' })),
      ...(more > 0 ? [{ name: '', value: `and ${group(String(more))} more`, tone: 'muted' } as const] : []),
    ],
    next: 'What is stopped, ended or closed meanwhile is left out.',
    verb: `try ${counted(failed.length, 'failure')} again`,
    word: PANIC_WORD,
    action: { type: 'panic-again' },
  });
}

// --- a run ---

export const itemKey = ({ part, id }: Pick<PanicItem, 'part' | 'id'>): string => `${part} ${id}`;

/** Adds items that appeared meanwhile to the run, as waiting. */
export function withTargets(run: PanicRun, state: PanicWorld, part: PanicPart): PanicRun {
  const known = new Set(run.items.filter((item) => item.part === part).map(({ id }) => id));
  const found = panicTargets(state, part)
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }): PanicItem => ({ part, id, name, state: 'waiting', text: '' }));
  return found.length === 0 ? run : { ...run, items: [...run.items, ...found] };
}

/** The run with the given items changed. */
export function withItems(run: PanicRun, changes: Outcomes): PanicRun {
  return {
    ...run,
    items: run.items.map((item) => {
      const change = changes.get(itemKey(item));
      return change ? { ...item, ...change } : item;
    }),
  };
}

/** What came of an item. */
export type Came = Pick<PanicItem, 'state' | 'text' | 'refused'>;
export type Outcomes = ReadonlyMap<string, Came>;

/**
 * The outcomes of one request for several bots; a refused or lost request counts as failed for all of them.
 */
export function botOutcomes(items: readonly PanicItem[], answer: Outcome<BotBatchResult[]> | null): Outcomes {
  const problem = refusal(answer);
  const results = new Map(answer?.ok ? answer.data.map((result) => [result.id, result]) : []);
  return new Map(
    items.map((item): [string, Came] => {
      const result = results.get(item.id);
      if (result?.success) {
        const text = item.part === 'holdings' ? 'stopped, its sale at market is on its way' : 'stopped';
        return [itemKey(item), { state: 'done', text }];
      }
      return [itemKey(item), { state: 'failed', text: result?.error?.message ?? problem ?? 'no answer' }];
    }),
  );
}

/** The outcome for a bot whose automatic restart was cancelled. */
export function restartOutcome(item: PanicItem, answer: Outcome<unknown> | null): Outcomes {
  const problem = answer === null ? 'no answer' : refusal(answer);
  const came: Came =
    problem === null ? { state: 'done', text: 'does not start again' } : { state: 'failed', text: problem };
  return new Map([[itemKey(item), came]]);
}

/** The outcomes of a request for several orders; an order missing from the response had ended by itself. */
export function orderOutcomes(
  items: readonly PanicItem[],
  answer: Result<'orders.cancelAll'> | null,
): Outcomes {
  const results = new Map(answer?.map(({ id, outcome }) => [id, outcome]));
  return new Map(
    items.map((item): [string, Came] => {
      if (!answer) return [itemKey(item), { state: 'failed', text: 'no answer' }];
      const outcome = results.get(item.id);
      if (!outcome) return [itemKey(item), { state: 'done', text: 'had ended' }];
      if (!outcome.ok) return [itemKey(item), { state: 'failed', text: outcome.error.message }];
      const text = outcome.data.cancelPending ? 'cancel wanted' : outcome.data.status.toLowerCase();
      return [itemKey(item), { state: 'done', text }];
    }),
  );
}

export function positionOutcome(item: PanicItem, answer: Outcome<OrderView> | null): Outcomes {
  const problem = refusal(answer);
  if (!answer?.ok)
    return new Map([
      [itemKey(item), { state: 'failed', text: problem ?? 'no answer', refused: answer !== null }],
    ]);
  const { unresolved, status, fillPrice, executedQty, origQty } = answer.data;
  if (unresolved)
    return new Map([
      [itemKey(item), { state: 'failed', text: 'outcome unknown, the desk asks the exchange' }],
    ]);
  if (status === 'CANCELLED' || status === 'ERROR') {
    const text = `${status.toLowerCase()} after ${exact(executedQty)} of ${exact(origQty)}`;
    return new Map([[itemKey(item), { state: 'failed', text }]]);
  }
  const price = fillPrice === null || fillPrice === undefined ? '' : ` at ${exact(fillPrice)}`;
  return new Map([[itemKey(item), { state: 'done', text: `${status.toLowerCase()}${price}` }]]);
}

function refusal(outcome: Outcome<unknown> | null): string | null {
  return outcome === null || outcome.ok ? null : outcome.error.message;
}

export interface PanicCounts {
  readonly all: number;
  readonly done: number;
  readonly failed: number;
}

export function panicCounts(items: readonly PanicItem[]): PanicCounts {
  let done = 0;
  let failed = 0;
  for (const { state } of items) {
    if (state === 'done') done++;
    if (state === 'failed') failed++;
  }
  return { all: items.length, done, failed };
}

/** The counts in words: `953 of 1,000 done, 2 failed`. */
export function countWords({ all, done, failed }: PanicCounts): string {
  const text = `${group(String(done))} of ${group(String(all))} done`;
  return failed > 0 ? `${text}, ${group(String(failed))} failed` : text;
}

/** Whether a run needs attention: it is in progress or has failures. */
export function isPending(run: PanicRun | null): run is PanicRun {
  return run !== null && (run.running || run.items.some(({ state }) => state === 'failed'));
}

const BAR = 20;

/** One line per part: its progress, and how many items remain. */
export function partLines(run: PanicRun, state: PanicWorld): readonly Line[] {
  return run.parts.map((part) => {
    const counts = panicCounts(run.items.filter((item) => item.part === part));
    const { all, done, failed } = counts;
    const left = panicTargets(state, part).length;
    return [
      span(`${part.padEnd(10)} `, 'muted'),
      span(meter(all === 0 ? 1 : (done + failed) / all, BAR), failed > 0 ? 'danger' : 'ok'),
      span(all === 0 ? '  nothing to do' : `  ${countWords(counts)}`, failed > 0 ? 'danger' : 'text'),
      span(
        left > 0
          ? ` · ${group(String(left))} ${part === 'bots' ? 'run' : part === 'holdings' ? 'held' : 'open'} now`
          : ' · none left',
        'muted',
      ),
    ];
  });
}

const SIGN = { waiting: '·', working: '…', done: '✓', failed: '✗' } as const;
const TONE = { waiting: 'muted', working: 'warn', done: 'ok', failed: 'danger' } as const;
const RANK = { failed: 0, working: 1, waiting: 2, done: 3 } as const;

/** The items as a table: failed, in progress, waiting, done. */
export function itemTable(run: PanicRun): StillTableData {
  const items = [...run.items].sort((a, b) => RANK[a.state] - RANK[b.state]);
  return {
    columns: [{ title: '' }, { title: 'what' }, { title: 'result' }],
    rows: items.map(({ state, name, text }) => [
      span(SIGN[state], TONE[state]),
      span(name, state === 'failed' ? 'text' : 'muted'),
      span(text, TONE[state]),
    ]),
  };
}

declare module '../state/ui.ts' {
  interface Slices {
    /** The last panic of this terminal; null before the first. */
    readonly panic: PanicRun | null;
  }
  interface Dialogs {
    readonly panic: PanicForm | PanicRunDialog;
  }
  interface Actions {
    readonly panic: PanicAction;
  }
}
