/**
 * Wilder's relative strength index over closed candles, one step for each close (strategies.md 1, "RSI,
 * EMA"). Binary numbers: an indicator is compared with a setting, never turned into a price or an amount.
 */

/** State of an RSI; plain JSON. */
export interface RsiSnapshot {
  readonly period: number;
  readonly changes: number;
  readonly gain: number;
  readonly loss: number;
  readonly close: number | null;
  readonly value: number | null;
  readonly previous: number | null;
}

export class Rsi {
  readonly period: number;
  /** Null until `period` changes, hence `period + 1` closes, are known. */
  value: number | null = null;
  /** The value one close earlier. */
  previous: number | null = null;
  /** Number of changes so far, at most `period`. */
  #changes = 0;
  /** Sums while the seed is incomplete, Wilder's averages from then on. */
  #gain = 0;
  #loss = 0;
  #close: number | null = null;

  constructor(period: number) {
    this.period = period;
  }

  static restore(snapshot: RsiSnapshot): Rsi {
    const rsi = new Rsi(snapshot.period);
    rsi.#changes = snapshot.changes;
    rsi.#gain = snapshot.gain;
    rsi.#loss = snapshot.loss;
    rsi.#close = snapshot.close;
    rsi.value = snapshot.value;
    rsi.previous = snapshot.previous;
    return rsi;
  }

  push(close: number): void {
    this.previous = this.value;
    const before = this.#close;
    this.#close = close;
    if (before === null) return;
    const gain = close > before ? close - before : 0;
    const loss = close < before ? before - close : 0;
    if (this.#changes < this.period) this.#seed(gain, loss);
    else {
      this.#gain = (this.#gain * (this.period - 1) + gain) / this.period;
      this.#loss = (this.#loss * (this.period - 1) + loss) / this.period;
    }
    if (this.#changes === this.period) this.value = index(this.#gain, this.#loss);
  }

  /** Starts anew: the closes that follow are the first. */
  reset(): void {
    this.#changes = 0;
    this.#gain = 0;
    this.#loss = 0;
    this.#close = null;
    this.value = null;
    this.previous = null;
  }

  snapshot(): RsiSnapshot {
    return {
      period: this.period,
      changes: this.#changes,
      gain: this.#gain,
      loss: this.#loss,
      close: this.#close,
      value: this.value,
      previous: this.previous,
    };
  }

  #seed(gain: number, loss: number): void {
    this.#gain += gain;
    this.#loss += loss;
    if (++this.#changes < this.period) return;
    this.#gain /= this.period;
    this.#loss /= this.period;
  }
}

/** 50 when the price never moved, 100 when it never fell. */
function index(gain: number, loss: number): number {
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}
