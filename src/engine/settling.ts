/**
 * The first step of a split on an exchange where an execution may come to light after the end that it crossed: the order is
 * asked for once more when that time is over, and only then its rest is divided.
 */
import type { ExchangeOrderState } from '../domain/exchange.ts';
import type { OrderRecord } from '../domain/order.ts';
import { backOff } from './back-off.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** Times are monotonic. */
export interface Settling {
  /** The end that its exchange has told. */
  readonly state: ExchangeOrderState;
  /** An answer to a question from then on is the last word. */
  readonly settlesAt: number;
  /** The next question. */
  askAt: number;
  asked: number;
  isSettled: boolean;
}

/** Its exchange has told its end. True: it is not taken yet. */
export function mustSettle(step: StepContext, order: OrderRecord, state: ExchangeOrderState): boolean {
  const { settleMs = 0 } = step.memory.account(order.exchange).caps;
  if (!order.cancel?.forSplit || settleMs === 0 || state.status !== 'CANCELLED') return false;
  const settling = step.memory.settling.get(order.id);
  if (settling) return !settling.isSettled;
  const settlesAt = step.now.mono + settleMs;
  step.memory.settling.set(order.id, { state, settlesAt, askAt: settlesAt, asked: 0, isSettled: false });
  step.memory.attention.add(order.id);
  // Its outcome is known: nothing is to be asked or sent because of it.
  order.cancel.state = 'sent';
  delete order.cancel.nextAskAt;
  return true;
}

/** An answer has come that may be the last word. The end that it settles; null: it is none. */
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

/** Monotonic time of the next question; Infinity without one. */
export function settlingDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.settling.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** It is being asked about. */
export function onSettlingAsked(step: StepContext, { id }: OrderRecord): void {
  const settling = step.memory.settling.get(id);
  if (!settling) return;
  settling.askAt = Math.max(settling.settlesAt, step.now.mono + backOff(settling.asked));
  settling.asked += 1;
}
