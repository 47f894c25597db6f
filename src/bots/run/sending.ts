/**
 * A wanted order as it is sent: its type and its prices, rounded as the exchange takes them (strategies.md 1
 * "Rounding", 2 "orders"). Pure.
 */
import { ceilTo, type Dec, div, floorTo, mul, ONE, roundTo, ZERO } from '../../domain/decimal.ts';
import type { OrderWay } from '../settings/compiled.ts';
import type { RunOrderType, Wanted } from './contract.ts';

const HUNDRED = 100n * ONE;

export interface Sent {
  readonly type: RunOrderType;
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
}

/** The order as the strategy wants it to rest. */
export function asWanted(want: Wanted, side: 'BUY' | 'SELL', tick: Dec): Sent {
  return {
    type: want.type,
    price: want.price === null ? null : limitPrice(want.price, side, tick),
    stopPrice: want.stopPrice === null ? null : roundTo(want.stopPrice, tick),
  };
}

/** The order of a stop that has fired, or the rest of one that the exchange has triggered. */
function asTriggered(want: Wanted, side: 'BUY' | 'SELL', tick: Dec): Sent {
  if (want.price === null) return { type: 'MARKET', price: null, stopPrice: null };
  return { type: 'LIMIT', price: limitPrice(want.price, side, tick), stopPrice: null };
}

/** The order to execute at once: MARKET, or LIMIT some percent worse than the price. */
export function asNow(way: OrderWay | null, side: 'BUY' | 'SELL', price: Dec | null, tick: Dec): Sent {
  if (!way || way.type === 'MARKET' || way.worsePercent === ZERO || price === null) {
    return { type: 'MARKET', price: null, stopPrice: null };
  }
  const factor = side === 'BUY' ? HUNDRED + way.worsePercent : HUNDRED - way.worsePercent;
  return { type: 'LIMIT', price: limitPrice(div(mul(price, factor), HUNDRED), side, tick), stopPrice: null };
}

/**
 * Chooses the type and prices to send. `orders` applies to entries and targets. A sale at MARKET (a stop, the
 * end of a run) must not be left resting.
 */
export function sentAs(
  want: Wanted,
  fired: boolean,
  way: OrderWay | null,
  side: 'BUY' | 'SELL',
  price: Dec | null,
  tick: Dec,
): Sent {
  if (fired && want.stopPrice !== null) return asTriggered(want, side, tick);
  const atMarket = want.type === 'MARKET' && want.stopPrice === null;
  const goesNow = fired || (atMarket && want.role === 'entry');
  return goesNow ? asNow(way, side, price, tick) : asWanted(want, side, tick);
}

/** Rounds a buy's price down to the tick, a sale's price up. */
export function limitPrice(price: Dec, side: 'BUY' | 'SELL', tick: Dec): Dec {
  return side === 'BUY' ? floorTo(price, tick) : ceilTo(price, tick);
}
