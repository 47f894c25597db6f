/** The past that a run begins with: one place for the live desk and the backtest, or they would read different candles. Pure. */
import type { Candle } from '../../domain/rows.ts';
import { periodStart } from './candle.ts';
import type { CandleHub } from './candle-hub.ts';
import { DAY_MS } from './day-window.ts';

export interface MarketPast {
  readonly hub: CandleHub;
  /** Closed candles with from <= open time < to, oldest first. */
  readonly history: (symbol: string, frameMs: number, from: number, to: number) => readonly Candle[];
}

/** Gives a series as many closed candles as its readers want, however far into a candle the moment is. */
export function seedCandles({ hub, history }: MarketPast, symbol: string, frameMs: number): void {
  const wanted = hub.historyWanted(symbol, frameMs);
  if (wanted === 0) return;
  const from = periodStart(hub.time, frameMs) - wanted * frameMs;
  hub.history(symbol, frameMs, history(symbol, frameMs, from, hub.time));
}

/** Gives the figures of the day what has traded in it so far. */
export function seedDay({ hub, history }: MarketPast, symbol: string): void {
  const from = hub.dayHistoryFrom(symbol);
  if (from === null) return;
  const candles = history(symbol, hub.dayBucketMs, Math.max(from, hub.time - DAY_MS), hub.time);
  hub.dayHistory(symbol, candles);
}
