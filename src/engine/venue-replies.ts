/**
 * The exchange's responses to a send, a cancel or a query, and the requests here that they answer. engine.md,
 * submission rules 3 to 6.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { CancelOutcome, QueryOutcome, SubmitOutcome } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { isGone } from './absence.ts';
import { onChangeQueried } from './amend-replies.ts';
import { currentOf, onContradictionCancelled, onContradictionQueried } from './contradictions.ts';
import { answerWaiters } from './idempotency.ts';
import { keyRefused, keyWorks } from './key-refused.ts';
import { applyFill, applyState, endGone, sendCancel } from './lifecycle.ts';
import { inferredFill } from './owed-fills.ts';
import { onSettled } from './pending-end.ts';
import { endUnsent } from './resend.ts';
import { askCancelLater, startCancelUnknown, startUnresolved } from './resolver.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

/**
 * Handles the response to a send. `sentAt`: monotonic time at which the request left. Where the adapter does
 * not report it, it may have been as late as now.
 */
export function onSubmitted(
  step: StepContext,
  order: OrderRecord,
  outcome: SubmitOutcome,
  sentAt = step.now.mono,
): void {
  switch (outcome.kind) {
    case 'accepted':
      keyWorks(step, step.memory.account(order.exchange));
      applyState(step, order, outcome.state, true);
      break;
    case 'rejected':
      keyRefused(step, step.memory.account(order.exchange), outcome.reason);
      if (isOnItsWay(order)) {
        const unsent = outcome.reason === 'BUDGET';
        order.rejectCode = outcome.reason;
        endUnsent(
          step,
          order,
          unsent ? outcome.message : `${order.exchange} refused: ${outcome.message} (${outcome.code})`,
        );
        const refused = refuse('INVALID_REQUEST', outcome.message, unsent ? 'BUDGET' : 'VENUE');
        answerWaiters(step, order.id, ['place', 'cancel'], refused);
        return;
      }
      if (order.status === 'ERROR') {
        // The stream was faster than the response.
        answerWaiters(step, order.id, ['place'], refuse('INVALID_REQUEST', outcome.message, 'VENUE'));
        return;
      }
      contradiction(step, order, outcome.message);
      break;
    case 'withdrawn':
      if (isOnItsWay(order)) withdrawn(step, order);
      return;
    case 'unknown':
      if (order.phase === 'sending') {
        order.submission = { sentAt: step.wallOf(sentAt) };
        startUnresolved(step, order, outcome.cause, sentAt);
      }
      break;
  }
  answerWaiters(step, order.id, ['place'], placeOutcome(order));
}

/**
 * Handles an order, or its cancel, that waits for its turn: the request is answered with the present state,
 * and events report the outcome (S35).
 */
export function onWaits(step: StepContext, order: OrderRecord): void {
  if (TERMINAL.has(order.status)) return;
  const what = order.cancel ? 'its cancel waits' : order.change ? 'its change waits' : 'waits';
  step.event(order, 'held', `${what} for its turn: what ${order.exchange} lets be sent is used up`);
  answerWaiters(step, order.id, ['place', 'cancel', 'amend'], ok(orderOf(order)));
}

function isOnItsWay({ status, phase }: OrderRecord): boolean {
  return status === 'NEW' && (phase === 'sending' || phase === 'unresolved');
}

/**
 * Handles an order that never left. If no cancel withdrew it, it was given up: its replacement may be sent as
 * another order.
 */
function withdrawn(step: StepContext, order: OrderRecord): void {
  if (order.cancel) {
    const text = `not sent: cancelled by ${order.cancel.by} before it had its turn`;
    step.move(order, 'CANCELLED', 'done', 'cancelled', text);
    answerWaiters(step, order.id, ['place', 'cancel'], ok(orderOf(order)));
    return;
  }
  const text = `not sent: it was given up before it had its turn at ${order.exchange}`;
  order.rejectCode = 'BUDGET';
  endUnsent(step, order, text);
  answerWaiters(step, order.id, ['place', 'cancel'], refuse('INVALID_REQUEST', text, 'BUDGET'));
}

/** Returns the response to the request that placed the order once the outcome is known (S2). */
export function placeOutcome(order: OrderRecord): Outcome<unknown> {
  if (order.status !== 'ERROR') return ok(orderOf(order));
  return refuse('INVALID_REQUEST', order.text ?? `${order.exchange} refused the order`, 'VENUE');
}

export function onCancelled(step: StepContext, order: OrderRecord, outcome: CancelOutcome): void {
  const contradiction = currentOf(order);
  if (contradiction) {
    const refused = onContradictionCancelled(step, order, contradiction, outcome);
    const reply =
      refused && outcome.kind === 'rejected'
        ? refuse('INVALID_REQUEST', outcome.message, 'VENUE')
        : ok(orderOf(order));
    answerWaiters(step, order.id, ['cancel'], reply);
    return;
  }
  switch (outcome.kind) {
    case 'done':
    case 'gone':
      if (outcome.state) applyState(step, order, outcome.state, true);
      else startCancelUnknown(step, order, `${order.exchange} has nothing open under this id`);
      break;
    case 'rejected': {
      if (TERMINAL.has(order.status)) return;
      const text = `${order.exchange} refused the cancel: ${outcome.message} (${outcome.code})`;
      step.event(order, 'cancel-refused', text);
      if (order.cancel?.keep) {
        askCancelLater(step, order, order.cancel, text);
        break;
      }
      order.cancel = undefined;
      // The engine itself cancels the order at its end date.
      if (order.goodTillDate !== undefined) step.memory.dated.add(order.id, order.goodTillDate);
      step.touch(order);
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

/**
 * Handles the response to a query. `askedAt`: monotonic time of the query; the response may have been on its
 * way for long.
 */
export function onQueried(
  step: StepContext,
  order: OrderRecord,
  outcome: QueryOutcome,
  askedAt = step.now.mono,
): void {
  if (outcome.kind === 'found') for (const fill of outcome.fills) applyFill(step, order, fill, true);
  const contradiction = currentOf(order);
  if (contradiction) {
    onContradictionQueried(step, order, contradiction, outcome, askedAt);
    return;
  }
  const settled = outcome.kind === 'unknown' ? null : onSettled(step.memory, order, askedAt);
  if (outcome.kind === 'absent' && settled) {
    applyState(step, order, settled, true);
    return;
  }
  if (outcome.kind === 'found') {
    applyState(step, order, outcome.state, true);
    onChangeQueried(step, order, outcome, askedAt);
    const inferred = TERMINAL.has(order.status) ? null : inferredFill(step, order);
    if (inferred) applyFill(step, order, inferred, true);
    answerWaiters(step, order.id, ['place'], placeOutcome(order));
    if (!TERMINAL.has(order.status) && order.cancel?.state === 'unknown') sendCancel(step, order);
    return;
  }
  if (outcome.kind === 'unknown' || TERMINAL.has(order.status)) return;
  const unresolved = order.submission?.unresolved;
  if (!unresolved) {
    if (order.phase === 'live' && isGone(step, order, askedAt)) endGone(step, order);
    return;
  }
  if (askedAt < (step.memory.deadlines.get(order.id)?.settlesAt ?? Number.POSITIVE_INFINITY)) return;
  const text = `the order never reached ${order.exchange} (${unresolved.cause}); asked ${unresolved.asked} times until no late arrival was possible`;
  order.rejectCode = 'UNREACHED';
  endUnsent(step, order, text);
  answerWaiters(step, order.id, ['place', 'cancel'], refuse('INVALID_REQUEST', text, 'UNREACHED'));
}

function contradiction(step: StepContext, order: OrderRecord, message: string): void {
  const text = `${order.exchange} says it refused ${order.id} (${message}) but the order is ${order.status}`;
  step.effect({ kind: 'log', level: 'error', text, orderId: order.id });
}
