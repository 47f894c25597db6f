/**
 * What guards measure: what an account holds of a symbol, which of its orders take part in that, and what all of it is worth in
 * dollars. Where something is not sure the larger figure counts. Pure reads; nothing here decides.
 */
import { type Dec, dec, div, maxDec, minDec, mul, ZERO } from '../domain/decimal.ts';
import type { Guards } from '../domain/guards.ts';
import { mayBeOpen, type OrderRecord } from '../domain/order.ts';
import { positionKey } from '../domain/position.ts';
import type { OrderType, PositionSide, Side } from '../schemas/order.ts';
import { usdPrice } from './balances.ts';
import { isClosing } from './closing.ts';
import type { LossMemory } from './loss-figure.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { mostPriceOf, mostQuantityOf } from './most-of.ts';
import { signedAmount } from './positions.ts';

/** Window of `maxOrdersPerMinute`. */
export const MINUTE_MS = 60_000;

/** The guards of an account, as the engine keeps them. */
export interface GuardMemory {
  readonly set: Guards;
  /** Monotonic times at which entries were sent, oldest first; those of the last minute. */
  sent: number[];
  /** Of `dailyLossLimit`. */
  readonly loss: LossMemory;
}

/** What of an order its guards look at. */
export interface GuardedOrder {
  /** Of one that is in memory already: it does not count as another. */
  readonly id?: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: OrderType;
  readonly quantity: Dec;
  /** Its limit; null: at the market. */
  readonly price: Dec | null;
  /** What it waits for; null: for nothing, or not any more. */
  readonly trigger: Dec | null;
  /** What it may spend instead of a quantity. */
  readonly amount: Dec | null;
  /** Its exchange keeps it from opening anything. */
  readonly reduces: boolean;
  /** It asks for the end of the position, as a panic does: a close by origin, whatever is known of the size. */
  readonly endsPosition: boolean;
}

/** Of a stored order. `fired`: it waits for its trigger no more. */
export function guardedOf(order: OrderRecord, fired: boolean): GuardedOrder {
  const { id, symbol, side, positionSide, type } = order;
  const trigger = order.stopPrice ?? order.trailing?.activationPrice;
  return {
    id,
    symbol,
    side,
    positionSide,
    type,
    quantity: restOf(order),
    price: mostPriceOf(order),
    trigger: fired || trigger === undefined ? null : dec(trigger),
    amount: order.quoteOrderQty === undefined || fired ? null : dec(order.quoteOrderQty),
    reduces: order.reduceOnly || order.closePosition,
    endsPosition: order.closePosition,
  };
}

/** A run sends it to sell what it has bought. */
export function closesByOrigin(account: AccountMemory, order: OrderRecord): boolean {
  return account.futures ? isClosing(account, order) : order.side === 'SELL';
}

/**
 * It is no close, whatever else rests beside it: of two exits of one position none is taken for an entry. What only its exchange
 * can decide is not sure.
 */
export function surelyOpens(
  account: AccountMemory,
  { symbol, side, positionSide, quantity, reduces }: GuardedOrder,
): boolean {
  if (!account.futures) return side === 'BUY';
  if (reduces) return false;
  if (positionSide !== 'BOTH') return (positionSide === 'LONG') === (side === 'BUY');
  return quantity > maxDec(sizeOf(account, symbol, positionSide, side === 'SELL' ? 'BUY' : 'SELL'), ZERO);
}

/** What other open orders of this side take of the same position. */
export function othersTake(
  memory: EngineMemory,
  account: AccountMemory,
  { id, symbol, side }: GuardedOrder,
): Dec {
  let sum = ZERO;
  for (const other of openOrders(memory, account))
    if (other.id !== id && other.side === side && other.symbol === symbol) sum += restOf(other);
  return sum;
}

export function restOf(order: OrderRecord): Dec {
  return maxDec(mostQuantityOf(order) - dec(order.executedQty), ZERO);
}

export function* openOrders(memory: EngineMemory, { account }: AccountMemory): Generator<OrderRecord> {
  for (const order of memory.orders.values())
    if (order.exchange === account.id && mayBeOpen(order)) yield order;
}

/** Base units on a spot account, at most: what may be told already counts where it adds. */
export function heldOf(account: AccountMemory, symbol: string): Dec {
  const base = account.instruments.get(symbol)?.base ?? '';
  const told = account.wallet.balances.get(base);
  let held = told ? told.free + told.locked : ZERO;
  for (const { movement, doubtful } of account.wallet.untold.balances.get(base)?.movements() ?? []) {
    const by = movement.by.reduce((sum, part) => sum + part, ZERO);
    if (!doubtful || by > ZERO) held += by;
  }
  return held;
}

/** How far a contract's position goes in a direction, at most; below zero: it goes the other way. */
export function sizeOf(
  account: AccountMemory,
  symbol: string,
  positionSide: PositionSide,
  direction: Side,
): Dec {
  const key = positionKey(symbol, positionSide);
  const sign = direction === 'BUY' ? 1n : -1n;
  const told = account.futures?.positions.get(key);
  let size = told ? sign * signedAmount(told) : ZERO;
  for (const { movement, doubtful } of account.wallet.untold.positions.get(key)?.movements() ?? []) {
    const by = sign * (movement.by[0] ?? ZERO);
    if (!doubtful || by > ZERO) size += by;
  }
  return size;
}

export function openCount(memory: EngineMemory, account: AccountMemory, except?: string): number {
  let count = 0;
  for (const { id } of openOrders(memory, account)) if (id !== except) count += 1;
  return count;
}

/** Entries of the last minute. */
export function entriesOf(guards: GuardMemory, mono: number): number {
  const { sent } = guards;
  let over = 0;
  while (over < sent.length && (sent[over] as number) <= mono - MINUTE_MS) over += 1;
  if (over > 0) guards.sent = sent.slice(over);
  return guards.sent.length;
}

/** What an order may cost at the worst: its own price, or that of the market. A sale can do better than its limit. */
function priceOf(account: AccountMemory, { symbol, side, price, trigger }: GuardedOrder): Dec | null {
  const market = trigger ?? account.market.prices.get(symbol) ?? null;
  if (price === null) return market ?? account.futures?.marks.get(symbol) ?? null;
  return side === 'BUY' || market === null ? price : maxDec(price, market);
}

export function worthOf(account: AccountMemory, order: GuardedOrder): Dec | null {
  const rate = rateOf(account, order.symbol);
  if (rate === null) return null;
  if (order.amount !== null) return mul(order.amount, rate);
  const price = priceOf(account, order);
  return price === null ? null : mul(mul(order.quantity, price), rate);
}

/** Dollars for one of the symbol's quote. */
function rateOf(account: AccountMemory, symbol: string): Dec | null {
  return usdPrice(account.market, account.instruments.get(symbol)?.quote ?? '');
}

/**
 * What a symbol would be worth once everything has filled that goes the order's way: what is held that way, or less what is held
 * the other way, of which the cheapest orders are taken to close it. Null: no price is known.
 */
export function exposure(
  memory: EngineMemory,
  account: AccountMemory,
  like: Pick<GuardedOrder, 'id' | 'symbol' | 'side' | 'positionSide'>,
  added: readonly GuardedOrder[],
): Dec | null {
  const { symbol, side, positionSide, id } = like;
  const rate = rateOf(account, symbol);
  const all = [...added];
  for (const other of openOrders(memory, account)) {
    if (other.id === id || other.symbol !== symbol || other.side !== side) continue;
    if (other.positionSide !== positionSide || other.reduceOnly || other.closePosition) continue;
    all.push(guardedOf(other, other.phase === 'live' && other.isWorking));
  }
  let size = account.futures ? sizeOf(account, symbol, positionSide, side) : heldOf(account, symbol);
  const parts: { readonly quantity: Dec; readonly price: Dec }[] = [];
  for (const one of all) {
    const price = priceOf(account, one);
    if (price === null) return null;
    const quantity =
      one.amount === null || price === ZERO ? one.quantity : maxDec(one.quantity, div(one.amount, price));
    parts.push({ quantity, price });
  }
  parts.sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const mark = account.futures?.marks.get(symbol) ?? account.market.prices.get(symbol) ?? null;
  let value = ZERO;
  if (size > ZERO) {
    if (mark === null) return null;
    value += mul(size, mark);
  }
  for (const { quantity, price } of parts) {
    const closing = size < ZERO ? minDec(-size, quantity) : ZERO;
    size += closing;
    value += mul(quantity - closing, price);
  }
  return rate === null ? null : mul(value, rate);
}
