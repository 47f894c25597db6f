/**
 * Values computed from candles for drawing: averages, volume-weighted price, relative strength. One value per
 * candle, NaN where there are too few candles before it. Doubles, for drawing only; bots compute their own.
 * Pure, apart from the cache of `Curve`.
 */
import type { Candle } from '../../domain/rows.ts';
import { numbersOf } from '../ui/candle-numbers.ts';

const DAY_MS = 86_400_000;

/** State after a candle: the indicator's value, and what the next one needs. Immutable. */
interface Known {
  readonly value: number;
}

/** Processes candles, or their closes, one by one; `at` counts from 0. */
export interface Indicator<V, K extends Known = Known> {
  readonly start: K;
  next(known: K, value: V, at: number): K;
}

interface EmaKnown extends Known {
  /** Sum of the values seen before the first average. */
  readonly sum: number;
}

/** Exponential average of `length`: starts as the plain average of the first `length` values. */
export function ema(length: number): Indicator<number, EmaKnown> {
  const share = 2 / (length + 1);
  return {
    start: { value: Number.NaN, sum: 0 },
    next({ value: now, sum: before }, value, at) {
      if (at >= length) return { value: now + (value - now) * share, sum: before };
      const sum = before + value;
      return { value: at === length - 1 ? sum / length : Number.NaN, sum };
    },
  };
}

interface RsiKnown extends Known {
  readonly last: number;
  readonly up: number;
  readonly down: number;
}

/** Relative strength after Wilder, 0 to 100; 50 where the price has not moved. */
export function rsi(length: number): Indicator<number, RsiKnown> {
  return {
    start: { value: Number.NaN, last: Number.NaN, up: 0, down: 0 },
    next(known, value, at) {
      const change = at === 0 ? 0 : value - known.last;
      const [rise, fall] = [Math.max(0, change), Math.max(0, -change)];
      const grown = (before: number, by: number) =>
        at <= length ? before + by / length : before + (by - before) / length;
      const [up, down] = [grown(known.up, rise), grown(known.down, fall)];
      const strength = up + down === 0 ? 50 : (100 * up) / (up + down);
      return { value: at < length ? Number.NaN : strength, last: value, up, down };
    },
  };
}

interface VwapKnown extends Known {
  readonly day: number;
  readonly paid: number;
  readonly traded: number;
}

/**
 * Volume-weighted average price since the beginning of the UTC day; no value for candles of a day and longer.
 */
export function vwap(frameMs: number): Indicator<Candle, VwapKnown> {
  const start = { value: Number.NaN, day: Number.NaN, paid: 0, traded: 0 };
  return {
    start,
    next(known, candle) {
      if (frameMs >= DAY_MS) return start;
      const { high, low, close, volume } = numbersOf(candle);
      const day = Math.floor(candle.time / DAY_MS);
      const isSameDay = day === known.day;
      const paid = (isSameDay ? known.paid : 0) + ((high + low + close) / 3) * volume;
      const traded = (isSameDay ? known.traded : 0) + volume;
      return { value: traded > 0 ? paid / traded : Number.NaN, day, paid, traded };
    },
  };
}

/** A value of the candle itself, drawn unchanged. */
export function plainOf(read: (candle: Candle) => number): Indicator<Candle> {
  return { start: { value: Number.NaN }, next: (_, candle) => ({ value: read(candle) }) };
}

/** Turns an indicator of numbers into one of the candles' closes. */
export function ofCloses<K extends Known>({ start, next }: Indicator<number, K>): Indicator<Candle, K> {
  return { start, next: (known, candle, at) => next(known, numbersOf(candle).close, at) };
}

/**
 * An indicator over a list in which mostly the last value changes: values before the first change are not
 * computed again.
 */
export class Curve<V, K extends Known = Known> {
  readonly #indicator: Indicator<V, K>;
  #seen: readonly V[] = [];
  readonly #known: K[] = [];
  #values: readonly number[] = [];

  constructor(indicator: Indicator<V, K>) {
    this.#indicator = indicator;
  }

  /** Returns one value per element. `list` must not be changed afterwards. */
  of(list: readonly V[]): readonly number[] {
    let same = 0;
    const most = Math.min(list.length, this.#seen.length);
    while (same < most && list[same] === this.#seen[same]) same++;
    if (same === list.length && same === this.#seen.length) return this.#values;
    const values = this.#values.slice(0, same);
    this.#known.length = same;
    let now = this.#known.at(-1) ?? this.#indicator.start;
    for (let at = same; at < list.length; at++) {
      now = this.#indicator.next(now, list[at] as V, at);
      this.#known.push(now);
      values.push(now.value);
    }
    [this.#seen, this.#values] = [list, values];
    return values;
  }
}
