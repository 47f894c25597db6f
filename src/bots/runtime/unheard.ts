/**
 * What the orders of a run have given back to the free balance before the run has heard of it, by asset: until it has, it does
 * not keep that for itself, and no other order may take it.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { OrderChange } from '../run/contract.ts';
import type { LiveRun } from './live-run.ts';

/** `changes`: of all runs, those that they have not been given yet. */
export function unheardOf(
  changes: readonly { readonly live: LiveRun; readonly change: OrderChange }[],
  exchange: string,
  asset: string,
): Dec {
  let sum = ZERO;
  for (const { live, change } of changes) {
    if (live.parts.exchange !== exchange) continue;
    const givenBack = live.givenBack(change);
    if (givenBack?.asset === asset) sum += givenBack.amount;
  }
  return sum;
}
