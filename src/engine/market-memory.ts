/**
 * The engine's memory of one market: a place where prices form (exchanges.md 1). An account trades on exactly
 * one, and several accounts may share one; a `BTCUSDT` on another market is unrelated. Plain data.
 */
import { type Dec, dec, div, ONE } from '../domain/decimal.ts';
import { type Instrument, spotAssetOf } from '../domain/instrument.ts';
import type { OrderRecord } from '../domain/order.ts';
import { PricesAhead } from './prices-ahead.ts';

export class MarketMemory {
  /** Last price per symbol. */
  readonly prices = new Map<string, Dec>();
  /** Last mark price per symbol, of contracts. */
  readonly marks = new Map<string, Dec>();
  /** Fills at prices that the price stream has not reached yet. */
  readonly ahead = new PricesAhead();
  /** Symbols whose base is a multiple of a spot asset: by asset and quote. */
  readonly #multiples = new Map<string, { readonly symbol: string; readonly multiplier: Dec }>();
  readonly #held = new Map<string, Set<string>>();
  /** Why the prices of a symbol do not arrive; the empty symbol: all symbols. */
  readonly #stale = new Map<string, string>();

  /** Returns the ids of the orders that the engine holds on a symbol, oldest first. */
  heldOn(symbol: string): readonly string[] {
    return [...(this.#held.get(symbol) ?? [])];
  }

  /** Returns the ids of the held orders of all symbols. */
  heldIds(): readonly string[] {
    return [...this.#held.values()].flatMap((ids) => [...ids]);
  }

  /** Returns why the prices of a symbol do not arrive; null: they do. */
  staleWhy(symbol: string): string | null {
    return this.#stale.get(symbol) ?? this.#stale.get('') ?? null;
  }

  /** Sets why the prices do not arrive; `why` null: they arrive again. An empty symbol: all of them. */
  setStale(symbol: string, why: string | null): void {
    if (why === null) this.#stale.delete(symbol);
    else this.#stale.set(symbol, why);
  }

  /** Takes over what another engine knew of the market. */
  copyStale(from: MarketMemory): void {
    for (const [symbol, why] of from.#stale) this.#stale.set(symbol, why);
  }

  /** Returns the symbols on which orders are held. */
  heldSymbols(): readonly string[] {
    return [...this.#held.keys()];
  }

  addMultiple(instrument: Instrument): void {
    const { symbol, quote, multiplier } = instrument;
    if (multiplier === undefined) return;
    this.#multiples.set(`${spotAssetOf(instrument)} ${quote}`, { symbol, multiplier: dec(multiplier) });
  }

  /** Returns the last price of one unit of an asset, also where it trades only in multiples. */
  priceOf(asset: string, quote: string): Dec | undefined {
    const own = this.prices.get(asset + quote);
    if (own !== undefined || this.#multiples.size === 0) return own;
    const several = this.#multiples.get(`${asset} ${quote}`);
    const price = several && this.prices.get(several.symbol);
    return price === undefined ? undefined : div(price, several?.multiplier ?? ONE);
  }

  hold({ id, symbol }: Pick<OrderRecord, 'id' | 'symbol'>): void {
    let ids = this.#held.get(symbol);
    if (!ids) {
      ids = new Set();
      this.#held.set(symbol, ids);
    }
    ids.add(id);
  }

  unhold({ id, symbol }: Pick<OrderRecord, 'id' | 'symbol'>): void {
    const ids = this.#held.get(symbol);
    ids?.delete(id);
    if (ids?.size === 0) this.#held.delete(symbol);
  }
}
