/**
 * The last 24 hours of a symbol in buckets: quote volume and the price a day ago, kept up with every tick.
 * Exactness: what ticks brought in is exact but for when it leaves: the window reaches back to the start of the bucket
 * in which the moment 24 h ago lies, so it holds up to one bucket more than a day, and the price 24 h ago is the first
 * one in that bucket (its close before, when nothing traded in it). Of a candle of history the quote volume is its base
 * volume at the mean of its four prices: just what playing it as four ticks would bring in. What traded in the bucket in
 * progress before anybody needed the figures is missing. Minute buckets take up to some 140 kB a symbol, quarter hours 10.
 */
import { type Dec, div, ONE, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { periodStart, readCandle } from './candle.ts';
import type { DayFigures } from './view.ts';

export const DAY_MS = 86_400_000;

/** Figures of a symbol of which nothing is known. */
export const NO_FIGURES: DayFigures = { quoteVolume: ZERO, changePercent: null };

export class DayWindow {
  readonly #bucketMs: number;
  /** Buckets of a day and the one in progress. */
  readonly #count: number;
  /** By bucket number modulo `#count`: the first price in it; null where none is known. */
  readonly #opens: (Dec | null)[];
  /** Sums of price times base volume, not yet cut to 30 places. */
  readonly #volumes: bigint[];
  /** Number of the bucket in progress, counted from the epoch; -1 before the first. */
  #newest = -1;
  #untouched = true;
  #close: Dec | null = null;
  /** Of all buckets. */
  #total = 0n;
  /** The last answer while nothing has changed. */
  #figures: DayFigures | null = null;
  #seeded = false;

  constructor(bucketMs: number) {
    this.#bucketMs = bucketMs;
    this.#count = Math.ceil(DAY_MS / bucketMs) + 1;
    this.#opens = Array<Dec | null>(this.#count).fill(null);
    this.#volumes = Array<bigint>(this.#count).fill(0n);
  }

  /** False until `seed` was called. */
  get seeded(): boolean {
    return this.#seeded;
  }

  /** Open time of the oldest bucket at `now`. */
  from(now: number): number {
    return periodStart(now, this.#bucketMs) - (this.#count - 1) * this.#bucketMs;
  }

  /** Begins anew with candles of at least a bucket's length, oldest first. */
  seed(candles: readonly Candle[]): void {
    this.#seeded = true;
    this.#clear();
    for (const row of candles) {
      const { time, open, high, low, close, volume } = readCandle(row);
      this.#add(time, open, ((open + high + low + close) * volume) / 4n);
      this.#close = close;
    }
  }

  tick(time: number, price: Dec, volume: Dec): void {
    this.#add(time, price, price * volume);
    this.#close = price;
  }

  figures(now: number): DayFigures {
    const number = Math.floor(now / this.#bucketMs);
    if (number > this.#newest) this.#rollTo(number);
    this.#figures ??= { quoteVolume: this.#total / ONE, changePercent: this.#change() };
    return this.#figures;
  }

  #add(time: number, price: Dec, product: bigint): void {
    const number = Math.floor(time / this.#bucketMs);
    if (number > this.#newest) this.#rollTo(number);
    const at = this.#newest % this.#count;
    if (this.#untouched) {
      this.#opens[at] = price;
      this.#untouched = false;
    }
    this.#figures = null;
    if (product === 0n) return;
    this.#volumes[at] = (this.#volumes[at] as bigint) + product;
    this.#total += product;
  }

  /** Begins every bucket up to `number`, a round of them at most; each takes the place of the one a day older. */
  #rollTo(number: number): void {
    this.#newest = Math.max(this.#newest, number - this.#count);
    while (this.#newest < number) {
      this.#newest++;
      const at = this.#newest % this.#count;
      this.#total -= this.#volumes[at] as bigint;
      this.#volumes[at] = 0n;
      this.#opens[at] = this.#close;
    }
    this.#untouched = true;
    this.#figures = null;
  }

  #change(): Dec | null {
    const before = this.#opens[(this.#newest + 1) % this.#count] ?? null;
    if (before === null || this.#close === null || before <= ZERO) return null;
    return div((this.#close - before) * 100n, before);
  }

  #clear(): void {
    this.#opens.fill(null);
    this.#volumes.fill(0n);
    this.#newest = -1;
    this.#untouched = true;
    this.#close = null;
    this.#total = 0n;
    this.#figures = null;
  }
}
