/**
 * The figures that guards measure: the position of an account in a symbol, the orders that count toward it,
 * and the value of both in dollars. Where something is uncertain the larger figure counts. Pure reads;
 * nothing here decides.
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
import { maxPriceOf, mostQuantityOf } from './pending-maximum.ts';
import { signedAmount } from './positions.ts';

/** Window of `maxOrdersPerMinute`, ms. */
export const MINUTE_MS = 60_000;

/** The guards of an account, as the engine keeps them. */
export interface GuardMemory {
  readonly set: Guards;
  /** Monotonic times at which entries were sent in the last minute, oldest first. */
  sent: number[];
  /** State of `dailyLossLimit`. */
  readonly loss: LossMemory;
}

/** The fields of an order that its guards check. */
export interface GuardedOrder {
  /** Id of an order that is in memory already, which must not count twice. */
  readonly id?: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: OrderType;
  readonly quantity: Dec;
  /** Its limit price; null: a market order. */
  readonly price: Dec | null;
  /** Its trigger price; null: it waits for none, or not any more. */
  readonly trigger: Dec | null;
  /** The amount that it may spend, in place of a quantity. */
  readonly amount: Dec | null;
  /** Its exchange keeps it from opening anything. */
  readonly reduces: boolean;
  /**
   * The order asks for the end of the position, as a panic does: it counts as a close, whatever is known of
   * the size.
   */
  readonly endsPosition: boolean;
}

/** Returns these fields of a stored order. `fired`: it does not wait for its trigger any more. */
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
    price: maxPriceOf(order),
    trigger: fired || trigger === undefined ? null : dec(trigger),
    amount: order.quoteOrderQty === undefined || fired ? null : dec(order.quoteOrderQty),
    reduces: order.reduceOnly || order.closePosition,
    endsPosition: order.closePosition,
  };
}

/** Returns whether a run sends the order to sell what the run has bought. */
export function closesByOrigin(account: AccountMemory, order: OrderRecord): boolean {
  return account.futures ? isClosing(account, order) : order.side === 'SELL';
}

/**
 * Returns whether the order is certainly no close, whatever else rests beside it: of two exits of one
 * position neither counts as an entry. Where only its exchange can decide, it is not certain.
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

/** Returns how much other open orders of this side take of the same position. */
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

/** Returns the most that a spot account may hold, in base units: a doubtful movement counts where it adds. */
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

/**
 * Returns the most by which a contract's position may extend in a direction; negative: it extends the other
 * way.
 */
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

/** Returns the number of entries in the last minute. */
export function entriesOf(guards: GuardMemory, mono: number): number {
  const { sent } = guards;
  let over = 0;
  while (over < sent.length && (sent[over] as number) <= mono - MINUTE_MS) over += 1;
  if (over > 0) guards.sent = sent.slice(over);
  return guards.sent.length;
}

/**
 * Returns the worst price of an order: its own, or the market's. A sale may get a better price than its
 * limit.
 */
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

/** Returns the dollars for one unit of the symbol's quote. */
function rateOf(account: AccountMemory, symbol: string): Dec | null {
  return usdPrice(account.market, account.instruments.get(symbol)?.quote ?? '');
}

/**
 * Returns the value of a symbol after every order on this order's side has filled: the position on that side,
 * or less the position on the other side, which the cheapest orders are assumed to close. Null: no price is
 * known.
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
