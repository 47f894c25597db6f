/** What every screen has to know of an order: whether it is open, its price, how long its outcome stays unknown. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type OrderView, TERMINAL } from '../../domain/order.ts';
import { span as length } from '../ui/format.ts';

/** At its exchange or about to be; one that has ended here only, too. */
export function isOpen(order: OrderView): boolean {
  return !TERMINAL.has(order.status) || order.contradiction === true;
}

/** 0 unresolved, 1 open, 2 ended. */
export function rank(order: OrderView): number {
  if (order.unresolved) return 0;
  return isOpen(order) ? 1 : 2;
}

/** The price a person thinks of: limit, else trigger (of a trailing stop where it fires now), else fill. */
export function mainPrice(order: OrderView): string | null {
  if (order.price !== undefined) return order.price;
  if (order.trail && isOpen(order)) return order.trail.level;
  return order.stopPrice ?? order.fillPrice;
}

/** The same, and of one that has filled what it has filled at. */
export function shownPrice(order: OrderView): string | null {
  return (isFilled(order) ? order.fillPrice : null) ?? mainPrice(order);
}

function isFilled({ status, executedQty }: Pick<OrderView, 'status' | 'executedQty'>): boolean {
  return status === 'CLOSED' && /[1-9]/.test(executedQty);
}

/** As a person reads it: an order that has filled is CLOSED in the API alone. */
export function statusWord(order: Pick<OrderView, 'status' | 'executedQty'>): string {
  return isFilled(order) ? 'FILLED' : order.status;
}

/** How long until "not found" is an answer. */
export function settles(order: OrderView, wall: number): string {
  if (!order.unresolved) return '';
  if (order.contradiction) return 'OPEN although it ended here';
  const left = order.unresolved.settlesAt - wall;
  return left > 0 ? `settles in ${length(left)}` : 'settles with the next answer';
}

/** Changes with every fill of an order that consoles see; 0: none is filled. */
export function newestFill({ orders }: Pick<DeskState, 'orders'>): number {
  return Object.values(orders).reduce(
    (newest, order) => (order.executedQty === '0' ? newest : Math.max(newest, order.updatedAt)),
    0,
  );
}

/** What is said of all orders on every screen and with every tick, most of which change none of them. */
export interface OrderFacts {
  readonly count: number;
  readonly open: readonly OrderView[];
  /** Of the open ones. */
  readonly unresolved: readonly OrderView[];
  /** Whose stop does not reach its exchange, open or not. */
  readonly withoutStop: readonly OrderView[];
}

const facts = new WeakMap<DeskState['orders'], OrderFacts>();

/** Found once for orders that stay the same object, as a mirror keeps them until one of them changes. */
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
