/** The scale of a chart: from prices to rows, round steps for the axis, texts of prices and times. Pure. */
import { group } from './format.ts';
import { localText } from './zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Possible distances between two labels of the time axis, in minutes. */
const TIME_STEPS = [1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1_440, 2_880, 7_200, 14_400];
/** Longest text of a price on the axis; longer ones are written with an exponent. */
const MOST_DIGITS = 13;

/** Numbers closer than this can no longer be distinguished after halving. */
const LEAST = 1e-300;

export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * The range of all finite values; null without any. A flat range is widened, so that its value is in the
 * middle.
 */
export function rangeOf(values: Iterable<number>): Range | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? null : roomy({ low, high });
}

/** The range, widened around its value if it is flat. */
function roomy({ low, high }: Range): Range {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (spreadOf({ low, high }) > Math.max(size * 1e-12, LEAST)) return { low, high };
  const edge = size > LEAST * 1e6 ? size * 0.001 : 1;
  return { low: Math.max(low - edge, -Number.MAX_VALUE), high: Math.min(high + edge, Number.MAX_VALUE) };
}

/** The size of a range; finite also for one that spans all numbers. */
function spreadOf({ low, high }: Range): number {
  return Math.min(high - low, Number.MAX_VALUE);
}

/**
 * The place of a value among `steps`, 0 for the highest; values outside the range get the first or the last
 * place. Never falls when the value falls.
 */
export function placeOf(value: number, range: Range, steps: number): number {
  const share = range.high / 2 - Math.min(range.high, Math.max(range.low, value)) / 2;
  const whole = range.high / 2 - range.low / 2;
  const place = Math.round((share / whole) * (steps - 1));
  return Math.min(steps - 1, Math.max(0, place));
}

/** A round step of 1, 2 or 5 times a power of ten, at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (power * factor >= least) return power * factor;
  return power * 10;
}

/**
 * Round values for the axis of a range, at most one in three rows; none where floating point is too coarse.
 */
export function axisTicks(
  range: Range,
  height: number,
): { readonly step: number; readonly values: number[] } {
  const most = Math.max(1, Math.floor(height / 3));
  const step = roundStep(spreadOf(range) / most);
  const values: number[] = [];
  if (!(step > 0) || !Number.isFinite(step)) return { step: 1, values };
  for (let at = Math.ceil(range.low / step); values.length <= most && at * step <= range.high; at++) {
    values.push(at * step);
  }
  return { step, values };
}

/** A price of the axis with the decimals of its step. */
export function axisText(value: number, step: number): string {
  const places = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const text = Math.abs(value) < 1e15 ? group(value.toFixed(places)) : '';
  return text !== '' && text.length <= MOST_DIGITS ? text : value.toExponential(3);
}

/**
 * Step of time labels in whole days, hours or minutes, so that two labels are at least `columns` candles
 * apart, ms.
 */
export function timeStep(frameMs: number, columns: number): number {
  const least = frameMs * columns;
  const found = TIME_STEPS.find((minutes) => minutes * MINUTE_MS >= least);
  return found === undefined ? Math.ceil(least / DAY_MS) * DAY_MS : found * MINUTE_MS;
}

/** Label of a time: `14:05`, or `03-02` where a day begins or labels are days apart. */
export function timeLabel(time: number, before: number | null, step: number): string {
  const text = localText(time);
  if (text === null) return '';
  const newDay = before !== null && localText(before)?.slice(0, 10) !== text.slice(0, 10);
  return step >= DAY_MS || newDay ? text.slice(5, 10) : text.slice(11, 16);
}

/** Date and time in short: `03-02 14:05`. */
export function momentText(time: number): string {
  return localText(time)?.slice(5, 16).replace('T', ' ') ?? '–';
}
