/**
 * What a start does with a stored order: overdue queries are sent; anything that was on its way has an
 * unknown outcome. No order is sent again. Pure.
 */
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { restartChange } from './amend-replies.ts';
import { restartContradiction } from './contradictions.ts';
import { askCancelAfter, setDeadlines, startCancelUnknown, startUnresolved } from './resolver.ts';
import type { StepContext } from './step-context.ts';

export function restartOrder(step: StepContext, order: OrderRecord): void {
  const { memory, now } = step;
  if (TERMINAL.has(order.status)) {
    if (!memory.account(order.exchange).absent) restartContradiction(step, order);
    return;
  }
  if (order.phase === 'waiting') {
    const text = 'not sent: the desk stopped before what had to be set first was known to be set';
    order.rejectCode = 'MARGIN_TYPE';
    step.move(order, 'ERROR', 'done', 'rejected', text);
    return;
  }
  // The account cannot be queried, so the state stays unknown until it can.
  if (memory.account(order.exchange).absent) order.notConnected = true;
  else order.notConnected = undefined;
  if (order.notConnected) return;
  if (order.phase === 'sending') {
    // The request may have left as late as the end of the previous run, so the window counts from now.
    order.submission = { sentAt: now.wall };
    startUnresolved(step, order, 'the desk stopped before the answer came', now.mono);
  } else if (order.phase === 'unresolved' && order.submission?.unresolved) {
    setDeadlines(step, order, now.mono);
    memory.attention.add(order.id);
  }
  restartChange(step, order);
  if (order.cancel?.state === 'refused') {
    askCancelAfter(step, order.id, order.cancel, 0);
    memory.attention.add(order.id);
  } else if (order.cancel && order.phase === 'live') {
    startCancelUnknown(step, order, 'the desk stopped before the answer came');
    askCancelAfter(step, order.id, order.cancel, 0);
  }
}
