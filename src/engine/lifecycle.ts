/**
 * The life of an order between intent and end: made, sent once, accepted, filled, ended. Applies the
 * exchange's messages in whatever order they arrive; never sends an order twice. engine.md "Submission";
 * decision S30.
 */
import { dec, maxDec, str, ZERO } from '../domain/decimal.ts';
import { ok } from '../domain/errors.ts';
import { ENDS, type ExchangeFill, type ExchangeOrderState } from '../domain/exchange.ts';
import { type FillRecord, type OrderRecord, TERMINAL } from '../domain/order.ts';
import { isThere } from './absence.ts';
import { endChange, isMade, reserveForChange } from './amend-state.ts';
import {
  bookAccepted,
  bookAmended,
  bookCancelSent,
  bookEnded,
  bookFill,
  bookSent,
  type Heard,
  keepsLock,
  shrinkLock,
} from './booking.ts';
import { fillAfterEnd, stateAfterEnd } from './contradictions.ts';
import { endedBySwitch } from './dead-man.ts';
import { learnNames, takeTerms } from './external.ts';
import { answerWaiters } from './idempotency.ts';
import { joinMade } from './joined.ts';
import { countFill } from './ledger.ts';
import { OrderFills } from './order-fills.ts';
import { inferFill, isToldLate, oweFills } from './owed-fills.ts';
import { takeParked } from './parked-fills.ts';
import { mustSettle } from './pending-end.ts';
import { sendTerms } from './send-terms.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';
import { exchangeOrderOf, sentAs } from './wire-order.ts';

/**
 * Sends an order, which happens once: phase `sending` is stored with this step, the effect is released after
 * the commit.
 */
export function send(step: StepContext, order: OrderRecord): void {
  order.phase = 'sending';
  order.submission = { sentAt: step.now.wall };
  bookSent(step.memory, order);
  step.touch(order);
  const terms = sendTerms(step.memory, order);
  step.effect({ kind: 'submit', exchange: order.exchange, order: exchangeOrderOf(order), terms });
}

/**
 * Applies an absolute state; older or repeated ones change nothing. `answered`: it came in a response, not in
 * the event stream.
 */
export function applyState(
  step: StepContext,
  order: OrderRecord,
  state: ExchangeOrderState,
  answered = false,
): void {
  const heard = { time: state.time, answered };
  if (joinMade(step, order, state.venueIds)) recount(step, order, heard);
  if (learnNames(step, order, state.venueIds))
    for (const parked of takeParked(step.memory, order)) applyFill(step, order, parked.fill, parked.asked);
  if (TERMINAL.has(order.status)) {
    stateAfterEnd(step, order, state);
    return;
  }
  isThere(step.memory, order);
  noteStuck(step, order, state);
  if (!isNews(step, order, state)) {
    becomeKnown(step, order, heard);
    return;
  }
  const isLater = state.seq >= order.seq;
  order.seq = Math.max(order.seq, state.seq);
  becomeKnown(step, order, heard);
  // A state that is newer only for its executions says nothing new about the terms of the order.
  if (isLater || ENDS.has(state.status)) takeChanged(step, order, state, heard);
  step.touch(order);
  arm(step, order, state);
  switch (state.status) {
    case 'PENDING':
      return;
    case 'WORKING':
      open(step, order);
      if (dec(order.executedQty) < dec(state.cumQty)) oweFills(step, order, state);
      return;
    case 'FILLED':
    case 'CANCELLED':
      if (state.status === 'FILLED' || dec(state.cumQty) > ZERO) open(step, order);
      end(step, order, state, heard);
      return;
    case 'REJECTED':
      bookEnded(step.memory, order, heard);
      order.rejectCode = state.reason ?? 'OTHER';
      step.move(
        order,
        'ERROR',
        'done',
        'rejected',
        `${order.exchange} refused: ${state.text ?? 'no reason given'}`,
      );
      return;
  }
}

/**
 * Notes whether the order's trigger was met at its exchange without effect; clears the note when that is
 * over.
 */
function noteStuck(step: StepContext, order: OrderRecord, { status, stuck, seq }: ExchangeOrderState): void {
  if (!stuck) {
    if (status !== 'PENDING') delete order.stuck;
    return;
  }
  if (order.stuck || seq < order.seq || status !== 'PENDING') return;
  order.stuck = true;
  step.touch(order);
  const text = `${order.exchange} has met the trigger of ${order.id} and made nothing of it: it counts as no protection`;
  step.event(order, 'triggered', text);
  step.effect({ kind: 'log', level: 'error', text, orderId: order.id });
  step.publish(order, 'ORDER_UPDATE');
}

/**
 * Returns whether the state is newer than what is known. An end is never outdated: if the order waits for its
 * fills, the end arrives again after a restart.
 */
function isNews(step: StepContext, order: OrderRecord, state: ExchangeOrderState): boolean {
  if (ENDS.has(state.status) || state.seq > order.seq) return true;
  // Executions only grow, so more of them are newer whatever the version says.
  const owed = step.memory.owedFills.get(order.id);
  if (dec(state.cumQty) > maxDec(dec(order.executedQty), dec(owed?.state.cumQty ?? '0'))) return true;
  return state.seq === order.seq && state.status === 'WORKING' && order.status === 'NEW';
}

/**
 * Takes over the terms of the order as the exchange has them now: a change was requested here or elsewhere,
 * and exchanges shrink orders that only close. `wanted`: the price to assume where the state has none.
 */
export function takeChanged(
  step: StepContext,
  order: OrderRecord,
  state: ExchangeOrderState,
  heard: Heard,
  wanted?: string,
): void {
  const { origQty, terms } = state;
  // A waiting order that closes a position has no quantity of its own yet: the record shows the position's.
  const sized = dec(origQty) > ZERO;
  const isSizedLate = order.quoteOrderQty !== undefined || order.closePosition;
  if (state.seq < order.seq) {
    // Exchanges send messages twice, the second time with a later time than that of an end between them.
    if (isSizedLate && sized && ENDS.has(state.status)) order.origQty = origQty;
    return;
  }
  if (order.untold) {
    takeTerms(step, order, state);
    return;
  }
  const price = terms?.price ?? wanted ?? order.price;
  // For an order sized by an amount or by its position, the quantity is known only now.
  if (isSizedLate) {
    if (sized) order.origQty = origQty;
    return;
  }
  const otherQty = sized && dec(origQty) !== dec(order.origQty);
  const otherPrice = price !== undefined && order.price !== undefined && dec(price) !== dec(order.price);
  const own = order.change && isMade(order.change, origQty, price) ? endChange(step, order) : undefined;
  if (!otherQty && !otherPrice && !own) return;
  const before = `${order.origQty}${order.price === undefined ? '' : ` at ${order.price}`}`;
  if (otherQty) order.origQty = origQty;
  if (otherPrice) order.price = price;
  bookAmended(step.memory, order, state.seq, heard);
  const now = `${order.origQty}${order.price === undefined ? '' : ` at ${order.price}`}`;
  if (own?.goodTillDate !== undefined) setEndDate(step, order, own.goodTillDate);
  const what = own ? `changed, asked by ${own.by}` : `${order.exchange} has`;
  const text = own ? `${what}: ${now} now, it was ${before}` : `${what} ${now} now, it was ${before}`;
  step.event(order, 'amended', text);
  const level = own ? 'info' : 'warn';
  step.effect({ kind: 'log', level, text: `${order.id}: ${text}`, orderId: order.id });
  step.publish(order, 'ORDER_UPDATE');
  if (!own) return;
  closeIfFilled(step, order, heard);
  answerWaiters(step, order.id, ['amend'], ok(orderOf(order)));
}

/** Sets the end date; market time, Unix ms. */
export function setEndDate({ memory }: StepContext, order: OrderRecord, at: number): void {
  memory.dated.delete(order.id);
  memory.dated.add(order.id, at);
  order.goodTillDate = at;
}

/**
 * Ends an order that its exchange does not have any more without a report of its end: it ends with the
 * executions that are known.
 */
export function endGone(step: StepContext, order: OrderRecord): void {
  const owed = step.memory.owedFills.get(order.id);
  const inferred = owed ? inferFill(step.memory, order, owed.state) : null;
  if (inferred) applyFill(step, order, inferred, true);
  if (TERMINAL.has(order.status)) return;
  bookEnded(step.memory, order, { answered: true });
  const by = order.cancel ? ` (asked by ${order.cancel.by})` : '';
  const text = `no longer known to ${order.exchange}; ${order.executedQty} executed as far as known${by}`;
  step.effect({ kind: 'log', level: 'error', text: `${order.id}: ${text}`, orderId: order.id });
  if (hasSpentAll(step, order)) order.origQty = order.executedQty;
  const isWhole = dec(order.executedQty) > ZERO && dec(order.executedQty) >= dec(order.origQty);
  if (isWhole) step.move(order, 'CLOSED', 'done', 'closed', text);
  else step.move(order, 'CANCELLED', 'done', 'cancelled', text);
}

/**
 * Returns whether an order over an amount is spent: what is left is worth less than one step of quantity at
 * its average price.
 */
function hasSpentAll(
  { memory }: StepContext,
  { exchange, symbol, quoteOrderQty, quoteQty, executedQty }: OrderRecord,
): boolean {
  const numbers = memory.account(exchange).numbers.get(symbol);
  const executed = dec(executedQty);
  if (quoteOrderQty === undefined || !numbers || executed <= ZERO) return false;
  return (dec(quoteOrderQty) - dec(quoteQty)) * executed < numbers.step * dec(quoteQty);
}

/**
 * Books one execution, once. A fill proves that the order was accepted; one after the end still counts.
 * `answered`: it came in a response.
 */
export function applyFill(step: StepContext, order: OrderRecord, fill: ExchangeFill, answered = false): void {
  const fills = step.memory.fills.get(order.id) ?? new OrderFills();
  if (fills.has(fill.tradeId)) return;
  isThere(step.memory, order);
  if (isToldLate(order, fills)) {
    const text = `${order.exchange} tells late of ${fill.qty} at ${fill.price}: it was inferred before`;
    step.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${text}`, orderId: order.id });
    return;
  }
  const record = fillRecordOf(order, fill);
  fills.add(record);
  step.memory.fills.set(order.id, fills);
  step.row({ kind: 'fill', fill: record });
  countFill(step, order, fill);
  const heard = { time: fill.time, answered };
  becomeKnown(step, order, heard);
  open(step, order);
  const { quantity } = fills;
  order.executedQty = str(quantity);
  order.quoteQty = str(fills.quote);
  bookFill(step.memory, order, fill, heard);
  shrinkLock(step.memory, order, dec(fill.qty));
  reserveForChange(step, order);
  if (order.external && quantity > dec(order.origQty)) order.origQty = str(quantity);
  step.touch(order);
  step.event(order, 'fill', fillText(fill));
  if (TERMINAL.has(order.status)) fillAfterEnd(step, order);
  const owed = step.memory.owedFills.get(order.id);
  const isOwed = owed !== undefined && quantity < dec(owed.state.cumQty);
  if (owed && !isOwed) step.memory.owedFills.delete(order.id);
  if (owed && !isOwed && ENDS.has(owed.state.status))
    end(step, order, owed.state, { time: owed.state.time, answered });
  else if (!closeIfFilled(step, order, heard)) step.publish(order, 'ORDER_UPDATE');
}

/** Counts executions anew after some moved here from another order. */
function recount(step: StepContext, order: OrderRecord, heard: Heard): void {
  isThere(step.memory, order);
  becomeKnown(step, order, heard);
  open(step, order);
  const { quantity, quote } = step.memory.fills.get(order.id) ?? new OrderFills();
  const more = quantity - dec(order.executedQty);
  order.executedQty = str(quantity);
  order.quoteQty = str(quote);
  shrinkLock(step.memory, order, more);
  step.touch(order);
  if (!closeIfFilled(step, order, heard)) step.publish(order, 'ORDER_UPDATE');
}

/**
 * Closes the order if it is completely executed. False: it is not, or this is unclear: while it is being
 * changed, its exchange reports when it has ended.
 */
export function closeIfFilled(step: StepContext, order: OrderRecord, heard: Heard): boolean {
  if (order.status !== 'OPENED' || order.quoteOrderQty !== undefined) return false;
  if (order.closePosition || order.untold || order.change) return false;
  if (dec(order.executedQty) < dec(order.origQty)) return false;
  bookEnded(step.memory, order, heard);
  step.move(order, 'CLOSED', 'done', 'closed', 'filled');
  return true;
}

/**
 * Notes that the exchange has the order: the engine's lock for it is now the exchange's, and nothing is left
 * to resolve.
 */
function becomeKnown(step: StepContext, order: OrderRecord, heard: Heard): void {
  if (order.phase !== 'sending' && order.phase !== 'unresolved') return;
  const wasUnresolved = order.phase === 'unresolved';
  order.phase = 'live';
  order.submission = undefined;
  bookAccepted(step.memory, order, heard);
  if (!keepsLock(step.memory, order)) step.memory.releaseLock(order);
  if (!order.cancel) step.memory.attention.delete(order.id);
  step.touch(order);
  step.event(
    order,
    'accepted',
    wasUnresolved ? `found at ${order.exchange}` : `accepted by ${order.exchange}`,
  );
  if (wasUnresolved) {
    step.resolved.push(order);
    const text = `${order.id} is no longer unresolved: found at ${order.exchange}`;
    step.effect({ kind: 'log', level: 'info', text, orderId: order.id });
    if (order.status === 'NEW') step.publish(order, 'ORDER_UPDATE');
  }
  if (order.cancel?.state === 'wanted') sendCancel(step, order);
}

/**
 * Arms a trailing stop at the exchange: it follows the price from its activation on; without an activation
 * price from the start.
 */
function arm(step: StepContext, order: OrderRecord, state: ExchangeOrderState): void {
  const { trailing } = order;
  if (!trailing || trailing.armedAt !== undefined) return;
  const fromTheStart = trailing.activationPrice === undefined && state.status === 'PENDING';
  const at = state.armedAt ?? (fromTheStart ? state.time : undefined);
  if (at === undefined) return;
  trailing.armedAt = at;
  if (trailing.activationPrice === undefined) return;
  step.event(order, 'armed', `armed: ${order.exchange} follows the price`);
  step.publish(order, 'ORDER_UPDATE');
}

/** Sends a cancel to the exchange; safe to repeat. */
export function sendCancel(step: StepContext, order: OrderRecord): void {
  if (!order.cancel) return;
  order.cancel.state = 'sent';
  delete order.cancel.nextAskAt;
  step.touch(order);
  bookCancelSent(step.memory, order);
  // A change of the order that still waits for its turn is withdrawn.
  if (order.change) step.effect({ kind: 'withdraw', exchange: order.exchange, orderId: order.id });
  step.event(order, 'cancel-sent', `cancel sent to ${order.exchange}`);
  step.effect({ kind: 'cancel', ...step.memory.atExchange(order) });
}

/** Moves NEW to OPENED, once. */
function open(step: StepContext, order: OrderRecord): void {
  if (order.status !== 'NEW') return;
  const how = sentAs(order) === 'MARKET' ? 'executing at' : 'on the book of';
  step.move(order, 'OPENED', 'live', 'accepted', `${how} ${order.exchange}`);
}

/** Handles a final state; waits for fills that the state counts but that have not arrived. */
function end(step: StepContext, order: OrderRecord, state: ExchangeOrderState, heard: Heard): void {
  if (TERMINAL.has(order.status)) return;
  if (dec(order.executedQty) < dec(state.cumQty)) {
    oweFills(step, order, state);
    return;
  }
  step.memory.owedFills.delete(order.id);
  if (mustSettle(step, order, state)) return;
  bookEnded(step.memory, order, heard);
  if (state.status === 'FILLED') step.move(order, 'CLOSED', 'done', 'closed', 'filled');
  else {
    const by = order.cancel ? ` (asked by ${order.cancel.by})` : '';
    const bySwitch = endedBySwitch(step.memory, order, state.time);
    if (bySwitch !== null)
      step.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${bySwitch}`, orderId: order.id });
    step.move(order, 'CANCELLED', 'done', 'cancelled', bySwitch ?? `${state.text ?? 'cancelled'}${by}`);
  }
}

function fillRecordOf(order: OrderRecord, fill: ExchangeFill): FillRecord {
  return {
    exchange: order.exchange,
    tradeId: fill.tradeId,
    orderId: order.id,
    user: order.user,
    symbol: fill.symbol,
    side: fill.side,
    price: fill.price,
    qty: fill.qty,
    comm: fill.comm,
    commAsset: fill.commAsset,
    maker: fill.maker,
    rPnl: fill.rPnl,
    posSide: fill.posSide,
    time: fill.time,
    ...(fill.inferred ? { inferred: true } : {}),
  };
}

function fillText({ maker, qty, price, comm, commAsset, inferred }: ExchangeFill): string {
  if (inferred)
    return `${qty} at ${price} inferred: the exchange counts it and does not tell of it, its fee is not known`;
  return `${maker ? 'maker' : 'taker'} fill ${qty} at ${price}, fee ${comm} ${commAsset}`;
}
