/**
 * Which lane an order takes to its exchange and how long it may wait there (money-at-risk.md 4): decided when
 * it is sent, carried by the effect. Closing orders wait without limit, and so do orders of a run, a split or
 * a change, which withdraw them when they are not needed any more. Only an entry of a person or a program is
 * given up after a while. Pure.
 */
import { SEND_WITHIN_MS, type SendTerms } from '../domain/lane.ts';
import type { OrderRecord } from '../domain/order.ts';
import { closes } from './entries.ts';
import { closesByOrigin } from './guard-figures.ts';
import type { EngineMemory } from './memory.ts';

export function sendTerms(memory: EngineMemory, order: OrderRecord): SendTerms {
  if (isClose(memory, order)) return { lane: isUrgent(order) ? 'protective' : 'exit', waitMs: null };
  const isWaitedFor = order.creator !== 'BOT' && (order.splitFrom ?? order.replaces) === undefined;
  return { lane: 'entry', waitMs: isWaitedFor ? SEND_WITHIN_MS : null };
}

/** Returns whether the order closes: a run's order by its origin, another by the position. */
function isClose(memory: EngineMemory, order: OrderRecord): boolean {
  const account = memory.account(order.exchange);
  if (order.creator === 'BOT') return closesByOrigin(account, order);
  // The order itself already counts among those that would close.
  return closes(memory, account, { ...order, quantity: '0' });
}

/**
 * Returns whether the order is urgent: a stop, whether it waits there or was fired here, or an order to sell
 * at once.
 */
function isUrgent({ stopPrice, trailing, firedHere, type }: OrderRecord): boolean {
  return stopPrice !== undefined || trailing !== undefined || firedHere === true || type === 'MARKET';
}
