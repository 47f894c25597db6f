/** Shares in percent that must add up to 100 (strategies.md 3, 4, 6). Pure. */
import { type Dec, dec, decOfInt, str, ZERO } from '../../domain/decimal.ts';

const WHOLE = decOfInt(100);
/** Tolerance, so that thirds can be written. */
const TOLERANCE = dec('0.01');

/**
 * Returns null when the shares add up to 100, else a sentence such as `depositePercent adds up to 90, not
 * 100`.
 */
export function sharesProblem(name: string, shares: readonly Dec[]): string | null {
  const sum = shares.reduce((a, b) => a + b, ZERO);
  const off = sum > WHOLE ? sum - WHOLE : WHOLE - sum;
  return off <= TOLERANCE ? null : `${name} adds up to ${str(sum)}, not 100`;
}
