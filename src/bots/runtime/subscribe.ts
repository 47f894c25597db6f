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

const NONE: readonly (() => void)[] = [];

/** What one run has subscribed at the candle hub. */
export class Subscriptions {
  readonly #run: Run;
  readonly #past: MarketPast;
  #releases: readonly (() => void)[] = NONE;

  constructor(run: Run, past: MarketPast) {
    this.#run = run;
    this.#past = past;
  }

  /** Subscribes what the run reads: at its start, and anew when a runtime command has given it a rule. */
  follow(): void {
    const { hub, history } = this.#past;
    const own = this.#run.settings.symbol;
    const { frames, day } = this.#run.needs();
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
    // Afterwards: what is read on is never without a reader.
    this.release();
    // As long as needed: there are thousands of runs.
    this.#releases = releases.slice();
  }

  /** Gives back what was subscribed. */
  release(): void {
    for (const release of this.#releases) release();
    this.#releases = NONE;
  }
}
