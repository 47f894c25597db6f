/**
 * Prices of the past for the PnL book: the close of the last candle before a time, on the market that an
 * account trades on; at `END_OF_TIME` the present prices. The same question has the same answer while the
 * same candles exist.
 */
import { type Dec, dec } from '../../domain/decimal.ts';
import { marketOf } from '../../domain/exchange.ts';
import { usdPrice, usdPriceTo } from '../../engine/balances.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import type { BookPrices } from '../../engine/pnl/wallet-book.ts';
import type { MarketHistory } from '../market/market-history.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * Frames that are searched, with how far back: a market may have had no trades, or be known by its hours
 * only.
 */
const FRAMES = [
  [MINUTE_MS, 15],
  [HOUR_MS, 24],
  [DAY_MS, 14],
] as const;
/** Most closes in the cache; beyond it the cache is emptied. */
export const PNL_CLOSES_MAX = 50_000;
/** Stands for now, where the range has no end. */
export const END_OF_TIME = Number.MAX_SAFE_INTEGER;

export class PnlPrices {
  readonly #history: Pick<MarketHistory, 'candles'>;
  /** By market, symbol and minute. */
  readonly #closes = new Map<string, Dec | null>();

  constructor(history: Pick<MarketHistory, 'candles'>) {
    this.#history = history;
  }

  /** Returns the prices as the book of one wallet asks for them. */
  of(accounts: readonly AccountMemory[]): BookPrices {
    const [first] = accounts;
    const markets = [...new Set(accounts.map(({ account }) => marketOf(account)))];
    return {
      usd: (asset, time) => {
        if (time === END_OF_TIME) return first ? usdPriceTo(first, asset) : null;
        for (const market of markets) {
          const past = {
            priceOf: (base: string, quote: string) => this.close(market, base + quote, time) ?? undefined,
          };
          const price = usdPrice(past, asset);
          if (price !== null) return price;
        }
        return null;
      },
      mark: (id, symbol, time) => {
        const account = accounts.find((one) => one.account.id === id);
        if (!account) return null;
        if (time === END_OF_TIME) return markNow(account, symbol);
        return this.close(marketOf(account.account), symbol, time);
      },
    };
  }

  /** Returns the close of the last candle that had closed by then; null: none is known. */
  close(market: string, symbol: string, time: number): Dec | null {
    const minute = Math.floor(time / MINUTE_MS);
    const key = `${market} ${symbol} ${minute}`;
    const known = this.#closes.get(key);
    if (known !== undefined) return known;
    const found = this.#find(market, symbol, minute * MINUTE_MS);
    if (this.#closes.size >= PNL_CLOSES_MAX) this.#closes.clear();
    this.#closes.set(key, found);
    return found;
  }

  #find(market: string, symbol: string, time: number): Dec | null {
    for (const [frameMs, frames] of FRAMES) {
      const to = Math.floor(time / frameMs) * frameMs;
      const last = this.#history.candles(market, symbol, frameMs, to - frames * frameMs, to).at(-1);
      if (last) return dec(last.close);
    }
    return null;
  }
}

/** Returns the mark price by which the engine values a position now. */
function markNow({ futures }: AccountMemory, symbol: string): Dec | null {
  const mark = futures?.marks.get(symbol);
  if (mark !== undefined) return mark;
  for (const position of futures?.positions.values() ?? [])
    if (position.symbol === symbol) return dec(position.markPrice);
  return null;
}
