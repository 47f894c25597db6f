/**
 * Prices of computed levels: Fibonacci levels between two prices, grids with equal distances and with equal
 * ratios (strategies.md 1 "Rounding", 3, 4). 30 significant digits, halves up; nothing is rounded to the tick
 * here. Pure.
 */
import { type Dec, ONE } from '../../domain/decimal.ts';

const SIGNIFICANT_DIGITS = 30;
/**
 * Working precision of ratios: far more digits than are kept, so that 200 multiplications leave the kept
 * digits exact.
 */
const GUARD = 10n ** 90n;
/** The first guess of a root comes from a binary number of 53 bits. */
const GUESS_BITS = 52;

/** Levels from low to high, both included. */
export interface Grid {
  readonly low: Dec;
  readonly high: Dec;
  readonly count: number;
  readonly spacing: 'arithmetic' | 'geometric';
}

/**
 * `numerator / denominator` units, both positive, rounded to 30 significant digits and at most 30 decimal
 * places.
 */
export function significant(numerator: bigint, denominator: bigint): Dec {
  const digits = (numerator / denominator).toString().length;
  const unit = digits > SIGNIFICANT_DIGITS ? 10n ** BigInt(digits - SIGNIFICANT_DIGITS) : 1n;
  const divisor = denominator * unit;
  return ((2n * numerator + divisor) / (2n * divisor)) * unit;
}

/** `p0 + (p1 - p0) * part`; either end may be the lower one. */
export function fiboLevel(p0: Dec, p1: Dec, part: Dec): Dec {
  return significant(p0 * ONE + (p1 - p0) * part, ONE);
}

/**
 * Levels of a grid, lowest first; the ends are exactly the given prices. `shift`: moves the grid up by that
 * many whole cells, spaced like its own (trailUp).
 */
export function gridLevels(grid: Grid, shift = 0): Dec[] {
  const { low, high, count, spacing } = grid;
  const cells = count - 1;
  const at = spacing === 'geometric' ? geometric(low, high, cells) : arithmetic(low, high, cells);
  return Array.from({ length: count }, (_, i) => {
    const place = i + shift;
    return place === 0 ? low : place === cells ? high : at(place);
  });
}

function arithmetic(low: Dec, high: Dec, cells: number): (i: number) => Dec {
  const n = BigInt(cells);
  return (i) => significant(low * n + (high - low) * BigInt(i), n);
}

/** `low * (high / low) ^ (i / cells)`. */
function geometric(low: Dec, high: Dec, cells: number): (i: number) => Dec {
  const n = BigInt(cells);
  const ratio = integerRoot((high * GUARD ** n) / low, cells);
  const powers = [GUARD];
  return (i) => {
    for (let k = powers.length; k <= i; k++) powers.push(((powers[k - 1] as bigint) * ratio) / GUARD);
    return significant(low * (powers[i] as bigint), GUARD);
  };
}

/**
 * The largest integer whose n-th power is not above `value` (n >= 1, value >= 0): Newton's iteration from
 * above.
 */
export function integerRoot(value: bigint, n: number): bigint {
  if (value < 2n || n === 1) return value;
  const degree = BigInt(n);
  let root = guessAbove(value, n);
  for (;;) {
    const next = ((degree - 1n) * root + value / root ** (degree - 1n)) / degree;
    if (next >= root) return root;
    root = next;
  }
}

/** A value slightly above the root, correct to about 15 digits where the power of two allows. */
function guessAbove(value: bigint, n: number): bigint {
  const bits = value.toString(2).length;
  const kept = Math.min(bits, GUESS_BITS);
  // value = top * 2^shift with a shift that is a multiple of n, so that its root is also a shift.
  const shift = Math.floor((bits - kept) / n) * n;
  const rest = bits - kept - shift;
  const top = Number(value >> BigInt(bits - kept)) + 1;
  const root = top ** (1 / n) * 2 ** (rest / n) * (1 + 2 ** -40);
  const scaled = BigInt(Math.ceil(root * 2 ** 40));
  const whole = BigInt(shift / n);
  return whole >= 40n ? (scaled + 1n) << (whole - 40n) : ((scaled + 1n) >> (40n - whole)) + 1n;
}
