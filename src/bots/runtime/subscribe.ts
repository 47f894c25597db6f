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

/** What one run has subscribed at the candle hub. */
export class Subscriptions {
  readonly #run: Run;
  readonly #past: MarketPast;
  /** By symbol, frame and needs. */
  readonly #subscribed = new Set<string>();
  readonly #releases: (() => void)[] = [];

  constructor(run: Run, past: MarketPast) {
    this.#run = run;
    this.#past = past;
  }

  /** Subscribes what the run reads and has not subscribed yet: at its start, and when a runtime command has given it a rule. */
  follow(): void {
    const { hub, history } = this.#past;
    const own = this.#run.settings.symbol;
    const { frames, day } = this.#run.needs();
    for (const { symbol = own, frameMs, ...needs } of frames) {
      if (this.#has(`${symbol} ${frameMs} ${JSON.stringify(needs)}`)) continue;
      this.#releases.push(hub.need(symbol, frameMs, needs));
      const wanted = hub.historyWanted(symbol, frameMs);
      if (wanted > 0)
        hub.history(symbol, frameMs, history(symbol, frameMs, hub.time - wanted * frameMs, hub.time));
    }
    if (!day || this.#has('day')) return;
    this.#releases.push(hub.needDay(own));
    const from = hub.dayHistoryFrom(own);
    if (from !== null)
      hub.dayHistory(own, history(own, hub.dayBucketMs, Math.max(from, hub.time - DAY_MS), hub.time));
  }

  /** Gives back what was subscribed. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
    this.#subscribed.clear();
  }

  #has(name: string): boolean {
    if (this.#subscribed.has(name)) return true;
    this.#subscribed.add(name);
    return false;
  }
}
