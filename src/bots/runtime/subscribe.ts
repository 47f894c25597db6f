/** What a run hears of the market: its candles, and the past that it begins with. Pure. */
import type { Candle } from '../../domain/rows.ts';
import type { CandleHub } from '../market/candle-hub.ts';
import { DAY_MS } from '../market/day-window.ts';
import type { Run } from '../run/run.ts';

export interface MarketPast {
  readonly hub: CandleHub;
  /** Closed candles of the feed with from <= open time < to, oldest first. */
  readonly history: (symbol: string, frameMs: number, from: number, to: number) => readonly Candle[];
}

/** @param own the run's symbol; returns the ways to give back what was subscribed */
export function subscribe(run: Run, own: string, { hub, history }: MarketPast): (() => void)[] {
  const { frames, day } = run.needs();
  const releases: (() => void)[] = [];
  for (const { symbol = own, frameMs, ...needs } of frames) {
    releases.push(hub.need(symbol, frameMs, needs));
    const wanted = hub.historyWanted(symbol, frameMs);
    if (wanted > 0)
      hub.history(symbol, frameMs, history(symbol, frameMs, hub.time - wanted * frameMs, hub.time));
  }
  if (day) {
    releases.push(hub.needDay(own));
    const from = hub.dayHistoryFrom(own);
    if (from !== null)
      hub.dayHistory(own, history(own, hub.dayBucketMs, Math.max(from, hub.time - DAY_MS), hub.time));
  }
  return releases;
}
