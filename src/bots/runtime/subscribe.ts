/** What a run hears of the market: its candles, and the past that it begins with. Pure. */
import { type MarketPast, seedCandles, seedDay } from '../market/past.ts';
import type { Run } from '../run/run.ts';

const NONE: readonly (() => void)[] = [];

/** What one run has subscribed at the candle hub. */
export class Subscriptions {
  readonly #run: Run;
  readonly #past: MarketPast;
  #releases: readonly (() => void)[] = NONE;
  /** Something of the past that it reads is not here yet. */
  lacksPast = false;
  /** Frames of them, ms. */
  #frames: readonly number[] = [];

  constructor(run: Run, past: MarketPast) {
    this.#run = run;
    this.#past = past;
  }

  /** Subscribes what the run reads: at its start, and anew when a runtime command has given it a rule. */
  follow(): void {
    const { hub } = this.#past;
    const own = this.#run.settings.symbol;
    const { frames, day } = this.#run.needs();
    const releases: (() => void)[] = [];
    for (const { symbol = own, frameMs, ...needs } of frames) releases.push(hub.need(symbol, frameMs, needs));
    if (day) releases.push(hub.needDay(own));
    this.seed();
    // Afterwards: what is read on is never without a reader.
    this.release();
    this.#frames = [...new Set(frames.map(({ frameMs }) => frameMs))];
    // As long as needed: there are thousands of runs.
    this.#releases = releases.slice();
  }

  /** Gives the candles and the day their past, as far as it is here. */
  seed(): void {
    const own = this.#run.settings.symbol;
    const { frames, day } = this.#run.needs();
    let lacks = 0;
    for (const { symbol = own, frameMs } of frames) if (!seedCandles(this.#past, symbol, frameMs)) lacks++;
    if (day && !seedDay(this.#past, own)) lacks++;
    this.lacksPast = lacks > 0;
  }

  /** The close of a candle is for this run: others have candles of theirs. An empty symbol of its own stands for all. */
  hears(symbol: string, frameMs: number): boolean {
    const own = this.#run.settings.symbol;
    return (own === symbol || own === '') && this.#frames.includes(frameMs);
  }

  /** Gives back what was subscribed. */
  release(): void {
    for (const release of this.#releases) release();
    this.#releases = NONE;
  }
}
