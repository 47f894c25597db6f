/**
 * Exponential moving average over closed candles, one step for each close (strategies.md 1, "RSI, EMA").
 * Binary numbers, as in `rsi.ts`.
 */

/** State of an EMA; plain JSON. */
export interface EmaSnapshot {
  readonly period: number;
  readonly closes: number;
  readonly sum: number;
  readonly value: number | null;
}

export class Ema {
  readonly period: number;
  /** Null until `period` closes are known. */
  value: number | null = null;
  readonly #weight: number;
  /** Closes of the seed and their sum. */
  #closes = 0;
  #sum = 0;

  constructor(period: number) {
    this.period = period;
    this.#weight = 2 / (period + 1);
  }

  static restore(snapshot: EmaSnapshot): Ema {
    const ema = new Ema(snapshot.period);
    ema.#closes = snapshot.closes;
    ema.#sum = snapshot.sum;
    ema.value = snapshot.value;
    return ema;
  }

  push(close: number): void {
    if (this.value !== null) {
      this.value += (close - this.value) * this.#weight;
      return;
    }
    this.#sum += close;
    if (++this.#closes === this.period) this.value = this.#sum / this.period;
  }

  /** Starts anew: the closes that follow are the first. */
  reset(): void {
    this.#closes = 0;
    this.#sum = 0;
    this.value = null;
  }

  snapshot(): EmaSnapshot {
    return { period: this.period, closes: this.#closes, sum: this.#sum, value: this.value };
  }
}
