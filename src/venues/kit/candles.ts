/** Checks a candle made from an exchange's figures before it is used. Pure. */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';

/** The candle in plain decimals; null: its figures contradict each other. */
export function candleOf({ time, open, high, low, close, volume }: Candle): Candle | null {
  const [o, h, l, c] = [dec(open), dec(high), dec(low), dec(close)];
  if (l <= ZERO || h < l || o < l || o > h || c < l || c > h) return null;
  return { time, open: str(o), high: str(h), low: str(l), close: str(c), volume: str(dec(volume)) };
}
