/**
 * Line values (strategies.md 1, "Line values") and which side of a line a price is on. Exact: sides are
 * compared without a division, and only a value that is shown or sent is rounded.
 */
import { type Dec, ONE, ZERO } from '../../domain/decimal.ts';
import type { PriceLine } from '../settings/compiled.ts';

const HUNDRED = 100n * ONE;

/**
 * Side of a price: 1 above the line, -1 below, 0 on it; null where the line is not positive: there it
 * triggers nothing.
 */
export type LineSide = 1 | 0 | -1 | null;

/** Side of the last value that was not on the line; null before the first. Plain JSON, for a run's state. */
export type KeptSide = 1 | -1 | null;

/**
 * Price of the line at `t` (whole Unix ms), extended both ways; rounded at 30 places to the nearest, halves
 * away from zero.
 */
export function lineAt(line: PriceLine, t: number): Dec {
  const { t1, p1, t2, p2 } = line;
  if (p1 === p2 || t === t1) return p1;
  const span = BigInt(t2 - t1);
  return divideNearest(p1 * span + (p2 - p1) * BigInt(t - t1), span);
}

/**
 * Side of a price relative to line(t) x (1 + percent / 100), exact. `percent` in percent, default 0: the line
 * itself. INTRADAY's "coming from above" means 1 for the tick before, at its own time, and not 1 for this
 * one.
 */
export function sideOf(line: PriceLine, t: number, price: Dec, percent: Dec = ZERO): LineSide {
  const { t1, p1, t2, p2 } = line;
  // Both sides of the comparison are multiplied by the span of the line, and by 100 when there is a
  // percentage.
  let value = p1;
  let compared = price;
  if (p1 !== p2) {
    const span = BigInt(t2 - t1);
    value = p1 * span + (p2 - p1) * BigInt(t - t1);
    compared = price * span;
  }
  if (percent !== ZERO) {
    value *= HUNDRED + percent;
    compared *= HUNDRED;
  }
  if (value <= ZERO) return null;
  return compared > value ? 1 : compared < value ? -1 : 0;
}

/**
 * Returns the kept side; a value on the line, or read where the line is not positive, keeps the side before
 * it.
 */
export function keepSide(before: KeptSide, now: LineSide): KeptSide {
  return now === 1 || now === -1 ? now : before;
}

/**
 * True when the change from one kept side to the next is a crossing in that direction. The first known side
 * is no crossing.
 */
export function crossed(before: KeptSide, after: KeptSide, direction: 'up' | 'down' | 'both'): boolean {
  if (before === null || after === null || before === after) return false;
  return direction === 'both' || (after === 1) === (direction === 'up');
}

/** Nearest whole quotient, halves away from zero; `b` > 0. */
function divideNearest(a: bigint, b: bigint): bigint {
  const doubled = 2n * a;
  return (a < 0n ? doubled - b : doubled + b) / (2n * b);
}
