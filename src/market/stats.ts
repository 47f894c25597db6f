/**
 * Figures of the last 24 hours for watchlists, computed from a feed's candles: as exact as the feed's
 * smallest frame.
 */
import type { Candle } from '../domain/rows.ts';
import { compareDecimals, frameStart } from './aggregate.ts';
import type { Feed } from './feed.ts';
import { DAY_MS, MINUTE_MS } from './timeframe.ts';

/** Frame of the candles from which a day's figures are computed, unless the feed's own is larger. */
const STATS_FRAME_MS = 15 * MINUTE_MS;

/** The last 24 hours of a symbol; decimal strings. */
export interface DayStats {
  /** Price 24 hours ago, or the oldest known one since. */
  readonly open: string;
  readonly high: string;
  readonly low: string;
}

/**
 * Returns the price of a symbol when the candle that contains `time` opened, null when none is known. For
 * past times.
 */
export function priceAt(feed: Feed, symbol: string, time: number): string | null {
  const frameMs = feed.frameMs ?? MINUTE_MS;
  const open = frameStart(time, frameMs);
  return feed.candles(symbol, frameMs, open - frameMs, open).at(-1)?.close ?? null;
}

/** Returns the price 24 hours before `marketTime`, or the oldest known one since; null when none is known. */
export function open24h(feed: Feed, symbol: string, marketTime: number): string | null {
  const from = marketTime - DAY_MS;
  return priceAt(feed, symbol, from) ?? lastDay(feed, symbol, marketTime)[0]?.open ?? null;
}

/**
 * Returns open, high and low of the last 24 hours of closed candles; null when there are none. The caller
 * adds the last price.
 */
export function stats24h(feed: Feed, symbol: string, marketTime: number): DayStats | null {
  const candles = lastDay(feed, symbol, marketTime);
  const first = candles[0];
  if (!first) return null;
  let { high, low } = first;
  for (const candle of candles) {
    if (compareDecimals(candle.high, high) > 0) high = candle.high;
    if (compareDecimals(candle.low, low) < 0) low = candle.low;
  }
  return { open: priceAt(feed, symbol, marketTime - DAY_MS) ?? first.open, high, low };
}

function lastDay(feed: Feed, symbol: string, marketTime: number): Candle[] {
  const frameMs = Math.max(STATS_FRAME_MS, feed.frameMs ?? MINUTE_MS);
  return feed.candles(symbol, frameMs, marketTime - DAY_MS, marketTime);
}
