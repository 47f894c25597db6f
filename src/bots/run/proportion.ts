/** Takes a quantity from several amounts in proportion to each, in whole steps (strategies.md, R13). Pure. */
import { type Dec, floorTo, minDec, ZERO } from '../../domain/decimal.ts';

/**
 * Returns what is taken from each of `amounts`, oldest first: in proportion, rounded down to the step; the
 * remainder is spread step by step from the oldest on. `cut` is at most their sum, and no share is more than
 * its amount.
 */
export function inProportion(amounts: readonly Dec[], cut: Dec, step: Dec): Dec[] {
  let sum = ZERO;
  for (const amount of amounts) sum += amount;
  if (cut >= sum) return [...amounts];
  const shares = amounts.map((amount) => floorTo((amount * cut) / sum, step));
  let rest = cut;
  for (const share of shares) rest -= share;
  // Each share was rounded down by less than a step; a share grows at most to its amount.
  return amounts.map((amount, i) => {
    const share = shares[i] ?? ZERO;
    const more = minDec(minDec(step, rest), amount - share);
    rest -= more;
    return share + more;
  });
}
