/**
 * Amounts by asset that orders of runs have returned to the free balance before their run was told: until
 * then the run does not reserve them, and no other order may take them.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { OrderChange } from '../run/contract.ts';
import type { LiveRun } from './live-run.ts';

/** `changes`: changes of all runs that were not given to them yet. */
export function pendingProceeds(
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
