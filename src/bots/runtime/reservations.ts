/** What runs reserve of the balances, summed for each account (S25; strategies.md 2, deposit). */
import { ZERO } from '../../domain/decimal.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { StepContext } from '../../engine/step-context.ts';
import { tellBalances } from '../../engine/wallet.ts';
import type { LiveRun } from './live-run.ts';

/** Updates the account's sums when a run's reservation may have changed. */
export function keep(memory: EngineMemory, live: LiveRun, step: StepContext | null = null): void {
  const before = live.reservations;
  release(memory, live);
  live.reservations = live.keeps();
  const changed = [...new Set([...before.keys(), ...live.reservations.keys()])].filter(
    (asset) => before.get(asset)?.shown !== live.reservations.get(asset)?.shown,
  );
  if (step && changed.length > 0) {
    tellBalances(step, memory.account(live.parts.exchange).wallet, changed);
  }
  const { reserved } = memory.account(live.parts.exchange).wallet;
  for (const [asset, { shown, excess }] of live.reservations) {
    const sum = reserved.get(asset) ?? { shown: ZERO, excess: ZERO };
    reserved.set(asset, { shown: sum.shown + shown, excess: sum.excess + excess });
  }
}

/** Removes the run's reservation. */
export function release(memory: EngineMemory, live: LiveRun): void {
  const reserved = memory.accounts.get(live.parts.exchange)?.wallet.reserved;
  for (const [asset, { shown, excess }] of live.reservations) {
    const sum = reserved?.get(asset);
    if (!sum) continue;
    const left = { shown: sum.shown - shown, excess: sum.excess - excess };
    if (left.shown === ZERO && left.excess === ZERO) reserved?.delete(asset);
    else reserved?.set(asset, left);
  }
  live.reservations = new Map();
}
