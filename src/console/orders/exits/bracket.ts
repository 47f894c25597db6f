/**
 * An entry with its exits, or a pair of exits for something held, as one row of the orders that can be
 * opened: which orders belong together, which of them represents all, and which exit is no order yet. Pure.
 */
import type { BotView, DeskState } from '../../../desk/console/protocol.ts';
import type { OrderView } from '../../../domain/order.ts';
import { isRunning } from '../../trading/bots.ts';
import { isOpen } from '../../trading/orders.ts';
import { exact, onStep } from '../../ui/format.ts';

type World = Pick<DeskState, 'orders' | 'bots'>;

/** A row of the orders: an order, or an exit that is watched but is no order yet. */
export interface OrderRow extends OrderView {
  readonly part?: RowPart;
}

export type RowPart =
  /** The row that represents the whole bracket. */
  | { readonly kind: 'head'; readonly opened: boolean; readonly bracket: Bracket }
  /** Another order of the bracket. */
  | { readonly kind: 'order' }
  /** A watched exit; `waits`: nothing is held yet that it would sell. */
  | { readonly kind: 'exit'; readonly head: string; readonly waits: boolean };

export interface Bracket {
  readonly bot: string;
  readonly runId: string;
  /** Represents all: the entry while it is open, then the open exit. */
  readonly head: OrderView;
  /** Newest first, without the head. */
  readonly others: readonly OrderView[];
  /** Null: a pair of exits for something that was held already. */
  readonly entry: OrderView | null;
  /** Prices as decimal strings. */
  readonly takeProfit: string;
  readonly stopLoss: string;
}

const known = new WeakMap<
  World['orders'],
  { readonly bots: World['bots']; readonly all: readonly Bracket[] }
>();

/** The brackets of active runs: once a run has ended, its orders are separate rows like any other. */
export function bracketsOf({ orders, bots }: World): readonly Bracket[] {
  const last = known.get(orders);
  if (last?.bots === bots) return last.all;
  const own = new Map<string, OrderView[]>();
  for (const bot of Object.values(bots)) if (exitsOf(bot)) own.set(bot.id, []);
  if (own.size > 0)
    for (const order of Object.values(orders))
      if (order.creator === 'BOT') own.get(order.creatorId)?.push(order);
  const all = [...own].flatMap(([id, list]) => bracketOf(bots[id], list) ?? []);
  known.set(orders, { bots, all });
  return all;
}

/** The bracket of an order, or of an exit that is no order yet. */
export function bracketAt(state: World, order: Pick<OrderView, 'creator' | 'creatorId'>): Bracket | null {
  if (order.creator !== 'BOT') return null;
  return bracketsOf(state).find(({ bot }) => bot === order.creatorId) ?? null;
}

function bracketOf(bot: BotView | undefined, own: readonly OrderView[]): Bracket | null {
  const exits = bot && exitsOf(bot);
  if (!bot || !exits) return null;
  const newest = own.toSorted((a, b) => b.orderTime - a.orderTime || (a.id < b.id ? 1 : -1));
  const entry = exits.isEntered ? (newest.findLast(({ side }) => side === exits.side) ?? null) : null;
  const open = newest.filter(isOpen);
  const head = entry && isOpen(entry) ? entry : (open.find((order) => order !== entry) ?? newest[0]);
  if (!head) return null;
  const { takeProfit, stopLoss } = exits;
  const others = newest.filter((order) => order !== head);
  return { bot: bot.id, runId: bot.runId ?? '', head, others, entry, takeProfit, stopLoss };
}

/** The exits of a bot that the desk has made for them; null: another kind of bot. */
function exitsOf(bot: BotView) {
  const { options, settings } = bot;
  if (options?.managed !== true || !isRunning(bot)) return null;
  const takeProfit = priceIn(settings.takeProfit);
  const stopLoss = priceIn(settings.stopLoss);
  if (takeProfit === null || stopLoss === null) return null;
  return { takeProfit, stopLoss, side: settings.side, isEntered: settings.entry !== undefined };
}

function priceIn(exit: unknown): string | null {
  const price = typeof exit === 'object' && exit !== null && 'price' in exit ? exit.price : null;
  return typeof price === 'string' ? price : null;
}

/** The rows with each bracket as one row, followed by its parts where it is among `opened`. */
export function withBrackets(
  rows: readonly OrderView[],
  brackets: readonly Bracket[],
  opened: readonly string[],
): readonly OrderRow[] {
  if (brackets.length === 0) return rows;
  const there = new Set(rows.map(({ id }) => id));
  // An order whose head is hidden by a filter is shown as a separate row.
  const shown = brackets.filter(({ head }) => there.has(head.id));
  const heads = new Map(shown.map((bracket) => [bracket.head.id, bracket]));
  const hidden = new Set(shown.flatMap(({ others }) => others.map(({ id }) => id)));
  return rows.flatMap((row): readonly OrderRow[] => {
    if (hidden.has(row.id)) return [];
    const bracket = heads.get(row.id);
    if (!bracket) return [row];
    const isOpened = opened.includes(bracket.bot);
    const head: OrderRow = { ...row, part: { kind: 'head', opened: isOpened, bracket } };
    return isOpened ? [head, ...partsOf(bracket)] : [head];
  });
}

function partsOf(bracket: Bracket): readonly OrderRow[] {
  const { head, others, entry, takeProfit, stopLoss } = bracket;
  const side = !entry ? head.side : entry.side === 'BUY' ? 'SELL' : 'BUY';
  const waits = entry !== null && !/[1-9]/.test(entry.executedQty);
  const hasTarget = [head, ...others].some((order) => order !== entry && isOpen(order));
  const exit = (name: 'target' | 'stop', change: Partial<OrderView>): OrderRow => ({
    ...head,
    id: `${bracket.bot} ${name}`,
    side,
    status: 'NEW',
    executedQty: '0',
    fillPrice: null,
    unresolved: undefined,
    trail: undefined,
    text: undefined,
    cancelPending: false,
    contradiction: undefined,
    ...change,
    part: { kind: 'exit', head: head.id, waits },
  });
  return [
    ...others.map((order): OrderRow => ({ ...order, part: { kind: 'order' } })),
    ...(hasTarget ? [] : [exit('target', { type: 'TAKE_PROFIT_LIMIT', price: takeProfit, stopPrice: null })]),
    exit('stop', { type: 'STOP_MARKET', price: undefined, stopPrice: stopLoss }),
  ];
}

/**
 * Details that the row itself does not show: `BUY 0.2 filled at 97,234.63 · take-profit 99,000.00 · stop
 * 95,000.00, by this desk`.
 */
export function exitsWords(bracket: Bracket, tick: string | undefined): string {
  const { head, entry, takeProfit, stopLoss } = bracket;
  const isEntry = head === entry;
  return [
    ...(entry && !isEntry
      ? [`${entry.side} ${exact(entry.executedQty)} filled at ${onStep(entry.fillPrice, tick)}`]
      : []),
    ...(isEntry || head.price === undefined ? [`take-profit ${onStep(takeProfit, tick)}`] : []),
    `stop ${onStep(stopLoss, tick)}, by this desk`,
  ].join(' · ');
}

/** A short form for a column: the target in the row of the entry, the entry in the row of an exit. */
export function exitsNote({ head, entry, takeProfit }: Bracket, tick: string | undefined): string {
  if (!entry || head === entry) return `target ${onStep(takeProfit, tick)}`;
  return `${entry.side} at ${onStep(entry.fillPrice, tick)}`;
}
