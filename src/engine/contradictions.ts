/**
 * Orders that have ended here but prove to be alive at their exchange (S62). The order keeps its status; what
 * is open there is counted, cancelled with one request, and watched until the exchange does not have it any
 * more. No order is sent again.
 */
import { dec, ZERO } from '../domain/decimal.ts';
import { ok } from '../domain/errors.ts';
import type { CancelOutcome, ExchangeOrderState, QueryOutcome } from '../domain/exchange.ts';
import { type ContradictionState, isContradicted, type OrderRecord } from '../domain/order.ts';
import { rejectKind } from '../domain/reject-code.ts';
import { backOff, provenAfterMs } from './back-off.ts';
import { answerWaiters } from './idempotency.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

/** Pause between the queries about an order whose cancel the exchange has refused, ms. */
const REFUSED_MS = 30_000;

/**
 * Handles a state of an order that has ended here. Only a state newer than the end proves anything: states
 * often arrive late and twice. `listed`: it comes from a list of open orders that was requested after the
 * end.
 */
export function stateAfterEnd(
  step: StepContext,
  order: OrderRecord,
  state: ExchangeOrderState,
  listed = false,
): void {
  const found = currentOf(order);
  if (found) {
    follow(step, order, found, state, listed);
    return;
  }
  // A state with fewer executions than known here is older, whatever its version.
  if (dec(state.cumQty) < dec(order.executedQty) || (!listed && state.seq <= order.seq)) return;
  const at = whereOf(state);
  // The order ended there, too, with the same executions.
  if (at === 'ENDED' && dec(state.cumQty) <= dec(order.executedQty)) return;
  order.seq = Math.max(order.seq, state.seq);
  begin(step, order, at, state.cumQty, `${order.exchange} says ${state.status}, ${state.cumQty} executed`);
}

/**
 * Handles a booked execution of an order that has ended here. If the order counted as refused, it proves that
 * it was not.
 */
export function fillAfterEnd(step: StepContext, order: OrderRecord): void {
  const isFull = isSized(order) && dec(order.executedQty) >= dec(order.origQty);
  const at = isFull ? 'ENDED' : 'WORKING';
  const found = currentOf(order);
  if (found) {
    if (isFull) found.at = at;
    settle(step, order, found);
    return;
  }
  // Ended by a response, or because there was none: the exchange has reported no state of it.
  if (order.status !== 'ERROR' || order.seq > 0 || order.contradiction) return;
  begin(step, order, at, order.executedQty, `${order.exchange} has executed ${order.executedQty} of it`);
}

/**
 * Returns whether the order is in a list of open orders that was requested after it had ended here, and that
 * cannot come from a replica that missed the end. `askedAt`: monotonic.
 */
export function isListedAfterEnd(memory: EngineMemory, order: OrderRecord, askedAt?: number): boolean {
  const { settleMs = 0 } = memory.account(order.exchange).caps;
  return askedAt !== undefined && askedAt > (memory.endedAt.get(order.id) ?? memory.startedAt) + settleMs;
}

/** Handles the outcome of the cancel. True: the exchange has refused it for good. */
export function onContradictionCancelled(
  step: StepContext,
  order: OrderRecord,
  found: ContradictionState,
  outcome: CancelOutcome,
): boolean {
  switch (outcome.kind) {
    case 'done':
    case 'gone':
      if (outcome.state) follow(step, order, found, outcome.state);
      if (!isContradicted(order) || found.at === 'ENDED') return false;
      cancelUnknown(step, order, found, `${order.exchange} has nothing open under this id`);
      return false;
    case 'rejected': {
      const text = `${order.exchange} refused the cancel: ${outcome.message} (${outcome.code})`;
      const passing = rejectKind(outcome.reason) === 'passing';
      found.cancel = passing ? 'unsent' : 'refused';
      step.event(order, 'cancel-refused', text);
      step.effect({
        kind: 'log',
        level: 'error',
        text: `${order.id} is still open: ${text}`,
        orderId: order.id,
      });
      askAfter(step, order, found, passing ? backOff(found.asked) : REFUSED_MS);
      step.publish(order, 'ORDER_UPDATE');
      return !passing;
    }
    case 'unknown':
      cancelUnknown(step, order, found, outcome.cause);
      return false;
  }
}

/** Handles the response to a query. `askedAt`: monotonic. */
export function onContradictionQueried(
  step: StepContext,
  order: OrderRecord,
  found: ContradictionState,
  outcome: QueryOutcome,
  askedAt: number,
): void {
  const watch = step.memory.contradictions.get(order.id);
  if (outcome.kind === 'unknown' || !watch) return;
  if (outcome.kind === 'absent') {
    // An earlier response may come from a replica that lags, which may be why the order counted as absent.
    if (askedAt < watch.settlesAt) return;
    const owed = dec(found.cumQty) > dec(order.executedQty);
    const executed = owed
      ? `; it counted ${found.cumQty} executed, and ${order.executedQty} of that is known`
      : '';
    gone(step, order, found, `${order.exchange} does not know it any more${executed}`);
    return;
  }
  const { settleMs = 0 } = step.memory.account(order.exchange).caps;
  follow(step, order, found, outcome.state, askedAt > watch.since + settleMs);
  if (!isContradicted(order) || found.at === 'ENDED' || whereOf(outcome.state) === 'ENDED') return;
  const neverArrived =
    found.cancel === 'unsent' || (found.cancel === 'unknown' && askedAt >= watch.settlesAt);
  if (neverArrived) sendCancel(step, order, found);
}

/** Handles a request for its cancel: one that was refused is sent again, one that is under way is not. */
export function cancelContradiction(step: StepContext, order: OrderRecord, by: string): void {
  const found = currentOf(order);
  if (!found || found.at === 'ENDED') return;
  if (found.cancel !== 'refused' && found.cancel !== 'unsent') return;
  step.event(order, 'cancel-wanted', `cancel wanted by ${by}`);
  sendCancel(step, order, found);
  step.publish(order, 'ORDER_UPDATE');
}

/** Queries, after a load, the outcome of a cancel that was under way: it may or may not have left. */
export function restartContradiction(step: StepContext, order: OrderRecord): void {
  const found = currentOf(order);
  if (!found) return;
  watchOver(step, order);
  if (found.cancel === 'sent') found.cancel = 'unknown';
  askAfter(step, order, found, 0);
}

/** Queries the exchange for the state of the order. */
export function askContradiction(step: StepContext, order: OrderRecord): void {
  const found = currentOf(order);
  if (!found) return;
  askAfter(step, order, found, found.cancel === 'refused' ? REFUSED_MS : backOff(found.asked));
  found.asked += 1;
  step.effect({ kind: 'query', ...step.memory.atExchange(order) });
}

/** Returns the monotonic time of the next query; Infinity without one. */
export function contradictionDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.contradictions.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** Returns the contradiction that is not over; null without one. */
export function currentOf(order: OrderRecord): ContradictionState | null {
  return isContradicted(order) ? (order.contradiction ?? null) : null;
}

function begin(
  step: StepContext,
  order: OrderRecord,
  at: ContradictionState['at'],
  cumQty: string,
  proof: string,
): void {
  const found: ContradictionState = { since: step.now.wall, proof, at, cumQty, asked: 0 };
  order.contradiction = found;
  step.memory.reopen(order);
  watchOver(step, order);
  step.touch(order);
  step.event(order, 'contradiction', `not ended at ${order.exchange}: ${proof}`);
  const what = `${order.side} ${order.type} ${order.origQty} ${order.symbol}`;
  const follows = at === 'ENDED' ? 'its executions are asked for' : 'it is being cancelled';
  const text = `CONTRADICTION: ${order.id} (${what}) is ${order.status} here, but ${proof}; ${follows}`;
  step.effect({ kind: 'log', level: 'error', text, orderId: order.id });
  if (at === 'ENDED') settle(step, order, found);
  else sendCancel(step, order, found);
  if (isContradicted(order)) step.publish(order, 'ORDER_UPDATE');
}

/** Follows a new state. `fresh`: requested later than everything that is known. */
function follow(
  step: StepContext,
  order: OrderRecord,
  found: ContradictionState,
  state: ExchangeOrderState,
  fresh = false,
): void {
  if (state.seq < order.seq && !fresh) return;
  const at = whereOf(state);
  if (found.at === 'ENDED' && at !== 'ENDED') return;
  const grown = dec(state.cumQty) > dec(found.cumQty);
  if (at === found.at && !grown) return;
  order.seq = Math.max(order.seq, state.seq);
  found.at = at;
  if (grown) found.cumQty = state.cumQty;
  step.touch(order);
  if (at === 'ENDED') settle(step, order, found);
  if (isContradicted(order)) step.publish(order, 'ORDER_UPDATE');
}

/** Ends the contradiction of an order that has ended there, once its executions are here. */
function settle(step: StepContext, order: OrderRecord, found: ContradictionState): void {
  if (found.at !== 'ENDED') return;
  if (dec(order.executedQty) >= dec(found.cumQty)) {
    gone(step, order, found, `not open at ${order.exchange} any more, ${order.executedQty} executed`);
  } else askAfter(step, order, found, 0);
}

function gone(step: StepContext, order: OrderRecord, found: ContradictionState, text: string): void {
  found.at = 'ENDED';
  found.goneAt = step.now.wall;
  delete found.cancel;
  delete found.nextAskAt;
  step.memory.closeReopened(order);
  step.memory.endedAt.set(order.id, step.now.mono);
  step.touch(order);
  step.event(order, 'contradiction', text);
  step.effect({ kind: 'log', level: 'info', text: `${order.id}: ${text}`, orderId: order.id });
  step.publish(order, 'ORDER_UPDATE');
  answerWaiters(step, order.id, ['cancel'], ok(orderOf(order)));
}

function sendCancel(step: StepContext, order: OrderRecord, found: ContradictionState): void {
  const watch = watchOver(step, order);
  found.cancel = 'sent';
  delete found.nextAskAt;
  watch.askAt = Number.POSITIVE_INFINITY;
  step.touch(order);
  step.event(order, 'cancel-sent', `cancel sent to ${order.exchange}`);
  step.effect({ kind: 'cancel', ...step.memory.atExchange(order) });
}

function cancelUnknown(
  step: StepContext,
  order: OrderRecord,
  found: ContradictionState,
  cause: string,
): void {
  found.cancel = 'unknown';
  step.event(order, 'unknown', `the outcome of the cancel is unknown: ${cause}; asking ${order.exchange}`);
  askAfter(step, order, found, 0);
  step.publish(order, 'ORDER_UPDATE');
}

/**
 * Starts a watch: responses requested from now on are news, and a cancel sent by now has arrived when the
 * window is over.
 */
function watchOver(step: StepContext, order: OrderRecord) {
  const { caps } = step.memory.account(order.exchange);
  const since = step.memory.contradictions.get(order.id)?.since ?? step.now.mono;
  const settlesAt = step.now.mono + provenAfterMs(caps);
  const watch = { since, settlesAt, askAt: Number.POSITIVE_INFINITY };
  step.memory.contradictions.set(order.id, watch);
  return watch;
}

function askAfter(step: StepContext, order: OrderRecord, found: ContradictionState, delayMs: number): void {
  const watch = step.memory.contradictions.get(order.id);
  if (!watch) return;
  watch.askAt = step.now.mono + delayMs;
  found.nextAskAt = step.now.wall + delayMs;
  step.memory.attention.add(order.id);
  step.touch(order);
}

function whereOf({ status, cumQty, origQty }: ExchangeOrderState): ContradictionState['at'] {
  if (status === 'PENDING') return 'PENDING';
  const isFull = dec(origQty) > ZERO && dec(cumQty) >= dec(origQty);
  return status === 'WORKING' && !isFull ? 'WORKING' : 'ENDED';
}

/** Returns whether its quantity was known when it was sent. */
function isSized(order: OrderRecord): boolean {
  return order.quoteOrderQty === undefined && !order.closePosition;
}
