/** Reads price lines (Fn.Format): two moments and two prices (strategies.md 1, "Line values"). Pure. */
import { ONE, ZERO } from '../../domain/decimal.ts';
import type { Check } from './check.ts';
import type { PriceLine } from './compiled.ts';
import { readDecimal, readInteger } from './numbers.ts';

export const LINE_NEEDS = 'a price line needs two different timestamps with positive prices';

/** Stand-in for a line that could not be read, so that reading goes on. */
export const STAND_IN_LINE: PriceLine = { t1: 0, p1: ONE, t2: 1, p2: ONE };

/** Reads a line; returns the stand-in, and adds a problem, for anything else. */
export function readLine(check: Check, path: string, value: unknown): PriceLine {
  const line = lineOf(value);
  if (line) return line;
  check.problem(path, LINE_NEEDS);
  return STAND_IN_LINE;
}

/** True when the line has the same price at all times. */
export function isHorizontal(line: PriceLine): boolean {
  return line.p1 === line.p2;
}

function lineOf(value: unknown): PriceLine | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length !== 2) return null;
  const points: { t: number; p: bigint }[] = [];
  for (const [key, price] of entries) {
    const t = readInteger(key);
    const p = readDecimal(price);
    if (t === null || p === null || p <= ZERO) return null;
    points.push({ t, p });
  }
  const [first, second] = points.sort((a, b) => a.t - b.t);
  if (!first || !second || first.t === second.t) return null;
  return { t1: first.t, p1: first.p, t2: second.t, p2: second.p };
}
