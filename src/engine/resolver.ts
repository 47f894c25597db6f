/**
 * Orders and cancels whose response got lost: queries the exchange with back-off until the outcome is known.
 * "Not found" counts only once the request can no longer take effect; nothing is ever sent a second time.
 * engine.md, submission rules 3 and 4.
 */
import { type CancelState, isContradicted, type OrderRecord } from '../domain/order.ts';
import { absenceDueAt, onAbsenceAsked } from './absence.ts';
import { changeDueAt, onChangeAsked } from './amend-state.ts';
import { backOff, provenAfterMs } from './back-off.ts';
import { askContradiction, contradictionDueAt } from './contradictions.ts';
import { sendCancel } from './lifecycle.ts';
import type { Deadlines, EngineMemory } from './memory.ts';
import { onOwedAsked, owedDueAt } from './owed-fills.ts';
import { onSettlingAsked, settlingDueAt } from './pending-end.ts';
import type { StepContext } from './step-context.ts';

/** Pause after the first, second, ... refusal of a cancel that is kept, ms; the last one repeats. */
const REFUSED_CANCEL_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;

/**
 * Handles the lost outcome of the one send. `sentAt`: the latest moment at which it can have left, monotonic.
 */
export function startUnresolved(step: StepContext, order: OrderRecord, cause: string, sentAt: number): void {
  order.phase = 'unresolved';
  order.submission ??= { sentAt: step.now.wall };
  order.submission.unresolved = {
    since: step.now.wall,
    cause,
    asked: 0,
    nextAskAt: step.now.wall,
    settlesAt: step.now.wall,
  };
  setDeadlines(step, order, sentAt);
  step.memory.attention.add(order.id);
  step.touch(order);
  step.event(order, 'unknown', `the outcome is unknown: ${cause}; asking ${order.exchange}`);
  step.effect({ kind: 'log', level: 'warn', text: `${order.id} is unresolved: ${cause}`, orderId: order.id });
  step.publish(order, 'ORDER_UPDATE');
}

/**
 * Sets the time of the next query, now, and of when "not found" begins to count. At a start the window begins
 * then: no reliable clock knows how long ago the request left, and a window that proves absence may only grow
 * (S57).
 */
export function setDeadlines(step: StepContext, order: OrderRecord, sentAt: number): void {
  const { caps } = step.memory.account(order.exchange);
  const deadline = {
    askAt: step.now.mono,
    settlesAt: sentAt + provenAfterMs(caps),
  };
  step.memory.deadlines.set(order.id, deadline);
  showDeadlines(step, order, deadline);
}

/**
 * Writes the times into the record as wall times for display; computed each time, since the wall clock may
 * have been set.
 */
function showDeadlines(step: StepContext, order: OrderRecord, { askAt, settlesAt }: Deadlines): void {
  const unresolved = order.submission?.unresolved;
  if (!unresolved) return;
  unresolved.nextAskAt = step.wallOf(askAt);
  unresolved.settlesAt = step.wallOf(settlesAt);
}

/** Handles the lost response of a cancel. */
export function startCancelUnknown(step: StepContext, order: OrderRecord, cause: string): void {
  if (!order.cancel) return;
  order.cancel.state = 'unknown';
  askCancelAfter(step, order.id, order.cancel, order.cancel.asked === 0 ? 0 : backOff(order.cancel.asked));
  step.memory.attention.add(order.id);
  step.touch(order);
  step.event(order, 'unknown', `the outcome of the cancel is unknown: ${cause}; asking ${order.exchange}`);
  step.publish(order, 'ORDER_UPDATE');
}

/**
 * Handles the exchange's refusal of a cancel that is kept (S35: who requested it): it is sent again after a
 * pause.
 */
export function askCancelLater(
  step: StepContext,
  order: OrderRecord,
  cancel: CancelState,
  why: string,
): void {
  const refusals = cancel.refusals ?? 0;
  const pause = REFUSED_CANCEL_MS[Math.min(refusals, REFUSED_CANCEL_MS.length - 1)] ?? 30_000;
  cancel.state = 'refused';
  cancel.refusals = refusals + 1;
  askCancelAfter(step, order.id, cancel, pause);
  step.memory.attention.add(order.id);
  step.touch(order);
  step.publish(order, 'ORDER_UPDATE');
  if (refusals > 0) return;
  const text = `${order.id}: ${why}; asked again until it is done`;
  step.effect({ kind: 'log', level: 'warn', text, orderId: order.id });
}

/** Sends the queries that are due. */
export function askDue(step: StepContext): void {
  for (const id of step.memory.attention) {
    const order = step.memory.orders.get(id);
    if (!order) {
      step.memory.attention.delete(id);
      continue;
    }
    if (dueAt(step, order) <= step.now.mono) ask(step, order);
  }
}

/** Returns the monotonic time of the next query about this order; Infinity when there is none. */
export function dueAt({ memory }: Pick<StepContext, 'memory'>, order: OrderRecord): number {
  const never = Number.POSITIVE_INFINITY;
  return Math.min(
    order.submission?.unresolved ? (memory.deadlines.get(order.id)?.askAt ?? 0) : never,
    cancelDueAt(memory, order),
    changeDueAt(memory, order),
    contradictionDueAt(memory, order),
    owedDueAt(memory, order),
    absenceDueAt(memory, order),
    settlingDueAt(memory, order),
  );
}

function cancelDueAt(memory: EngineMemory, { id, cancel }: OrderRecord): number {
  if (cancel?.state !== 'unknown' && cancel?.state !== 'refused') return Number.POSITIVE_INFINITY;
  return memory.cancelAskAt.get(id) ?? 0;
}

/** Schedules, in `delayMs`, the query for the outcome of the cancel, or the cancel itself again. */
export function askCancelAfter(step: StepContext, id: string, cancel: CancelState, delayMs: number): void {
  cancel.nextAskAt = step.now.wall + delayMs;
  step.memory.cancelAskAt.set(id, step.now.mono + delayMs);
}

function ask(step: StepContext, order: OrderRecord): void {
  if (isContradicted(order)) {
    askContradiction(step, order);
    return;
  }
  if (order.cancel?.state === 'refused' && cancelDueAt(step.memory, order) <= step.now.mono) {
    sendCancel(step, order);
    return;
  }
  const unresolved = order.submission?.unresolved;
  const deadline = step.memory.deadlines.get(order.id);
  if (unresolved && deadline) {
    const next = step.now.mono + backOff(unresolved.asked);
    unresolved.asked += 1;
    // The query that settles it is timed for when "not found" begins to count.
    deadline.askAt = deadline.settlesAt > step.now.mono ? Math.min(next, deadline.settlesAt) : next;
    showDeadlines(step, order, deadline);
    step.touch(order, true);
    step.event(order, 'asked', `asked ${order.exchange} (${unresolved.asked})`);
    step.publish(order, 'ORDER_UPDATE');
  }
  if (order.cancel?.state === 'unknown') {
    askCancelAfter(step, order.id, order.cancel, backOff(order.cancel.asked));
    order.cancel.asked += 1;
    step.touch(order, true);
  }
  onChangeAsked(step, order);
  onOwedAsked(step, order);
  onAbsenceAsked(step, order);
  onSettlingAsked(step, order);
  step.effect({ kind: 'query', ...step.memory.atExchange(order) });
}
