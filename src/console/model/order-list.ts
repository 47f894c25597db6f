/** The rows of the Orders screen: unresolved on top, then open, then the rest; filter and sort. Pure. */
import { dec } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { type OrderView, TERMINAL } from '../../domain/order.ts';
import { onStep, rounded } from '../format.ts';
import type { Selection, SortKey } from '../state/ui.ts';
import { ticksOf } from './instruments.ts';
import { byText, falling, filterWords, hasWordsOrPrices, type ListView } from './rows.ts';

export interface OrderListOptions extends Pick<ListView<SortKey>, 'filter' | 'sort' | 'reverse'> {
  /** Closed orders from the store, newest first; null when not asked for. */
  readonly closed: readonly OrderView[] | null;
  /** For prices as they are shown. */
  readonly instruments?: readonly Instrument[];
}

/** At its exchange or about to be; one that has ended here only, too. */
export function isOpen(order: OrderView): boolean {
  return !TERMINAL.has(order.status) || order.contradiction === true;
}

/** 0 unresolved, 1 open, 2 ended. */
export function rank(order: OrderView): number {
  if (order.unresolved) return 0;
  return isOpen(order) ? 1 : 2;
}

export function orderRows(
  orders: Readonly<Record<string, OrderView>>,
  options: OrderListOptions,
): readonly OrderView[] {
  const rows = Object.values(orders);
  if (options.closed) for (const order of options.closed) if (!orders[order.id]) rows.push(order);
  const words = filterWords(options.filter);
  const ticks = ticksOf(options.instruments ?? []);
  const kept =
    words.length === 0
      ? rows
      : rows.filter((order) => hasWordsOrPrices(textOf(order), () => pricesOf(order, ticks), words));
  const direction = options.reverse ? -1 : 1;
  const compare = COMPARE[options.sort];
  return kept.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      direction * compare(a, b) ||
      b.orderTime - a.orderTime ||
      (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}

function textOf(order: OrderView): string {
  return [
    order.id,
    order.symbol,
    order.side,
    order.type,
    order.status,
    order.exchange,
    order.creator,
    order.creatorId,
    order.unresolved ? 'unresolved' : '',
  ].join(' ');
}

/** As the table shows them. */
function pricesOf(order: OrderView, ticks: ReadonlyMap<string, string>): readonly string[] {
  const tick = ticks.get(`${order.exchange} ${order.symbol}`);
  const trails = order.trail && isOpen(order);
  return [
    trails ? rounded(mainPrice(order), tick) : onStep(mainPrice(order), tick),
    onStep(order.stopPrice, tick),
  ];
}

/** The price a person thinks of: limit, else trigger (of a trailing stop where it fires now), else fill. */
export function mainPrice(order: OrderView): string | null {
  if (order.price !== undefined) return order.price;
  if (order.trail && isOpen(order)) return order.trail.level;
  return order.stopPrice ?? order.fillPrice;
}

function priceOf(order: OrderView): bigint {
  try {
    return dec(mainPrice(order) ?? '0');
  } catch {
    return 0n;
  }
}

const COMPARE: Record<SortKey, (a: OrderView, b: OrderView) => number> = {
  time: (a, b) => b.orderTime - a.orderTime,
  symbol: (a, b) => byText(a.symbol, b.symbol),
  side: (a, b) => byText(a.side, b.side),
  price: (a, b) => falling(priceOf(a), priceOf(b)),
  status: (a, b) => byText(a.status, b.status),
};

/** Where the selection stands in these rows: by id; when the row has gone, the row now at its place. */
export function selectedIndex(rows: readonly { readonly id: string }[], selection: Selection): number {
  if (rows.length === 0) return -1;
  const at = selection.id === null ? -1 : rows.findIndex((row) => row.id === selection.id);
  return at >= 0 ? at : Math.min(Math.max(0, selection.index), rows.length - 1);
}

/** First row shown so that the selected one is inside a window of `height` rows, kept a third from the edges. */
export function windowStart(selected: number, count: number, height: number): number {
  if (count <= height || selected < 0) return 0;
  return Math.min(Math.max(0, selected - Math.floor(height / 2)), count - height);
}

/** The selection `by` rows further, at most at an end. */
export function moved(rows: readonly { readonly id: string }[], selection: Selection, by: number): Selection {
  if (rows.length === 0) return selection;
  const at = selectedIndex(rows, selection);
  const index = Math.min(Math.max(at + by, 0), rows.length - 1);
  return { id: rows[index]?.id ?? null, index };
}
