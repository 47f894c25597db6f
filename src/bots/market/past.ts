/**
 * The past that a run begins with: in one place for the live desk and the backtest, since otherwise they
 * would read different candles. Pure.
 */
import type { Candle } from '../../domain/rows.ts';
import { periodStart } from './candle.ts';
import type { CandleHub } from './candle-hub.ts';
import { DAY_MS } from './day-window.ts';

export interface MarketPast {
  readonly hub: CandleHub;
  /**
   * Closed candles with from <= open time < to, oldest first; null: they are not here yet, and are asked for
   * again.
   */
  readonly history: (symbol: string, frameMs: number, from: number, to: number) => readonly Candle[] | null;
}

/**
 * Gives a series as many closed candles as its readers want, at any moment within a candle. False: they are
 * not here yet.
 */
export function seedCandles({ hub, history }: MarketPast, symbol: string, frameMs: number): boolean {
  const wanted = hub.historyWanted(symbol, frameMs);
  if (wanted === 0) return true;
  const from = periodStart(hub.time, frameMs) - wanted * frameMs;
  const candles = history(symbol, frameMs, from, hub.time);
  if (candles) hub.history(symbol, frameMs, candles);
  return candles !== null;
}

/**
 * Gives the figures of the day what has traded in the last day so far. False: the candles are not here yet.
 */
export function seedDay({ hub, history }: MarketPast, symbol: string): boolean {
  const from = hub.dayHistoryFrom(symbol);
  if (from === null) return true;
  const candles = history(symbol, hub.dayBucketMs, Math.max(from, hub.time - DAY_MS), hub.time);
  if (candles) hub.dayHistory(symbol, candles);
  return candles !== null;
}
