/**
 * A candle's prices and volume as numbers, parsed once: charts draw the same candles with every update.
 * Doubles, for drawing only.
 */
import type { Candle } from '../../domain/rows.ts';

export interface CandleNumbers {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const known = new WeakMap<Candle, CandleNumbers>();

/** The numbers of a candle, cached: candles must never change, and none sent by a desk does. */
export function numbersOf(candle: Candle): CandleNumbers {
  const found = known.get(candle);
  if (found) return found;
  const { open, high, low, close, volume } = candle;
  const [o, h, l, c, v] = [Number(open), Number(high), Number(low), Number(close), Number(volume)];
  const numbers = { open: o, high: h, low: l, close: c, volume: v };
  known.set(candle, numbers);
  return numbers;
}
