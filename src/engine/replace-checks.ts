/**
 * Decides whether an order may be changed by replacing it. Everything is checked before anything is
 * cancelled: a resting order is given up only for one that its exchange would accept at this moment. Pure
 * reads.
 */
import { type Dec, dec, str } from '../domain/decimal.ts';
import type { Amendment, OrderRecord } from '../domain/order.ts';
import type { OrderType } from '../schemas/order.ts';
import { restAt } from './amend-state.ts';
import { checkPrice, checkQuantity, type Problem } from './filters.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { valueProblem } from './small-closes.ts';
import { stopSideProblem } from './validate.ts';
import { checkFutures } from './validate-futures.ts';
import { endsThere, sentAs } from './wire-order.ts';

const CURE = 'cancel it and place another';

/** How a change is made: here, at its exchange in place, or by another order. */
export type AmendRoute = 'here' | 'there' | 'anew';

/** Returns the route; only fields that would change are requested. */
export function routeOf(account: AccountMemory, order: OrderRecord, change: Amendment): AmendRoute {
  const { price, quantity, stopPrice, goodTillDate } = change;
  if (order.phase === 'held') return 'here';
  if (stopPrice !== undefined || (goodTillDate !== undefined && endsThere(order))) return 'anew';
  if (price === undefined && quantity === undefined) return 'here';
  return canInPlace(account, order, change) ? 'there' : 'anew';
}

function canInPlace({ caps }: AccountMemory, order: OrderRecord, { price, quantity }: Amendment): boolean {
  const { amends } = caps;
  if (!amends?.types.includes(sentAs(order)) || order.icebergQty !== undefined) return false;
  if (order.status !== 'OPENED') return false;
  if (price !== undefined && !amends.fields.includes('price')) return false;
  if (quantity === undefined) return true;
  return amends.fields.includes('quantity') && (!amends.onlyLess || dec(quantity) < dec(order.origQty));
}

/** Returns whether the order waits at its exchange for its trigger. */
function waitsThere({ status, stopPrice, firedHere }: OrderRecord): boolean {
  return status === 'NEW' && stopPrice !== undefined && !firedHere;
}

/** Returns whether the order's trigger was met: it is a plain order by now. */
export function hasTriggered(order: OrderRecord): boolean {
  return order.stopPrice !== undefined && !waitsThere(order);
}

/**
 * Returns the type in which the changed order is sent. `fires`: it has no trigger, or one that is met by now.
 */
export function typeAnew({ type, stopPrice, price }: OrderRecord, fires: boolean): OrderType {
  if (stopPrice === undefined || !fires) return type;
  return price === undefined ? 'MARKET' : 'LIMIT';
}

/** Returns whether the trigger is met at the current price. */
export function isMet(account: AccountMemory, order: OrderRecord, stopPrice: string): boolean {
  const now = watchedPrice(account, order);
  return now !== undefined && stopSideProblem(order.type, order.side, dec(stopPrice), now) !== null;
}

/** Returns why an order at its exchange cannot be replaced, whatever the change; null: it can. */
export function fixedWhy(order: OrderRecord): string | null {
  const { id, exchange, status, timeInForce, price } = order;
  if (order.trailing)
    return `order ${id} is a trailing stop at ${exchange}: what it has followed would be lost; ${CURE}`;
  if (waitsThere(order)) return null;
  const rests = status === 'OPENED' && price !== undefined && order.quoteOrderQty === undefined;
  if (!rests || timeInForce === 'IOC' || timeInForce === 'FOK')
    return `order ${id} does not rest on the book of ${exchange}; ${CURE}`;
  return null;
}

/**
 * Returns the objection to the replacement order; null: none. `change`: parsed, with values on their grids.
 */
export function anewProblem(
  memory: EngineMemory,
  account: AccountMemory,
  order: OrderRecord,
  change: Amendment,
): Problem | null {
  const { exchange, closePosition } = order;
  const triggered = hasTriggered(order);
  if (change.stopPrice !== undefined && triggered)
    return field('stopPrice', `order ${order.id} has triggered: its stop is past; ${CURE}`);
  if (!account.link.up || account.link.gap)
    return field('id', `${exchange} does not make this change in its place, and cannot be reached now`);
  const next = { ...order, ...change, type: typeAnew(order, triggered) };
  const left = { ...next, origQty: closePosition ? order.origQty : str(restAt(order, change.quantity)) };
  return (
    leftProblem(memory, left) ??
    priceProblem(account, left, change) ??
    checkFutures(memory, account, asRequest(left)).problems[0] ??
    null
  );
}

/** Checks the filters on the unfilled rest: its size, its notional, its visible parts. */
export function leftProblem(memory: EngineMemory, order: OrderRecord): Problem | null {
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n) return field('id', `${order.symbol} is no longer traded on ${order.exchange}`);
  if (order.closePosition) return null;
  const quantity = dec(order.origQty);
  const bad = checkQuantity('quantity', quantity, instrument, n, order.price === undefined);
  if (bad) return bad;
  const last = account.market.prices.get(order.symbol);
  const own = order.price ?? order.stopPrice;
  const price = own === undefined ? last : dec(own);
  const worth =
    price === undefined
      ? null
      : valueProblem(memory, account, order, { field: 'quantity', quantity, price }, instrument, n);
  return worth ?? icebergProblem(order, quantity, instrument.maxIcebergParts);
}

function icebergProblem({ icebergQty }: OrderRecord, quantity: Dec, most: number): Problem | null {
  if (icebergQty === undefined) return null;
  const visible = dec(icebergQty);
  const parts = (quantity + visible - 1n) / visible;
  if (parts <= BigInt(most)) return null;
  return field(
    'quantity',
    `quantity ${str(quantity)} would make ${parts} parts of ${icebergQty}; at most ${most}`,
  );
}

/**
 * Checks the prices that stay: they were accepted when the order was placed, but the market has moved since.
 */
function priceProblem(account: AccountMemory, order: OrderRecord, change: Amendment): Problem | null {
  const { symbol, side, type, price, stopPrice } = order;
  const last = account.market.prices.get(symbol);
  const instrument = account.instruments.get(symbol);
  const n = account.numbers.get(symbol);
  if (!instrument || !n) return null;
  if (price !== undefined) {
    const bad = change.price === undefined ? checkPrice('price', dec(price), instrument, n, last) : null;
    if (bad) return bad;
    const crosses = last !== undefined && (side === 'BUY' ? dec(price) >= last : dec(price) <= last);
    if (type === 'LIMIT_MAKER' && crosses)
      return field(
        'price',
        `price ${price} would take at once: the last price is ${str(last)}, and a LIMIT_MAKER only rests`,
      );
  }
  if (stopPrice === undefined || change.stopPrice !== undefined || !waitsThere(order)) return null;
  const now = watchedPrice(account, order);
  return now === undefined ? null : stopSideProblem(type, side, dec(stopPrice), now);
}

/** Returns the price that its trigger watches. */
export function watchedPrice(account: AccountMemory, order: OrderRecord): Dec | undefined {
  const { isContract, workingType, symbol } = order;
  const { market } = account;
  const mark = isContract && workingType === 'MARK_PRICE' ? market.marks.get(symbol) : undefined;
  return mark ?? market.prices.get(symbol);
}

function asRequest(order: OrderRecord) {
  const { symbol, side, type, positionSide, reduceOnly, closePosition, workingType } = order;
  return { symbol, side, type, positionSide, reduceOnly, closePosition, workingType };
}

function field(name: string, message: string): Problem {
  return { field: name, message, reason: 'FIELD' };
}
