/**
 * Candles of one symbol: from prints since the start, and before that from a made-up past that is always the
 * same (a few waves over the starting price). Longer frames are made of the minutes, so that all frames
 * agree.
 */
import { type Dec, mul, roundTo, ZERO } from '../../../src/domain/decimal.ts';

export interface Candle {
  readonly openTime: number;
  readonly closeTime: number;
  open: Dec;
  high: Dec;
  low: Dec;
  close: Dec;
  volume: Dec;
  quote: Dec;
  trades: number;
  takerBase: Dec;
  takerQuote: Dec;
  firstId: number;
  lastId: number;
}

const MINUTE = 60_000;
/** Number of printed minutes that are kept. */
const KEPT = 20_000;

export const FRAMES: Readonly<Record<string, number>> = {
  '1s': 1000,
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '2h': 120 * MINUTE,
  '4h': 240 * MINUTE,
  '6h': 360 * MINUTE,
  '8h': 480 * MINUTE,
  '12h': 720 * MINUTE,
  '1d': 1440 * MINUTE,
  '3d': 3 * 1440 * MINUTE,
  '1w': 7 * 1440 * MINUTE,
};

/** Monday 5 January 1970: weeks begin on Mondays. */
const WEEK_SHIFT = 4 * 1440 * MINUTE;

export function frameStart(frame: string, time: number): number {
  const length = FRAMES[frame] as number;
  const shift = frame === '1w' ? WEEK_SHIFT : 0;
  return Math.floor((time - shift) / length) * length + shift;
}

export class CandleStore {
  readonly #minutes = new Map<number, Candle>();
  readonly #base: Dec;
  readonly #tick: Dec;
  readonly #step: Dec;
  readonly #startMinute: number;
  /** The last close: candles below a minute are flat at it. */
  #lastClose: Dec;
  readonly #frames = new Map<string, Candle>();

  constructor(base: Dec, tick: Dec, step: Dec, now: number) {
    this.#base = base;
    this.#tick = tick;
    this.#step = step;
    this.#startMinute = Math.floor(now / MINUTE);
    this.#lastClose = base;
  }

  add(price: Dec, qty: Dec, takerBuys: boolean, id: number, time: number): void {
    const minute = Math.floor(time / MINUTE);
    let candle = this.#minutes.get(minute);
    if (!candle) {
      candle = blank(minute * MINUTE, MINUTE, price);
      candle.firstId = id;
      this.#minutes.set(minute, candle);
      if (this.#minutes.size > KEPT) this.#minutes.delete(this.#minutes.keys().next().value as number);
    }
    const quote = mul(price, qty);
    if (price > candle.high) candle.high = price;
    if (price < candle.low) candle.low = price;
    candle.close = price;
    candle.volume += qty;
    candle.quote += quote;
    candle.trades++;
    candle.lastId = id;
    if (takerBuys) {
      candle.takerBase += qty;
      candle.takerQuote += quote;
    }
    this.#lastClose = price;
  }

  /** Returns the candle that begins at this time, complete or in its present state. */
  candle(frame: string, openTime: number, now: number): Candle {
    const length = FRAMES[frame] as number;
    if (length < MINUTE) return this.#flat(openTime, length);
    if (frame === '1m') return this.#minute(openTime / MINUTE);
    const name = `${frame} ${openTime}`;
    const known = this.#frames.get(name);
    if (known) return known;
    const whole = blank(openTime, length, ZERO);
    const last = Math.min(openTime + length, Math.floor(now / MINUTE) * MINUTE + MINUTE);
    for (let time = openTime; time < last; time += MINUTE)
      join(whole, this.#minute(time / MINUTE), time === openTime);
    if (openTime + length <= now) {
      if (this.#frames.size > 20_000) this.#frames.clear();
      this.#frames.set(name, whole);
    }
    return whole;
  }

  /** Candles in ascending order; at most `limit`, the newest if no beginning is given. */
  list(frame: string, from: number | null, to: number | null, limit: number, now: number): Candle[] {
    const length = FRAMES[frame] as number;
    const newest = frameStart(frame, Math.min(to ?? now, now));
    let first = newest - (limit - 1) * length;
    if (from !== null) first = frameStart(frame, from + length - 1);
    const candles: Candle[] = [];
    for (let time = Math.max(first, 0); time <= newest && candles.length < limit; time += length)
      candles.push(this.candle(frame, time, now));
    return candles;
  }

  #minute(minute: number): Candle {
    const printed = this.#minutes.get(minute);
    if (printed) return printed;
    if (minute < this.#startMinute) return this.#past(minute);
    // Without trades the candle stays at the close of the previous one.
    for (let before = minute - 1; before >= this.#startMinute && before > minute - 2000; before--) {
      const candle = this.#minutes.get(before);
      if (candle) return blank(minute * MINUTE, MINUTE, candle.close);
    }
    return blank(minute * MINUTE, MINUTE, this.#base);
  }

  #flat(openTime: number, length: number): Candle {
    return blank(openTime, length, this.#lastClose);
  }

  #past(minute: number): Candle {
    const open = this.#wave(minute);
    const close = this.#wave(minute + 1);
    const candle = blank(minute * MINUTE, MINUTE, open);
    const more = this.#tick * BigInt(minute % 5);
    candle.close = close;
    candle.high = (open > close ? open : close) + more;
    candle.low = (open < close ? open : close) - this.#tick * BigInt(minute % 3);
    if (candle.low <= ZERO) candle.low = this.#tick;
    candle.volume = this.#step * BigInt(1000 + (minute % 997));
    candle.quote = mul(candle.volume, close);
    candle.trades = 10 + (minute % 37);
    candle.takerBase = candle.volume / 2n - ((candle.volume / 2n) % this.#step);
    candle.takerQuote = mul(candle.takerBase, close);
    return candle;
  }

  /** The made-up price; it equals the starting price at the start, so that past and present join. */
  #wave(minute: number): Dec {
    const x = minute - this.#startMinute;
    const part =
      0.012 * Math.sin(x / 37) +
      0.03 * Math.sin(x / 411) +
      0.06 * Math.sin(x / 5_003) +
      0.1 * Math.sin(x / 90_001);
    const millionths = BigInt(Math.round((1 + part) * 1e6));
    const price = roundTo((this.#base * millionths) / 1_000_000n, this.#tick);
    return price > ZERO ? price : this.#tick;
  }
}

function blank(openTime: number, length: number, price: Dec): Candle {
  return {
    openTime,
    closeTime: openTime + length - 1,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: ZERO,
    quote: ZERO,
    trades: 0,
    takerBase: ZERO,
    takerQuote: ZERO,
    firstId: -1,
    lastId: -1,
  };
}

function join(whole: Candle, part: Candle, isFirst: boolean): void {
  if (isFirst) {
    whole.open = part.open;
    whole.high = part.high;
    whole.low = part.low;
  }
  if (part.high > whole.high) whole.high = part.high;
  if (part.low < whole.low) whole.low = part.low;
  whole.close = part.close;
  whole.volume += part.volume;
  whole.quote += part.quote;
  whole.trades += part.trades;
  whole.takerBase += part.takerBase;
  whole.takerQuote += part.takerQuote;
  if (part.firstId >= 0 && whole.firstId < 0) whole.firstId = part.firstId;
  if (part.lastId >= 0) whole.lastId = part.lastId;
}
