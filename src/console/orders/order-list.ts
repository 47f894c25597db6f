/** The rows of the Orders screen: unresolved on top, then open, then the rest; filter and sort. Pure. */

import type { DeskState } from '../../desk/console/protocol.ts';
import { dec } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { OrderView } from '../../domain/order.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { byText, falling, filterWords, hasWordsOrPrices, type ListView, memoizeLast } from '../lists/rows.ts';
import { ticksOf } from '../trading/instruments.ts';
import { isOpen, mainPrice, rank, shownPrice, statusWord } from '../trading/orders.ts';
import { onStep, rounded } from '../ui/format.ts';
import { bracketsOf, type OrderRow, withBrackets } from './exits/bracket.ts';
import type { OrdersView, SortKey } from './orders-view.ts';

export interface OrderListOptions extends Pick<ListView<SortKey>, 'filter' | 'sort' | 'reverse'> {
  /** Closed orders from the store, newest first; null when they are not shown. */
  readonly closed: readonly OrderView[] | null;
  /** Needed to search prices as shown. */
  readonly instruments?: readonly Instrument[];
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
    statusWord(order),
    order.exchange,
    order.creator,
    order.creatorId,
    order.unresolved ? 'unresolved' : '',
  ].join(' ');
}

/** The prices of an order as the table shows them. */
function pricesOf(order: OrderView, ticks: ReadonlyMap<string, string>): readonly string[] {
  const tick = ticks.get(`${order.exchange} ${order.symbol}`);
  const trails = order.trail && isOpen(order);
  return [
    trails ? rounded(mainPrice(order), tick) : onStep(shownPrice(order), tick),
    onStep(order.stopPrice, tick),
  ];
}

function priceOf(order: OrderView): bigint {
  try {
    return dec(shownPrice(order) ?? '0');
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

const lastOrders = memoizeLast<readonly OrderView[]>();
const lastRows = memoizeLast<readonly OrderRow[]>();

type World = Pick<DeskState, 'orders' | 'instruments' | 'bots'>;

/** Rows of the Orders screen; each entry with exits is one row until it is opened. */
export function shownOrders(state: World, view: OrdersView): readonly OrderRow[] {
  const orders = listedOrders(state, view);
  const brackets = bracketsOf(state);
  return lastRows([orders, brackets, view.opened], () => withBrackets(orders, brackets, view.opened));
}

/** The orders behind these rows, including those within an entry with exits. */
export function listedOrders(state: World, view: OrdersView): readonly OrderView[] {
  const { instruments } = state;
  const { filter, sort, reverse, all, closed } = view;
  return lastOrders([state.orders, instruments, filter, sort, reverse, all, closed], () =>
    orderRows(state.orders, { filter, sort, reverse, closed: all ? closed : null, instruments }),
  );
}

/** The order under the cursor; for an exit that is no order yet, the order that represents its bracket. */
export function selectedOrder(state: World, view: OrdersView): OrderView | null {
  const rows = shownOrders(state, view);
  const row = rows[selectedIndex(rows, view.selection)];
  if (row?.part?.kind !== 'exit') return row ?? null;
  const { head } = row.part;
  return rows.find(({ id }) => id === head) ?? null;
}
