/**
 * The candles of every market by market and symbol: the paper market's come from its feed, any other's from
 * the store. Closed candles only.
 */
import type { Candle } from '../../domain/rows.ts';
import { aggregate, closedFrames } from '../../market/aggregate.ts';
import type { Feed } from '../../market/feed.ts';
import type { Store } from '../../store/store.ts';
import { PAPER_MARKET } from '../../venues/paper/accounts.ts';
import type { LiveCandles } from './live/live-candles.ts';

const MINUTE_MS = 60_000;
/**
 * Most one-minute candles that one question reads from the store, the newest ones: the desk is blocked while
 * it reads and adds them up.
 */
export const STORED_MINUTES_MAX = 20_000;

export interface MarketHistory {
  /** Returns the smallest frame, ms. */
  frameMs(market: string): number;
  /** False: the symbol has no prices, and so no candles. */
  has(market: string, symbol: string): boolean;
  /**
   * Returns closed candles with `from` <= open time < `to`, oldest first; at most 5,000. For a live market
   * only those in memory.
   */
  candles(market: string, symbol: string, frameMs: number, from: number, to: number): readonly Candle[];
}

/**
 * Returns the same for a step that goes on without them; null: they are not here yet, and are being loaded.
 * `isPatient`: nobody waits for them.
 */
export type PastOf = (
  ...asked: [...Parameters<MarketHistory['candles']>, isPatient?: boolean]
) => readonly Candle[] | null;

export function marketHistory(
  feed: Pick<Feed, 'symbols' | 'frameMs' | 'candles'>,
  store: Pick<Store, 'candles'>,
  live: (market: string) => LiveCandles | undefined = () => undefined,
): MarketHistory & { readonly past: PastOf } {
  const past: PastOf = (market, symbol, frameMs, from, to, isPatient) => {
    const pushed = live(market);
    if (pushed) return pushed.read(symbol, frameMs, from, to, isPatient);
    if (market === PAPER_MARKET)
      return feed.symbols.includes(symbol) ? feed.candles(symbol, frameMs, from, to) : [];
    return storedFrames(frameMs, from, to, (start, end) => store.candles(market, symbol, start, end));
  };
  return {
    frameMs: (market) => (market === PAPER_MARKET ? (feed.frameMs ?? MINUTE_MS) : MINUTE_MS),
    has: (market, symbol) => market !== PAPER_MARKET || feed.symbols.includes(symbol),
    candles: (market, ...asked) => live(market)?.peek(...asked) ?? past(market, ...asked) ?? [],
    past,
  };
}

/** A frame whose last minute is missing has not closed. */
function storedFrames(
  frameMs: number,
  from: number,
  to: number,
  minutes: (start: number, end: number) => readonly Candle[],
): readonly Candle[] {
  if (frameMs % MINUTE_MS !== 0) return [];
  const asked = closedFrames(frameMs, from, to, Number.MAX_SAFE_INTEGER);
  if (!asked) return [];
  const most = Math.floor((STORED_MINUTES_MAX * MINUTE_MS) / frameMs);
  if (most === 0) return [];
  const found = minutes(Math.max(asked.start, asked.end - most * frameMs), asked.end);
  const present = (found.at(-1)?.time ?? 0) + MINUTE_MS;
  return aggregate(found, frameMs).filter(({ time }) => time + frameMs <= present);
}
