/**
 * Builds candles of a larger frame from smaller ones, exactly: prices keep their text, volumes are added as
 * decimals. A frame without a trade is flat at the previous close with volume 0 (`strategies.md` 1). Pure.
 */
import { DECIMAL_PLACES, dec, str } from '../domain/decimal.ts';
import type { Candle } from '../domain/rows.ts';
import { MAX_SCALED } from './scaled.ts';

/** Most candles in one response; the newest are kept. */
export const MAX_CANDLES = 5_000;

/** Compares two plain decimal texts by value. Doubles decide unless both texts round to the same one. */
export function compareDecimals(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (difference !== 0 || a === b) return difference;
  const exactA = dec(a);
  const exactB = dec(b);
  return exactA < exactB ? -1 : exactA > exactB ? 1 : 0;
}

/** Returns the open time of the frame that contains `time`; frames are aligned to the Unix epoch. */
export function frameStart(time: number, frameMs: number): number {
  return Math.floor(time / frameMs) * frameMs;
}

/** Returns the first frame boundary at or after `time`. */
export function frameCeil(time: number, frameMs: number): number {
  return Math.ceil(time / frameMs) * frameMs;
}

export interface FrameRange {
  /** Open time of the first frame. */
  readonly start: number;
  /** Close time of the last frame. */
  readonly end: number;
}

/**
 * Returns the range of the frames with from <= open time < to that are closed at `present`; the newest 5,000
 * of them. Null when there are none.
 */
export function closedFrames(frameMs: number, from: number, to: number, present: number): FrameRange | null {
  const end = Math.min(frameCeil(to, frameMs), frameStart(present, frameMs));
  const start = Math.max(frameCeil(from, frameMs), end - MAX_CANDLES * frameMs);
  return start < end ? { start, end } : null;
}

/** Adds up candles, in time order, into frames of `frameMs`. */
export class CandleFrames {
  readonly #frameMs: number;
  readonly #sum = new DecimalSum();
  readonly #out: Candle[] = [];
  #time = Number.NaN;
  #open = '';
  #high = '';
  #low = '';
  #close = '';

  constructor(frameMs: number) {
    this.#frameMs = frameMs;
  }

  add(time: number, open: string, high: string, low: string, close: string, volume: string): void {
    const frame = frameStart(time, this.#frameMs);
    if (frame !== this.#time) {
      this.#flush();
      this.#time = frame;
      this.#open = open;
      this.#high = high;
      this.#low = low;
    } else {
      if (compareDecimals(high, this.#high) > 0) this.#high = high;
      if (compareDecimals(low, this.#low) < 0) this.#low = low;
    }
    this.#close = close;
    this.#sum.add(volume);
  }

  /** Returns the frames that had a candle, oldest first. */
  finish(): Candle[] {
    this.#flush();
    this.#time = Number.NaN;
    return this.#out;
  }

  #flush(): void {
    if (Number.isNaN(this.#time)) return;
    this.#out.push({
      time: this.#time,
      open: this.#open,
      high: this.#high,
      low: this.#low,
      close: this.#close,
      volume: this.#sum.take(),
    });
  }
}

/**
 * Returns candles in time order as candles of `frameMs`, a multiple of their frame. Frames without a candle
 * are left out.
 */
export function aggregate(candles: readonly Candle[], frameMs: number): Candle[] {
  const frames = new CandleFrames(frameMs);
  for (const candle of candles) {
    frames.add(candle.time, candle.open, candle.high, candle.low, candle.close, candle.volume);
  }
  return frames.finish();
}

/**
 * Puts a flat candle into every frame of `range` that has none; frames before the first known price are left
 * out. `previousClose` returns the last close before the range and is called only when the first frame has no
 * candle.
 */
export function fillFlat(
  candles: readonly Candle[],
  frameMs: number,
  range: FrameRange,
  previousClose: () => string | null,
): Candle[] {
  if (candles.length === (range.end - range.start) / frameMs) return candles as Candle[];
  const filled: Candle[] = [];
  let close = candles[0]?.time === range.start ? null : previousClose();
  let next = 0;
  for (let time = range.start; time < range.end; time += frameMs) {
    const candle = candles[next];
    if (candle?.time === time) {
      filled.push(candle);
      close = candle.close;
      next++;
    } else if (close !== null) {
      filled.push({ time, open: close, high: close, low: close, close, volume: '0' });
    }
  }
  return filled;
}

/** A sum of decimal texts: one double per number of decimals while that is exact, bigints beyond. */
class DecimalSum {
  readonly #byDecimals: number[] = [];
  #carried = 0n;

  add(text: string): void {
    const dot = text.indexOf('.');
    const decimals = dot < 0 ? 0 : text.length - dot - 1;
    const whole =
      text.length > 15 ? Number.NaN : Number(dot < 0 ? text : text.slice(0, dot) + text.slice(dot + 1));
    const sum = (this.#byDecimals[decimals] ?? 0) + whole;
    if (sum <= MAX_SCALED) this.#byDecimals[decimals] = sum;
    else this.#carried += dec(text);
  }

  /** Returns the sum as canonical text and resets it to zero. */
  take(): string {
    let total = this.#carried;
    this.#byDecimals.forEach((sum, decimals) => {
      total += BigInt(sum) * 10n ** BigInt(DECIMAL_PLACES - decimals);
    });
    this.#byDecimals.length = 0;
    this.#carried = 0n;
    return str(total);
  }
}
