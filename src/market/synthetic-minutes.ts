/**
 * Minutes built from a symbol's ticks: the current one and the closed ones of the last week. Whole ticks and
 * volume units.
 */
import type { CandleVisitor } from './synthetic-history.ts';
import type { TickCandle } from './synthetic-model.ts';
import { MINUTE_MS } from './timeframe.ts';

/** Number of closed minutes kept: a week. Older ones come from the store. */
const KEPT_MINUTES = 7 * 24 * 60;
const COLUMNS = 6;

export class RecentMinutes {
  /** The minute of the last tick; null before the first one. */
  forming: TickCandle | null = null;
  /** Time, open, high, low, close, volume of each closed minute, oldest first. */
  #closed: number[] = [];

  /** Adds a tick. Returns the minute that it closes, if it is the first of a later one. */
  add(time: number, price: number, volume: number): TickCandle | null {
    const forming = this.forming;
    if (forming !== null && time < forming.time + MINUTE_MS) {
      if (price > forming.high) forming.high = price;
      if (price < forming.low) forming.low = price;
      forming.close = price;
      forming.volume += volume;
      return null;
    }
    const minute = time - (time % MINUTE_MS);
    this.forming = { time: minute, open: price, high: price, low: price, close: price, volume };
    if (forming !== null) this.#keep(forming);
    return forming;
  }

  /** Continues with the current minute of a stored state; minutes from there on are forgotten. */
  restore(forming: TickCandle | null): void {
    this.forming = forming;
    this.#closed.length = forming === null ? 0 : this.#countBefore(forming.time) * COLUMNS;
  }

  /** Open time of the first minute known here, null when there is none. */
  get firstTime(): number | null {
    return this.#closed[0] ?? this.forming?.time ?? null;
  }

  /** Visits the minutes with from <= open time < to. The caller must ask for closed ones only. */
  visit(from: number, to: number, each: CandleVisitor): void {
    const closed = this.#closed;
    for (let at = this.#countBefore(from) * COLUMNS; at < closed.length; at += COLUMNS) {
      const time = closed[at] as number;
      if (time >= to) return;
      each(
        time,
        closed[at + 1] as number,
        closed[at + 2] as number,
        closed[at + 3] as number,
        closed[at + 4] as number,
        closed[at + 5] as number,
      );
    }
    const last = this.forming;
    if (last !== null && last.time >= from && last.time < to) {
      each(last.time, last.open, last.high, last.low, last.close, last.volume);
    }
  }

  /** Returns the close of the last minute that opened before `time`, null when none is known here. */
  closeBefore(time: number): number | null {
    if (this.forming !== null && this.forming.time < time) return this.forming.close;
    const count = this.#countBefore(time);
    return count === 0 ? null : (this.#closed[(count - 1) * COLUMNS + 4] as number);
  }

  #keep(candle: TickCandle): void {
    const closed = this.#closed;
    closed.push(candle.time, candle.open, candle.high, candle.low, candle.close, candle.volume);
    // Up to a tenth too many are kept, so that cutting is rare.
    if (closed.length > KEPT_MINUTES * COLUMNS * 1.1) this.#closed = closed.slice(-KEPT_MINUTES * COLUMNS);
  }

  #countBefore(time: number): number {
    let low = 0;
    let high = this.#closed.length / COLUMNS;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#closed[middle * COLUMNS] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
