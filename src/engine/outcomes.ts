/** What the exchange answered to a send, a cancel or a question, and whom that answers here. engine.md, submission rules 3 to 6. */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { CancelOutcome, QueryOutcome, SubmitOutcome } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { answerWaiters } from './answers.ts';
import { applyFill, applyState, sendCancel } from './lifecycle.ts';
import { startCancelUnknown, startUnresolved } from './resolver.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

/** `sentAt`: wall time at which the request left, when the line knows it. */
export function onSubmitted(
  step: StepContext,
  order: OrderRecord,
  outcome: SubmitOutcome,
  sentAt?: number,
): void {
  switch (outcome.kind) {
    case 'accepted':
      applyState(step, order, outcome.state);
      break;
    case 'rejected':
      if (order.status === 'NEW' && (order.phase === 'sending' || order.phase === 'unresolved')) {
        const text = `${order.exchange} refused: ${outcome.message} (${outcome.code})`;
        step.move(order, 'ERROR', 'done', 'rejected', text);
        answerWaiters(
          step,
          order.id,
          ['place', 'cancel'],
          refuse('INVALID_REQUEST', outcome.message, 'VENUE'),
        );
        return;
      }
      if (order.status === 'ERROR') {
        // The stream was faster.
        answerWaiters(step, order.id, ['place'], refuse('INVALID_REQUEST', outcome.message, 'VENUE'));
        return;
      }
      contradiction(step, order, outcome.message);
      break;
    case 'unknown':
      if (order.phase === 'sending') {
        if (sentAt !== undefined) order.submission = { sentAt };
        startUnresolved(step, order, outcome.cause);
      }
      break;
  }
  answerWaiters(step, order.id, ['place'], placeOutcome(order));
}

/** What the request that placed the order is answered once its fate is known: S2. */
export function placeOutcome(order: OrderRecord): Outcome<unknown> {
  if (order.status !== 'ERROR') return ok(orderOf(order));
  return refuse('INVALID_REQUEST', order.text ?? `${order.exchange} refused the order`, 'VENUE');
}

export function onCancelled(step: StepContext, order: OrderRecord, outcome: CancelOutcome): void {
  switch (outcome.kind) {
    case 'done':
    case 'gone':
      if (outcome.state) applyState(step, order, outcome.state);
      else startCancelUnknown(step, order, `${order.exchange} has nothing open under this id`);
      break;
    case 'rejected': {
      if (TERMINAL.has(order.status)) return;
      delete order.cancel;
      // Past its end date the next tick asks again.
      if (order.goodTillDate !== undefined) step.memory.dated.add(order.id);
      step.touch(order);
      step.event(
        order,
        'cancel-refused',
        `${order.exchange} refused the cancel: ${outcome.message} (${outcome.code})`,
      );
      step.publish(order, 'ORDER_UPDATE');
      answerWaiters(step, order.id, ['cancel'], refuse('INVALID_REQUEST', outcome.message, 'VENUE'));
      return;
    }
    case 'unknown':
      startCancelUnknown(step, order, outcome.cause);
      break;
  }
  answerWaiters(step, order.id, ['cancel'], ok(orderOf(order)));
}

/** `askedAt`: wall time of the question; an answer may have been on its way for long. */
export function onQueried(
  step: StepContext,
  order: OrderRecord,
  outcome: QueryOutcome,
  askedAt = step.now.wall,
): void {
  if (outcome.kind === 'found') {
    for (const fill of outcome.fills) applyFill(step, order, fill);
    applyState(step, order, outcome.state);
    answerWaiters(step, order.id, ['place'], placeOutcome(order));
    if (!TERMINAL.has(order.status) && order.cancel?.state === 'unknown') sendCancel(step, order);
    return;
  }
  if (outcome.kind === 'unknown' || TERMINAL.has(order.status)) return;
  const unresolved = order.submission?.unresolved;
  if (!unresolved) {
    const text = `${order.exchange} does not know ${order.id}, which is ${order.status} here`;
    step.effect({ kind: 'log', level: 'error', text, orderId: order.id });
    return;
  }
  if (askedAt < unresolved.settlesAt) return;
  const text = `the order never reached ${order.exchange} (${unresolved.cause}); asked ${unresolved.asked} times until no late arrival was possible`;
  step.move(order, 'ERROR', 'done', 'rejected', text);
  answerWaiters(step, order.id, ['place', 'cancel'], refuse('INVALID_REQUEST', text, 'UNREACHED'));
}

function contradiction(step: StepContext, order: OrderRecord, message: string): void {
  const text = `${order.exchange} says it refused ${order.id} (${message}) but the order is ${order.status}`;
  step.effect({ kind: 'log', level: 'error', text, orderId: order.id });
}
