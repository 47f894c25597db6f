/**
 * Orders that the engine holds because the exchange cannot (S26): market stops and take-profits, trailing
 * stops, end dates. Driven by ticks and market time only, so a replay gives the same result at every speed.
 */
import { type Dec, dec, str } from '../domain/decimal.ts';
import { ok } from '../domain/errors.ts';
import { type CancelState, type OrderRecord, TERMINAL, type TrailingState } from '../domain/order.ts';
import { fitToFunds } from './fit-to-funds.ts';
import { fitToPosition } from './fit-to-position.ts';
import { fitToStep } from './fit-to-step.ts';
import { endGuarded, passGuards } from './guards.ts';
import { answerWaiters } from './idempotency.ts';
import { send, sendCancel } from './lifecycle.ts';
import type { MarketMemory } from './market-memory.ts';
import type { EngineMemory } from './memory.ts';
import { closedToEntries, closedWhy } from './permissions.ts';
import { withdrawSplit } from './split-plan.ts';
import type { StepContext } from './step-context.ts';
import { triggersAbove } from './validate.ts';
import { orderOf, trailLevel } from './views.ts';

/** Trailing peaks are stored at most this often (architecture.md, promises). */
const PEAK_STORE_MS = 1_000;

type PriceSource = 'last' | 'mark';

/**
 * Handles a new last or mark price of a symbol on its market: arms, trails and fires the orders that are held
 * there and watch that price, oldest first.
 */
export function onPrice(
  step: StepContext,
  market: MarketMemory,
  symbol: string,
  price: Dec,
  source: PriceSource,
): void {
  for (const id of market.heldOn(symbol)) {
    const order = step.memory.orders.get(id);
    if (order?.phase === 'held' && sourceOf(market, order) === source) look(step, order, price);
  }
}

/**
 * Fires deferred orders once the link is up again, or the account takes entries again, if their condition
 * still holds at the current price (S53).
 */
export function fireDeferred(step: StepContext, exchange: string): void {
  for (const id of step.memory.account(exchange).market.heldIds()) {
    const order = step.memory.orders.get(id);
    if (order?.exchange !== exchange) continue;
    step.memory.deferred.delete(id);
    lookNow(step, order);
  }
}

/** Tries replacement orders that have waited long enough. */
export function tryDue(step: StepContext): void {
  for (const [id, at] of [...step.memory.retryAt]) {
    if (at > step.now.mono) continue;
    step.memory.retryAt.delete(id);
    const order = step.memory.orders.get(id);
    if (order) lookNow(step, order);
  }
}

/** Starts to hold an order: a trailing stop whose condition is met arms at once, at the last known price. */
export function startHeld(step: StepContext, order: OrderRecord): void {
  const price = watchedPrice(step, order);
  if (order.trailing && price !== undefined) trail(step, order, order.trailing, price);
}

/** Cancels orders that have reached their end date (market time). */
export function expireDated(step: StepContext): void {
  for (const id of step.memory.dated.takeDue(step.now.market)) {
    const order = step.memory.orders.get(id);
    if (!order) continue;
    const text = `good till ${order.goodTillDate}: expired`;
    cancelOrder(step, order, 'the end date', text, { keep: true });
  }
}

/**
 * Cancels an order in any phase: held here, before its send, on its way, or live. `by` goes into the order's
 * history. Ends a split that is under way (S54), except when the cancel is the split's own.
 */
export function cancelOrder(
  step: StepContext,
  order: OrderRecord,
  by: string,
  text: string,
  how: Pick<CancelState, 'keep' | 'forSplit' | 'forChange'> = {},
): void {
  if (TERMINAL.has(order.status)) return;
  if (order.phase === 'held' || order.phase === 'waiting') {
    step.move(order, 'CANCELLED', 'done', 'cancelled', text);
    answerWaiters(step, order.id, ['place'], ok(orderOf(order)));
    return;
  }
  if (order.cancel) {
    joinCancel(step, order, order.cancel, by, text, how.keep === true);
    return;
  }
  order.cancel = { state: 'wanted', by, asked: 0, ...how };
  step.event(order, 'cancel-wanted', text);
  if (order.phase === 'live') {
    sendCancel(step, order);
    return;
  }
  step.touch(order);
  // The order may still wait for its turn.
  if (order.phase === 'sending')
    step.effect({ kind: 'withdraw', exchange: order.exchange, orderId: order.id });
}

/** Joins a further request to a cancel that is under way. */
function joinCancel(
  step: StepContext,
  order: OrderRecord,
  cancel: CancelState,
  by: string,
  text: string,
  keep: boolean,
): void {
  if (cancel.forSplit) {
    delete cancel.forSplit;
    delete cancel.forChange;
    cancel.by = by;
    withdrawSplit(step, order, text);
    step.touch(order);
    step.publish(order, 'ORDER_UPDATE');
  }
  if (keep && !cancel.keep) {
    cancel.keep = true;
    step.touch(order);
  }
  if (cancel.state === 'refused') sendCancel(step, order);
}

function lookNow(step: StepContext, order: OrderRecord): void {
  const price = watchedPrice(step, order);
  if (order.phase === 'held' && price !== undefined) look(step, order, price);
}

/**
 * Returns the price that a held order watches: its `workingType` on contracts; the last price where the
 * market has no mark price, and on spot.
 */
function sourceOf(market: MarketMemory, { isContract, workingType, symbol }: OrderRecord): PriceSource {
  return isContract && workingType === 'MARK_PRICE' && market.marks.has(symbol) ? 'mark' : 'last';
}

function watchedPrice(step: StepContext, order: OrderRecord): Dec | undefined {
  const { market } = step.memory.account(order.exchange);
  const prices = sourceOf(market, order) === 'mark' ? market.marks : market.prices;
  return prices.get(order.symbol);
}

/**
 * Trails, and fires when the condition holds and the order may be sent; nothing is sent while the link is
 * down, and no entry where entries are not taken.
 */
function look(step: StepContext, order: OrderRecord, price: Dec): void {
  if (!fires(step, order, price)) return;
  const { memory } = step;
  if ((memory.retryAt.get(order.id) ?? Number.NEGATIVE_INFINITY) > step.now.mono) return;
  const why = heldBackWhy(memory, order);
  if (why === null) fire(step, order, price);
  else if (!memory.deferred.has(order.id)) {
    memory.deferred.add(order.id);
    const text = `met at ${str(price)} while ${why} and still holds`;
    step.event(order, 'held', text);
    step.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${text}`, orderId: order.id });
  }
}

/** Returns why the order cannot be sent although its condition is met, and until when; null: it can. */
function heldBackWhy(memory: EngineMemory, order: OrderRecord): string | null {
  const account = memory.account(order.exchange);
  if (!account.link.up) return `the connection to ${order.exchange} is down: fires when it is up`;
  // The order itself counts among those that would close.
  const closed = closedToEntries(memory, account, { ...order, quantity: '0' });
  return closed && `${order.exchange} ${closedWhy(account)}: fires when it takes entries`;
}

function fires(step: StepContext, order: OrderRecord, price: Dec): boolean {
  if (order.trailing) return trail(step, order, order.trailing, price);
  if (order.stopPrice === undefined) return false;
  const stop = dec(order.stopPrice);
  return triggersAbove(order.type, order.side) ? price >= stop : price <= stop;
}

/**
 * Updates the best price: a sell follows the highest price and fires `delta` below it; a buy follows the
 * lowest and fires above it.
 */
function trail(step: StepContext, order: OrderRecord, trailing: TrailingState, price: Dec): boolean {
  const sell = order.side === 'SELL';
  if (trailing.best === undefined) {
    if (trailing.activationPrice !== undefined) {
      const activation = dec(trailing.activationPrice);
      if (sell ? price < activation : price > activation) return false;
    }
    trailing.best = str(price);
    trailing.armedAt = step.now.market;
    step.touch(order);
    step.event(order, 'armed', `armed at ${str(price)}`);
    step.publish(order, 'ORDER_UPDATE');
    return false;
  }
  const best = dec(trailing.best);
  if (sell ? price > best : price < best) {
    trailing.best = str(price);
    const storedAt = step.memory.peakStoredAt.get(order.id) ?? Number.NEGATIVE_INFINITY;
    if (step.now.mono - storedAt >= PEAK_STORE_MS) {
      step.memory.peakStoredAt.set(order.id, step.now.mono);
      step.touch(order, true);
    } else step.memory.movedPeaks.add(order.id);
    return false;
  }
  const level = trailLevel(order.side, trailing.delta, best);
  return sell ? price <= level : price >= level;
}

function fire(step: StepContext, order: OrderRecord, price: Dec): void {
  step.memory.unhold(order);
  step.memory.deferred.delete(order.id);
  step.memory.retryAt.delete(order.id);
  const how = order.trailing
    ? `${order.trailing.delta / 100} % from ${order.trailing.best}`
    : `at or beyond ${order.stopPrice}`;
  step.event(order, 'triggered', `triggered at ${str(price)}: ${how}`);
  for (const less of [
    fitToFunds(step, order, price),
    fitToPosition(step.memory, order),
    fitToStep(step.memory, order),
  ]) {
    if (less === null) continue;
    step.event(order, 'triggered', less);
    step.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${less}`, orderId: order.id });
  }
  const problem = passGuards(step, order, { fired: true });
  if (problem) {
    endGuarded(step, order, problem);
    return;
  }
  send(step, order);
  const what = order.price === undefined ? 'market' : 'limit';
  step.event(order, 'sent', `sent to ${order.exchange} as a ${what} order`);
}
