/**
 * The outcome of changing a resting order: the exchange's response, what a query shows when the response got
 * lost, and the response to the command here. Responses to an earlier change do not affect the present one.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { ENDS, type QueryOutcome } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { endChange, isMade, tellsOf } from './amend-state.ts';
import { provenAfterMs } from './back-off.ts';
import { answerWaiters } from './idempotency.ts';
import { applyState, closeIfFilled, takeChanged } from './lifecycle.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

type Amended = Extract<EngineEvent, { type: 'amended' }>;

export function onAmended(step: StepContext, order: OrderRecord, { n, outcome, sentAt }: Amended): void {
  const isPresent = order.change?.n === n;
  const isLatest = order.changes === n;
  switch (outcome.kind) {
    case 'done': {
      const to = order.change?.to;
      applyState(step, order, outcome.state, true);
      // Fields missing from the response count as changed as requested.
      if (isPresent && order.change?.n === n)
        takeChanged(step, order, outcome.state, { time: outcome.state.time, answered: true }, to?.price);
      if (isPresent && order.change?.n === n) {
        outdated(step, order);
        if (ENDS.has(outcome.state.status) && !TERMINAL.has(order.status)) {
          // Its executions arrive separately: nothing was left of the new quantity, so the record keeps the
          // old one.
          const text = `order ${order.id} had executed as much already: it has ended at ${order.exchange}`;
          answerChange(step, order, refuse('CONFLICT', text));
          return;
        }
      }
      if (isLatest) answerChange(step, order, ok(orderOf(order)));
      return;
    }
    case 'gone':
      if (outcome.state) applyState(step, order, outcome.state, true);
      if (!isPresent || !order.change) {
        if (isLatest) answerChange(step, order, endedFirst(order));
        return;
      }
      if (outcome.state) notMade(step, order, `order ${order.id} had ended there before`, 'CONFLICT');
      else startChangeUnknown(step, order, `${order.exchange} has nothing open under this id`, step.now.mono);
      return;
    case 'rejected':
      if (isPresent && order.change) {
        notMade(step, order, `${order.exchange} refused it: ${outcome.message} (${outcome.code})`, 'refused');
        return;
      }
      if (isLatest) answerChange(step, order, refuse('INVALID_REQUEST', outcome.message, 'VENUE'));
      return;
    case 'unknown':
      if (isPresent && order.change?.state === 'sent')
        startChangeUnknown(step, order, outcome.cause, provenAt(step, order, sentAt ?? step.now.mono));
      else if (isLatest && !isPresent) answerChange(step, order, endedFirst(order));
      return;
  }
}

/**
 * Handles a lost response. `settlesAt`: time from which on a query that shows no change proves that none was
 * made.
 */
export function startChangeUnknown(
  step: StepContext,
  order: OrderRecord,
  cause: string,
  settlesAt: number,
): void {
  const { change } = order;
  if (!change) return;
  change.state = 'unknown';
  change.nextAskAt = step.now.wall;
  step.memory.changeWatch.set(order.id, { askAt: step.now.mono, settlesAt });
  step.memory.attention.add(order.id);
  step.touch(order);
  step.event(order, 'unknown', `the outcome of the change is unknown: ${cause}; asking ${order.exchange}`);
  step.publish(order, 'ORDER_UPDATE');
  answerChange(step, order, ok(orderOf(order)));
}

/**
 * Handles a change that was under way at a start: its request may have left as late as the end of the
 * previous run.
 */
export function restartChange(step: StepContext, order: OrderRecord): void {
  if (!order.change) return;
  const cause = 'the desk stopped before the answer came';
  startChangeUnknown(step, order, cause, provenAt(step, order, step.now.mono));
}

/** Handles the response to a query about the order. `askedAt`: monotonic. */
export function onChangeQueried(
  step: StepContext,
  order: OrderRecord,
  outcome: QueryOutcome,
  askedAt: number,
): void {
  const { change } = order;
  if (change?.state !== 'unknown' || outcome.kind !== 'found') return;
  const { state } = outcome;
  // An event may have reported this version before, but without the fields that prove the change.
  if (isMade(change, state.origQty, state.terms?.price) && state.seq >= order.seq) {
    takeChanged(step, order, state, { time: state.time, answered: true });
    return;
  }
  const settlesAt = step.memory.changeWatch.get(order.id)?.settlesAt ?? Number.POSITIVE_INFINITY;
  if (askedAt < settlesAt || !tellsOf(change, state)) return;
  notMade(step, order, `${order.exchange} has not made it`, 'unreached');
}

/** Ends a change that was not made: the order is as before. */
function notMade(
  step: StepContext,
  order: OrderRecord,
  why: string,
  how: 'CONFLICT' | 'refused' | 'unreached',
): void {
  const wasTold = order.change?.state === 'unknown';
  endChange(step, order);
  const text = `not changed: ${why}`;
  step.event(order, 'amend-refused', text);
  if (wasTold) {
    step.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${text}`, orderId: order.id });
    step.publish(order, 'ORDER_UPDATE');
  }
  closeIfFilled(step, order, { answered: true });
  if (how === 'CONFLICT') answerChange(step, order, refuse('CONFLICT', text));
  else answerChange(step, order, refuse('INVALID_REQUEST', text, how === 'refused' ? 'VENUE' : 'UNREACHED'));
}

/** Ends a change that was made, when something newer is already known of the order. */
function outdated(step: StepContext, order: OrderRecord): void {
  const wasTold = order.change?.state === 'unknown';
  endChange(step, order);
  step.event(order, 'amended', `${order.exchange} has changed it, and it is something else by now`);
  if (wasTold) step.publish(order, 'ORDER_UPDATE');
  closeIfFilled(step, order, { answered: true });
}

function endedFirst(order: OrderRecord): Outcome<unknown> {
  const text = `order ${order.id} is ${order.status}; whether it was changed before is not known`;
  return TERMINAL.has(order.status) ? refuse('CONFLICT', text) : ok(orderOf(order));
}

function answerChange(step: StepContext, order: OrderRecord, outcome: Outcome<unknown>): void {
  answerWaiters(step, order.id, ['amend'], outcome);
}

function provenAt({ memory }: StepContext, order: OrderRecord, sentAt: number): number {
  return sentAt + provenAfterMs(memory.account(order.exchange).caps);
}
