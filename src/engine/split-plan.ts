/**
 * The end of a plan, of a split or of a change: stored as done, its request answered. In a file of its own
 * because every cancel may end a plan.
 */
import { type Outcome, refuse } from '../domain/errors.ts';
import { type OrderRecord, type SplitPlan, TERMINAL } from '../domain/order.ts';
import { answerWaiters } from './idempotency.ts';
import type { Waiter } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** Returns the kind of request that waits for the plan. */
export function waitsFor({ change }: SplitPlan): Waiter['kind'] {
  return change ? 'amend' : 'split';
}

/** Ends the plan, whether its parts were placed or not. */
export function endPlan(step: StepContext, plan: SplitPlan, outcome: Outcome<unknown>): void {
  plan.stage = 'done';
  step.row({ kind: 'split', plan });
  step.memory.splits.delete(plan.id);
  step.memory.splitReleaseAt.delete(plan.id);
  const order = step.memory.orders.get(plan.id);
  if (order?.lock && !TERMINAL.has(order.status)) {
    // The additional amount for its more expensive parts becomes free again.
    step.memory.releaseLock(order);
    step.touch(order);
  }
  answerWaiters(step, plan.id, [waitsFor(plan)], outcome);
}

/** Ends the plan of a cancelled order whose parts are not placed yet (S54); nothing is placed any more. */
export function withdrawSplit(step: StepContext, order: OrderRecord, text: string): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage !== 'cancelling') return;
  const what = plan.change ? 'nothing is placed in its place' : 'no part of the split is placed';
  step.event(order, 'cancel-wanted', `${text}; ${what}`);
  endPlan(step, plan, refuse('CONFLICT', 'cancelled meanwhile'));
}
