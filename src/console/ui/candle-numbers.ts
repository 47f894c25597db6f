/** A candle's prices and volume as numbers, read once: charts draw the same candles with every tick. Doubles, for drawing only. */
import type { Candle } from '../../domain/rows.ts';

export interface CandleNumbers {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const known = new WeakMap<Candle, CandleNumbers>();

/** Of candles that never change, as all are that a desk has told. */
export function numbersOf(candle: Candle): CandleNumbers {
  const found = known.get(candle);
  if (found) return found;
  const { open, high, low, close, volume } = candle;
  const [o, h, l, c, v] = [Number(open), Number(high), Number(low), Number(close), Number(volume)];
  const numbers = { open: o, high: h, low: l, close: c, volume: v };
  known.set(candle, numbers);
  return numbers;
}
