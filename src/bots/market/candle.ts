/**
 * How a candle is built from ticks and stored, for the shared candles and for a run's first one alike, and
 * the one value of a candle that a setting names. Pure functions over plain data.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import type { CandleEdge } from '../settings/compiled.ts';
import type { BotCandle } from './view.ts';

/** A candle while it is being built. */
export interface MutableCandle {
  readonly time: number;
  readonly open: Dec;
  high: Dec;
  low: Dec;
  close: Dec;
  volume: Dec;
}

/** A candle as plain JSON: open time, open, high, low, close, volume. */
export type CandleRow = readonly [
  time: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
];

/** Open time of the period in which `time` lies; periods are aligned to the Unix epoch (strategies.md 1). */
export function periodStart(time: number, frameMs: number): number {
  return Math.floor(time / frameMs) * frameMs;
}

/** Makes the candle that opens at `time` with its first tick. */
export function openCandle(time: number, price: Dec, volume: Dec): MutableCandle {
  return { time, open: price, high: price, low: price, close: price, volume };
}

/** The candle of a period in which nothing traded: all four prices are the close before it. */
export function flatCandle(time: number, close: Dec): MutableCandle {
  return openCandle(time, close, ZERO);
}

/** Adds one tick. Hot path: two comparisons, and a sum when something traded. */
export function addTick(candle: MutableCandle, price: Dec, volume: Dec): void {
  if (price > candle.high) candle.high = price;
  else if (price < candle.low) candle.low = price;
  candle.close = price;
  if (volume !== ZERO) candle.volume += volume;
}

/** Reads a candle of the feed. */
export function readCandle(candle: Candle): BotCandle {
  return {
    time: candle.time,
    open: dec(candle.open),
    high: dec(candle.high),
    low: dec(candle.low),
    close: dec(candle.close),
    volume: dec(candle.volume),
  };
}

export function candleRow(candle: BotCandle): CandleRow {
  const { time, open, high, low, close, volume } = candle;
  return [time, str(open), str(high), str(low), str(close), str(volume)];
}

export function candleOfRow(row: CandleRow): MutableCandle {
  const [time, open, high, low, close, volume] = row;
  return {
    time,
    open: dec(open),
    high: dec(high),
    low: dec(low),
    close: dec(close),
    volume: dec(volume),
  };
}

/** The value of a candle that `edge` names. `hlc3` is cut at 30 decimal places. */
export function edgeOf(candle: BotCandle, edge: CandleEdge): Dec {
  const { open, high, low, close } = candle;
  switch (edge) {
    case 'open':
      return open;
    case 'close':
      return close;
    case 'high':
      return high;
    case 'low':
      return low;
    case 'hl2':
      return (high + low) / 2n;
    case 'oc2':
      return (open + close) / 2n;
    case 'hlc3':
      return (high + low + close) / 3n;
    case 'ohlc4':
      return (open + high + low + close) / 4n;
  }
}
