/**
 * A protective order that the engine held and fired, and that is certainly not at the exchange: it is sent
 * again as another order with an id of its own, after a pause and while its condition holds (S53). Each
 * intent is still sent only once.
 */
import { type OrderRecord, TRIES_BEFORE_ALARM } from '../domain/order.ts';
import { rejectKind } from '../domain/reject-code.ts';
import { closes } from './entries.ts';
import type { EngineMemory } from './memory.ts';
import { IDS_PER_MOMENT, orderId, randomOf } from './order-ids.ts';
import type { StepContext } from './step-context.ts';

/** Pause before the first, second, ... further try; the last one repeats. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;

/**
 * Ends an order that is certainly not at the exchange; its reject code tells whether the reason passes by
 * itself.
 */
export function endUnsent(step: StepContext, order: OrderRecord, text: string): void {
  const again = rejectKind(order.rejectCode) === 'passing';
  const next = again && isProtective(step.memory, order) ? replacementOf(step, order) : null;
  const { lock } = order;
  if (next) order.replacedBy = next.id;
  step.move(order, 'ERROR', 'done', 'rejected', text);
  if (!next) return;
  step.memory.addOrder(next, []);
  if (lock) step.memory.setLock(next, lock.asset, lock.amount);
  const delay = waitAfter(next);
  step.memory.retryAt.set(next.id, step.now.mono + delay);
  step.touch(next);
  step.event(next, 'created', `in place of ${order.id}, which is not at ${order.exchange}: ${text}`);
  step.event(next, 'held', `held by the engine: tried again in ${delay / 1_000} s while its condition holds`);
  step.publish(next, 'ORDER_CREATE');
  report(step, next, text);
}

/** Restarts every pause after a load, since monotonic times mean nothing in another process. */
export function restartWaits(step: StepContext): void {
  for (const id of step.memory.heldIds()) {
    const order = step.memory.orders.get(id);
    if (order?.tries !== undefined) step.memory.retryAt.set(id, step.now.mono + waitAfter(order));
  }
}

/** Returns the earliest monotonic time at which a replacement may be tried; Infinity without one. */
export function nextTry(memory: EngineMemory): number {
  let next = Number.POSITIVE_INFINITY;
  for (const at of memory.retryAt.values()) next = Math.min(next, at);
  return next;
}

function waitAfter({ tries = 0 }: OrderRecord): number {
  return WAITS_MS[Math.min(tries, WAITS_MS.length) - 1] ?? WAITS_MS[0];
}

/**
 * Returns whether the order is sent again: a run handles its own orders (run rule 3), and a cancelled order
 * is not sent again.
 */
function isProtective(memory: EngineMemory, order: OrderRecord): boolean {
  const account = memory.account(order.exchange);
  if (order.creator === 'BOT' || order.cancel || !order.firedHere) return false;
  // Without the order itself, which is still open.
  const others = { ...order, quantity: '0' };
  return closes(memory, account, others);
}

function replacementOf(step: StepContext, order: OrderRecord): OrderRecord {
  const { endedAt: _1, submission: _2, cancel: _3, text: _4, lock: _5, rejectCode: _6, ...same } = order;
  const { memory, now } = step;
  const { caps } = memory.account(order.exchange);
  const tries = (order.tries ?? 0) + 1;
  return {
    ...same,
    ...(order.trailing ? { trailing: { ...order.trailing } } : {}),
    // S19: made from the previous id, so that no random source is needed here. Its random part stays; time
    // and number of the try distinguish it from the other orders of its chain. Orders of runs, whose ids
    // continue after that part, are not tried again here.
    id: orderId(caps.idPrefix, memory.desk.id, now.wall, randomOf(order.id), tries % IDS_PER_MOMENT),
    status: 'NEW',
    phase: 'held',
    isWorking: false,
    replaces: order.id,
    tries,
    orderTime: step.now.market,
    createdAt: step.now.wall,
    updatedAt: step.now.wall,
    seq: 0,
  };
}

/** Logs every further try; as an error once the position counts as without a stop. */
function report(step: StepContext, order: OrderRecord, why: string): void {
  const { tries = 0 } = order;
  const what = `${order.side} ${order.type} ${order.origQty} ${order.symbol}`;
  const alarm = tries === TRIES_BEFORE_ALARM + 1;
  const text = alarm
    ? `WITHOUT STOP: ${what} did not reach ${order.exchange} ${tries} times; ${order.id} is tried every 30 s. The last time: ${why}`
    : `${order.id} takes the place of ${order.replaces}: ${what} is tried again`;
  step.effect({ kind: 'log', level: alarm ? 'error' : 'warn', text, orderId: order.id });
}
