/**
 * How a run ends (strategies.md 2, run rule 4): the orders it withdraws, what it still waits for, and when it
 * is over for good. Pure.
 */
import type { Cleanup } from '../../domain/bot.ts';
import type { EndReason } from './contract.ts';
import type { RunParts } from './run-parts.ts';
import type { Slot } from './slot.ts';

/** Slot of the sale of the whole position. */
const END = 'end';

export function beginEnding(run: RunParts, cleanup: Cleanup, sell: boolean, reason: EndReason): void {
  const { state, slots, stops } = run;
  state.phase = 'ending';
  state.stopping = { cleanup, sell, reason };
  state.reason = reason;
  state.timers.clear();
  slots.retries.insist();
  run.changed = true;
  const stays = (slot: Slot) => !sell && stops.sells(slot);
  if (cleanup === 'cancelAllOrders' || sell) slots.withdraw('all', false, stays);
  else {
    slots.withdraw('entry', cleanup === 'leaveAllOrders', stays);
    slots.withdraw('exit', true, stays);
  }
  if (sell) sellAll(run);
}

/** Sells the whole position, including what an entry has bought before its cancel. */
export function sellAll(run: RunParts): void {
  const want = run.slots.get(END)?.want;
  const sold = want?.role === 'exit' ? want.lots : [];
  if (run.lots.keys.some((key) => !sold.includes(key))) run.close(END, run.lots.keys, 'stop and sell');
}

/** Ends the run for good once nothing is left to cancel or sell. */
export function settleEnding(run: RunParts): void {
  const { state, slots, stops } = run;
  const { stopping } = state;
  if (!stopping) return;
  // Withdrawn orders may have sold everything before their cancel.
  slots.dropSold();
  if (stopping.sell) {
    sellAll(run);
    run.sync();
  }
  for (const order of slots.orders()) if (order.cancelAsked || order.slot === END) return;
  for (const slot of slots.state.slots.values()) if (stops.sells(slot)) return;
  if (stopping.sell && slots.get(END)?.want) return;
  finish(run);
}

export function finish(run: RunParts): void {
  const { state } = run;
  state.phase = 'ended';
  state.endedAt = run.now;
  state.timers.clear();
  run.slots.retries.insist();
  run.changed = true;
  const why = state.error === null ? '' : `: ${state.error}`;
  run.notice(1, `run ended, ${state.reason}${why}`);
}
