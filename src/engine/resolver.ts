/**
 * Orders and cancels whose answer got lost: asks the exchange with back-off until it knows. "Not found" counts only once
 * the request can no longer take effect; nothing is ever sent a second time. engine.md, submission rules 3 and 4.
 */
import type { OrderRecord } from '../domain/order.ts';
import type { StepContext } from './step-context.ts';

/** Added to the exchange's validity window: its clock and ours may differ. */
export const CLOCK_MARGIN_MS = 1_000;
/** Delay after the first, second, ... question; the last one repeats. */
const BACK_OFF_MS = [250, 500, 1_000, 2_000, 5_000, 10_000] as const;

export function backOff(asked: number): number {
  return BACK_OFF_MS[Math.min(asked, BACK_OFF_MS.length - 1)] ?? 10_000;
}

/** The outcome of the one send got lost; `sentAt` is the latest moment at which it can have left. */
export function startUnresolved(step: StepContext, order: OrderRecord, cause: string): void {
  const { caps } = step.memory.account(order.exchange);
  order.phase = 'unresolved';
  order.submission ??= { sentAt: step.now.wall };
  order.submission.unresolved = {
    since: step.now.wall,
    cause,
    asked: 0,
    nextAskAt: step.now.wall,
    settlesAt: order.submission.sentAt + caps.validityWindowMs + CLOCK_MARGIN_MS,
  };
  step.memory.attention.add(order.id);
  step.touch(order);
  step.event(order, 'unknown', `the outcome is unknown: ${cause}; asking ${order.exchange}`);
  step.effect({ kind: 'log', level: 'warn', text: `${order.id} is unresolved: ${cause}`, orderId: order.id });
  step.publish(order, 'ORDER_UPDATE');
}

/** The answer to a cancel got lost. */
export function startCancelUnknown(step: StepContext, order: OrderRecord, cause: string): void {
  if (!order.cancel) return;
  order.cancel.state = 'unknown';
  order.cancel.nextAskAt = step.now.wall + (order.cancel.asked === 0 ? 0 : backOff(order.cancel.asked));
  step.memory.attention.add(order.id);
  step.touch(order);
  step.event(order, 'unknown', `the outcome of the cancel is unknown: ${cause}; asking ${order.exchange}`);
  step.publish(order, 'ORDER_UPDATE');
}

/** Sends the questions that are due. */
export function askDue(step: StepContext): void {
  for (const id of step.memory.attention) {
    const order = step.memory.orders.get(id);
    if (!order) {
      step.memory.attention.delete(id);
      continue;
    }
    if (dueAt(step, order) <= step.now.wall) ask(step, order);
  }
}

/** Wall time of the next question about this order; Infinity when there is none. */
export function dueAt(step: Pick<StepContext, 'memory'>, order: OrderRecord): number {
  return Math.min(
    order.submission?.unresolved?.nextAskAt ?? Number.POSITIVE_INFINITY,
    order.cancel?.state === 'unknown' ? (order.cancel.nextAskAt ?? 0) : Number.POSITIVE_INFINITY,
    step.memory.owedFills.get(order.id)?.nextAskAt ?? Number.POSITIVE_INFINITY,
  );
}

function ask(step: StepContext, order: OrderRecord): void {
  const unresolved = order.submission?.unresolved;
  if (unresolved) {
    const next = step.now.wall + backOff(unresolved.asked);
    unresolved.asked += 1;
    // The question that settles it comes right when "not found" begins to count.
    unresolved.nextAskAt = unresolved.settlesAt > step.now.wall ? Math.min(next, unresolved.settlesAt) : next;
    step.touch(order, true);
    step.event(order, 'asked', `asked ${order.exchange} (${unresolved.asked})`);
    step.publish(order, 'ORDER_UPDATE');
  }
  if (order.cancel?.state === 'unknown') {
    order.cancel.nextAskAt = step.now.wall + backOff(order.cancel.asked);
    order.cancel.asked += 1;
    step.touch(order, true);
  }
  const owed = step.memory.owedFills.get(order.id);
  if (owed) {
    owed.nextAskAt = step.now.wall + backOff(owed.asked);
    owed.asked += 1;
  }
  step.effect({ kind: 'query', exchange: order.exchange, orderId: order.id, symbol: order.symbol });
}
