/**
 * Fills that arrive before the price stream has reached their price (R11): their price is the last price
 * until a newer trade arrives. The exchange's times decide which is newer. In memory only. Pure.
 */

import { type Dec, dec, maxDec, minDec } from '../domain/decimal.ts';
import type { ExchangeFill } from '../domain/exchange.ts';
import { namesOf } from '../domain/exchange.ts';
import type { EngineMemory } from './memory.ts';
import type { EngineEvent } from './step.ts';

/**
 * How far the price stream may be behind a fill while the fill's price counts, ms of the exchange's time: no
 * stream is later, and a fill with a wrong time must not determine the last price for longer.
 */
export const FILL_AHEAD_MAX_MS = 10_000;

export class PricesAhead {
  /** Time of the stream's last price, by symbol. */
  readonly #told = new Map<string, number>();
  readonly #ahead = new Map<string, { readonly price: Dec; readonly time: number }>();

  /**
   * Returns the price of a fill that the stream has not reached; null: the stream's price is at least as new.
   */
  of(symbol: string): Dec | null {
    return this.#ahead.get(symbol)?.price ?? null;
  }

  /** Takes over the state of another memory of the same market. */
  copy(from: PricesAhead): void {
    for (const [symbol, time] of from.#told) this.#told.set(symbol, time);
    for (const [symbol, ahead] of from.#ahead) this.#ahead.set(symbol, ahead);
  }

  /** Handles a price of the stream; returns the last price. */
  told(symbol: string, price: Dec, time: number): Dec {
    this.#told.set(symbol, time);
    const ahead = this.#ahead.get(symbol);
    if (!ahead) return price;
    if (ahead.time > time && ahead.time - time <= FILL_AHEAD_MAX_MS) return ahead.price;
    this.#ahead.delete(symbol);
    return price;
  }

  /**
   * Handles a fill of one of the desk's orders; `last` is the last price so far. A maker's fill shows that
   * the market was at its limit or beyond.
   */
  filled(fill: ExchangeFill, last: Dec): Dec {
    const { symbol, side, maker, time } = fill;
    const price = dec(fill.price);
    const told = this.#told.get(symbol);
    const newest = this.#ahead.get(symbol)?.time ?? told;
    if (told === undefined || newest === undefined || time <= told || time < newest) return last;
    const beyond = side === 'BUY' ? minDec(price, last) : maxDec(price, last);
    const ahead = maker ? beyond : price;
    this.#ahead.set(symbol, { price: ahead, time });
    return ahead;
  }
}

/** Sets the last price from the stream, or from a newer fill of one of the desk's orders. */
export function lastPrice(
  memory: EngineMemory,
  event: Extract<EngineEvent, { type: 'market' | 'venue.fill' }>,
): void {
  if (event.type === 'market') {
    const { ahead, prices } = memory.market(event.market);
    prices.set(event.symbol, ahead.told(event.symbol, dec(event.price), event.time));
    return;
  }
  const { exchange, fill } = event;
  const { market, caps } = memory.account(exchange);
  const { ahead, prices } = market;
  const last = prices.get(fill.symbol);
  if (last === undefined || caps.pricesFirst) return;
  // A trade that the exchange makes by itself, as in a liquidation, has a price of its own.
  const order = memory.orderAt(exchange, namesOf(fill));
  if (order && !order.external) prices.set(fill.symbol, ahead.filled(fill, last));
}
