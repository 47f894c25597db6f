/**
 * The first step of a split on an exchange where an execution may appear after the end of the order that it
 * crossed: the order is queried once more when that time is over, and only then its rest is divided.
 */
import type { ExchangeOrderState } from '../domain/exchange.ts';
import type { OrderRecord } from '../domain/order.ts';
import { backOff } from './back-off.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** An end that is not applied yet. Times are monotonic. */
export interface PendingEnd {
  /** The end that its exchange has reported. */
  readonly state: ExchangeOrderState;
  /** A response to a query from this time on is final. */
  readonly settlesAt: number;
  /** Time of the next query. */
  askAt: number;
  asked: number;
  isSettled: boolean;
}

/** Handles the end that its exchange has reported. True: it is not applied yet. */
export function mustSettle(step: StepContext, order: OrderRecord, state: ExchangeOrderState): boolean {
  const { settleMs = 0 } = step.memory.account(order.exchange).caps;
  if (!order.cancel?.forSplit || settleMs === 0 || state.status !== 'CANCELLED') return false;
  const settling = step.memory.settling.get(order.id);
  if (settling) return !settling.isSettled;
  const settlesAt = step.now.mono + settleMs;
  step.memory.settling.set(order.id, { state, settlesAt, askAt: settlesAt, asked: 0, isSettled: false });
  step.memory.attention.add(order.id);
  // The outcome of the cancel is known: no query and no further cancel is needed.
  order.cancel.state = 'sent';
  delete order.cancel.nextAskAt;
  return true;
}

/** Handles a response that may be final. Returns the end to apply; null: the response is not final. */
export function onSettled(
  memory: EngineMemory,
  { id }: OrderRecord,
  askedAt: number,
): ExchangeOrderState | null {
  const settling = memory.settling.get(id);
  if (!settling || askedAt < settling.settlesAt) return null;
  settling.isSettled = true;
  return settling.state;
}

/** Returns the monotonic time of the next query; Infinity without one. */
export function settlingDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.settling.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** Notes that a query is being sent. */
export function onSettlingAsked(step: StepContext, { id }: OrderRecord): void {
  const settling = step.memory.settling.get(id);
  if (!settling) return;
  settling.askAt = Math.max(settling.settlesAt, step.now.mono + backOff(settling.asked));
  settling.asked += 1;
}
