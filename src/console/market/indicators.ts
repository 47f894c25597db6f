/**
 * What is computed of candles to be drawn: averages, volume-weighted price, relative strength. One value a candle, no number where
 * there are too few before it. Doubles, for drawing only; bots compute their own. Pure.
 */
import type { Candle } from '../../domain/rows.ts';
import { numbersOf } from '../ui/candle-numbers.ts';

const DAY_MS = 86_400_000;

/** Exponential average of `length`: begins as the plain average of the first `length` values. */
export function emaOf(values: readonly number[], length: number): number[] {
  const out: number[] = [];
  const share = 2 / (length + 1);
  let sum = 0;
  let now = Number.NaN;
  for (const [at, value] of values.entries()) {
    if (at < length) {
      sum += value;
      if (at === length - 1) now = sum / length;
    } else now += (value - now) * share;
    out.push(now);
  }
  return out;
}

/** Relative strength after Wilder, 0 to 100; 50 where nothing has moved. */
export function rsiOf(values: readonly number[], length: number): number[] {
  const out: number[] = [];
  let [up, down] = [0, 0];
  for (const [at, value] of values.entries()) {
    const change = at === 0 ? 0 : value - (values[at - 1] as number);
    const [rise, fall] = [Math.max(0, change), Math.max(0, -change)];
    if (at <= length) {
      up += rise / length;
      down += fall / length;
    } else {
      up += (rise - up) / length;
      down += (fall - down) / length;
    }
    out.push(at < length ? Number.NaN : up + down === 0 ? 50 : (100 * up) / (up + down));
  }
  return out;
}

/** Price by volume since the beginning of the UTC day; none for candles of a day and longer. */
export function vwapOf(candles: readonly Candle[], frameMs: number): number[] {
  let [day, paid, traded] = [Number.NaN, 0, 0];
  return candles.map((candle) => {
    const { high, low, close, volume } = numbersOf(candle);
    const { time } = candle;
    if (frameMs >= DAY_MS) return Number.NaN;
    const own = Math.floor(time / DAY_MS);
    if (own !== day) [day, paid, traded] = [own, 0, 0];
    paid += ((high + low + close) / 3) * volume;
    traded += volume;
    return traded > 0 ? paid / traded : Number.NaN;
  });
}
