/** The end of a plan, of a split or of a change: stored as done, its request answered. Apart from them because every cancel may end one. */
import { type Outcome, refuse } from '../domain/errors.ts';
import { type OrderRecord, type SplitPlan, TERMINAL } from '../domain/order.ts';
import { answerWaiters } from './idempotency.ts';
import type { Waiter } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** What kind of request waits for it. */
export function waitsFor({ change }: SplitPlan): Waiter['kind'] {
  return change ? 'amend' : 'split';
}

/** The plan is over, whether its parts were placed or not. */
export function endPlan(step: StepContext, plan: SplitPlan, outcome: Outcome<unknown>): void {
  plan.stage = 'done';
  step.row({ kind: 'split', plan });
  step.memory.splits.delete(plan.id);
  step.memory.splitReleaseAt.delete(plan.id);
  const order = step.memory.orders.get(plan.id);
  if (order?.lock && !TERMINAL.has(order.status)) {
    // What its dearer parts would have needed is free again.
    step.memory.releaseLock(order);
    step.touch(order);
  }
  answerWaiters(step, plan.id, [waitsFor(plan)], outcome);
}

/** S54: a cancel that comes while the order's plan stands before its parts ends it; nothing is placed any more. */
export function withdrawSplit(step: StepContext, order: OrderRecord, text: string): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage !== 'cancelling') return;
  const what = plan.change ? 'nothing is placed in its place' : 'no part of the split is placed';
  step.event(order, 'cancel-wanted', `${text}; ${what}`);
  endPlan(step, plan, refuse('CONFLICT', 'cancelled meanwhile'));
}
