/**
 * Fills that are told before the price stream has come to their price (R11): the last price is theirs until a newer trade is
 * told. Which is the newer one the exchange's times say. In memory only. Pure.
 */

import { type Dec, dec, maxDec, minDec } from '../domain/decimal.ts';
import type { ExchangeFill } from '../domain/exchange.ts';
import { namesOf } from '../domain/exchange.ts';
import type { EngineMemory } from './memory.ts';
import type { EngineEvent } from './step.ts';

/**
 * How far behind a fill the price stream may be while the fill's price counts, ms of the exchange's time: no stream is later,
 * and a fill with a wrong time must not hold the last price for longer.
 */
export const FILL_AHEAD_MAX_MS = 10_000;

export class PricesAhead {
  /** Time of the stream's last price, by symbol. */
  readonly #told = new Map<string, number>();
  readonly #ahead = new Map<string, { readonly price: Dec; readonly time: number }>();

  /** The price of a fill that the stream has not come to; null: the stream's is as new. */
  of(symbol: string): Dec | null {
    return this.#ahead.get(symbol)?.price ?? null;
  }

  /** Takes over what another memory of the same market knows. */
  copy(from: PricesAhead): void {
    for (const [symbol, time] of from.#told) this.#told.set(symbol, time);
    for (const [symbol, ahead] of from.#ahead) this.#ahead.set(symbol, ahead);
  }

  /** The stream tells a price; what is answered is the last price. */
  told(symbol: string, price: Dec, time: number): Dec {
    this.#told.set(symbol, time);
    const ahead = this.#ahead.get(symbol);
    if (!ahead) return price;
    if (ahead.time > time && ahead.time - time <= FILL_AHEAD_MAX_MS) return ahead.price;
    this.#ahead.delete(symbol);
    return price;
  }

  /** A fill of one of our orders, while `last` is the last price. A maker's says that the market was at its limit or beyond. */
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

/** Sets the last price by what the stream tells, or by a newer fill of an order of ours. */
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
  // What the exchange trades by itself, as in a liquidation, is at a price of its own.
  const order = memory.orderAt(exchange, namesOf(fill));
  if (order && !order.external) prices.set(fill.symbol, ahead.filled(fill, last));
}
