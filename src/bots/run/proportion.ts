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
  while (rest > ZERO) {
    for (const [i, amount] of amounts.entries()) {
      const more = minDec(minDec(step, rest), amount - (shares[i] ?? ZERO));
      shares[i] = (shares[i] ?? ZERO) + more;
      rest -= more;
    }
  }
  return shares;
}
