/** What a run reads of the market: its candles, and the past that it begins with. Pure. */
import { type MarketPast, seedCandles, seedDay } from '../market/past.ts';
import type { Run } from '../run/run.ts';

const NONE: readonly (() => void)[] = [];

/** The subscriptions of one run at the candle hub. */
export class Subscriptions {
  readonly #run: Run;
  readonly #past: MarketPast;
  #releases: readonly (() => void)[] = NONE;
  /** Some past candles that the run reads are not here yet. */
  lacksPast = false;
  /** Frames of the subscribed candles, ms. */
  #frames: readonly number[] = [];

  constructor(run: Run, past: MarketPast) {
    this.#run = run;
    this.#past = past;
  }

  /** Subscribes what the run reads: at its start, and again when a runtime command has added a rule. */
  follow(): void {
    const { hub } = this.#past;
    const own = this.#run.settings.symbol;
    const { frames, days } = this.#run.needs();
    const releases: (() => void)[] = [];
    for (const { symbol = own, frameMs, ...needs } of frames) releases.push(hub.need(symbol, frameMs, needs));
    for (const symbol of days) releases.push(hub.needDay(symbol));
    this.seed();
    // Released last, so that candles that are still read never lack a reader.
    this.release();
    this.#frames = [...new Set(frames.map(({ frameMs }) => frameMs))];
    // Copied to its exact length: there are thousands of runs.
    this.#releases = releases.slice();
  }

  /** Loads the past of the candles and the days, as far as it is here. */
  seed(): void {
    const own = this.#run.settings.symbol;
    const { frames, days } = this.#run.needs();
    let lacks = 0;
    for (const { symbol = own, frameMs } of frames) if (!seedCandles(this.#past, symbol, frameMs)) lacks++;
    for (const symbol of days) if (!seedDay(this.#past, symbol)) lacks++;
    this.lacksPast = lacks > 0;
  }

  /**
   * True when the close of a candle is for this run: one of its own symbol and frames. An empty own symbol
   * means all symbols.
   */
  hears(symbol: string, frameMs: number): boolean {
    const own = this.#run.settings.symbol;
    return (own === symbol || own === '') && this.#frames.includes(frameMs);
  }

  /** Releases the subscriptions. */
  release(): void {
    for (const release of this.#releases) release();
    this.#releases = NONE;
  }
}
