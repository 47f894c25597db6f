/** A quantity taken from several in proportion to what each has, in whole steps (strategies.md, R13). Pure. */
import { type Dec, floorTo, minDec, ZERO } from '../../domain/decimal.ts';

/**
 * What goes from each of `amounts`, oldest first: in proportion, rounded down to the step; the remainder goes step by step,
 * from the oldest on. `cut` is at most their sum, and no share is more than its amount.
 */
export function inProportion(amounts: readonly Dec[], cut: Dec, step: Dec): Dec[] {
  let sum = ZERO;
  for (const amount of amounts) sum += amount;
  if (cut >= sum) return [...amounts];
  const shares = amounts.map((amount) => floorTo((amount * cut) / sum, step));
  let rest = cut;
  for (const share of shares) rest -= share;
  // Each was cut by less than a step, and by no more than it has room for.
  return amounts.map((amount, i) => {
    const share = shares[i] ?? ZERO;
    const more = minDec(minDec(step, rest), amount - share);
    rest -= more;
    return share + more;
  });
}
