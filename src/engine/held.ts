/**
 * Orders that the engine holds because the exchange cannot (S26): market stops and take-profits, trailing stops, end dates.
 * Driven by ticks and market time only, so a replay gives the same at every speed.
 */
import { type Dec, dec, decOfInt, div, mul, str } from '../domain/decimal.ts';
import type { OrderRecord, TrailingState } from '../domain/order.ts';
import { TERMINAL } from '../domain/order.ts';
import { send, sendCancel } from './lifecycle.ts';
import type { StepContext } from './step-context.ts';
import { triggersAbove } from './validate.ts';

/** Trailing peaks are stored at most this often (architecture.md rule 2). */
const PEAK_STORE_MS = 1_000;
const BPS = decOfInt(10_000);

/** A new last price of `symbol`: arms, trails and fires what is held there, oldest first. */
export function onPrice(step: StepContext, symbol: string, price: Dec): void {
  const ids = step.memory.held.get(symbol);
  if (!ids || ids.size === 0) return;
  for (const id of [...ids]) {
    const order = step.memory.orders.get(id);
    if (order && order.phase === 'held' && fires(step, order, price)) fire(step, order, price);
  }
}

/** An order has just come to be held: a trailing stop whose condition is met arms at once, at the price known now. */
export function startHeld(step: StepContext, order: OrderRecord): void {
  const last = step.memory.prices.get(order.symbol);
  if (order.trailing && last !== undefined) trail(step, order, order.trailing, last);
}

/** Cancels what has reached its end date (market time). */
export function expireDated(step: StepContext): void {
  for (const id of step.memory.dated) {
    const order = step.memory.orders.get(id);
    if (!order || order.goodTillDate === undefined || order.goodTillDate > step.now.market) continue;
    step.memory.dated.delete(id);
    cancelOrder(step, order, 'the end date', `good till ${order.goodTillDate}: expired`);
  }
}

/** Cancels wherever the order stands: held here, on its way, or live. `by` goes into the order's history. */
export function cancelOrder(step: StepContext, order: OrderRecord, by: string, text: string): void {
  if (TERMINAL.has(order.status) || order.cancel) return;
  if (order.phase === 'held') {
    step.move(order, 'CANCELLED', 'done', 'cancelled', text);
    return;
  }
  order.cancel = { state: 'wanted', by, asked: 0 };
  step.event(order, 'cancel-wanted', text);
  if (order.phase === 'live') sendCancel(step, order);
  else step.touch(order);
}

function fires(step: StepContext, order: OrderRecord, price: Dec): boolean {
  if (order.trailing) return trail(step, order, order.trailing, price);
  if (order.stopPrice === undefined) return false;
  const stop = dec(order.stopPrice);
  return triggersAbove(order.type, order.side) ? price >= stop : price <= stop;
}

/** A sell follows the highest price and fires `delta` below it; a buy follows the lowest and fires above it. */
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
    const storedAt = step.memory.peakStoredAt.get(order.id) ?? 0;
    if (step.now.wall - storedAt >= PEAK_STORE_MS) {
      step.memory.peakStoredAt.set(order.id, step.now.wall);
      step.touch(order, true);
    } else step.memory.movedPeaks.add(order.id);
    return false;
  }
  const distance = mul(best, div(decOfInt(trailing.delta), BPS));
  return sell ? price <= best - distance : price >= best + distance;
}

function fire(step: StepContext, order: OrderRecord, price: Dec): void {
  step.memory.unhold(order);
  const how = order.trailing
    ? `${order.trailing.delta / 100} % from ${order.trailing.best}`
    : `at or beyond ${order.stopPrice}`;
  step.event(order, 'triggered', `triggered at ${str(price)}: ${how}`);
  send(step, order);
  const what = order.price === undefined ? 'market' : 'limit';
  step.event(order, 'sent', `sent to ${order.exchange} as a ${what} order`);
}
