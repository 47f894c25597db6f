/**
 * Facts of an order that every screen needs: whether it is open, its price, how long its outcome stays
 * unknown. Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type OrderView, TERMINAL } from '../../domain/order.ts';
import { span as length } from '../ui/format.ts';

/**
 * Whether an order is open at its exchange or about to be; true also for one that has ended only on this
 * desk.
 */
export function isOpen(order: OrderView): boolean {
  return !TERMINAL.has(order.status) || order.contradiction === true;
}

/** Rank in lists: 0 unresolved, 1 open, 2 ended. */
export function rank(order: OrderView): number {
  if (order.unresolved) return 0;
  return isOpen(order) ? 1 : 2;
}

/**
 * The most relevant price: the limit, else the trigger (for a trailing stop its current level), else the fill
 * price.
 */
export function mainPrice(order: OrderView): string | null {
  if (order.price !== undefined) return order.price;
  if (order.trail && isOpen(order)) return order.trail.level;
  return order.stopPrice ?? order.fillPrice;
}

/** The fill price of a filled order, else `mainPrice`. */
export function shownPrice(order: OrderView): string | null {
  return (isFilled(order) ? order.fillPrice : null) ?? mainPrice(order);
}

function isFilled({ status, executedQty }: Pick<OrderView, 'status' | 'executedQty'>): boolean {
  return status === 'CLOSED' && /[1-9]/.test(executedQty);
}

/** The status in words: only the API calls a filled order CLOSED. */
export function statusWord(order: Pick<OrderView, 'status' | 'executedQty'>): string {
  return isFilled(order) ? 'FILLED' : order.status;
}

/** How long until the response "not found" settles an unresolved order. */
export function settles(order: OrderView, wall: number): string {
  if (!order.unresolved) return '';
  if (order.contradiction) return 'OPEN although it ended here';
  const left = order.unresolved.settlesAt - wall;
  return left > 0 ? `settles in ${length(left)}` : 'settles with the next answer';
}

/** A number that changes with every fill of an order in the state; 0: none is filled. */
export function newestFill({ orders }: Pick<DeskState, 'orders'>): number {
  return Object.values(orders).reduce(
    (newest, order) => (order.executedQty === '0' ? newest : Math.max(newest, order.updatedAt)),
    0,
  );
}

/** Counts and groups of all orders, shown on every screen; most updates change none of them. */
export interface OrderFacts {
  readonly count: number;
  readonly open: readonly OrderView[];
  /** Those of the open ones whose outcome is unknown. */
  readonly unresolved: readonly OrderView[];
  /** Orders whose stop does not reach its exchange, open or not. */
  readonly withoutStop: readonly OrderView[];
}

const facts = new WeakMap<DeskState['orders'], OrderFacts>();

/** Cached per object: the mirror keeps `orders` until one of them changes. */
export function orderFacts(orders: DeskState['orders']): OrderFacts {
  const known = facts.get(orders);
  if (known) return known;
  const all = Object.values(orders);
  const open = all.filter(isOpen);
  const found = {
    count: all.length,
    open,
    unresolved: open.filter((order) => order.unresolved),
    withoutStop: all.filter((order) => order.withoutStop),
  };
  facts.set(orders, found);
  return found;
}
