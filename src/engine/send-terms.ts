/**
 * Which lane an order takes toward its exchange and how long it may wait there (money-at-risk.md 4): decided when it is sent,
 * carried by the effect. What closes waits without limit, and so does what a run, a split or a change wants: that is taken back when it
 * is wanted no more. Only an entry that a person or a program waits for is given up. Pure.
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

/** A run's by its origin; else by what is held. */
function isClose(memory: EngineMemory, order: OrderRecord): boolean {
  const account = memory.account(order.exchange);
  if (order.creator === 'BOT') return closesByOrigin(account, order);
  // It counts among those that would close already.
  return closes(memory, account, { ...order, quantity: '0' });
}

/** A stop, whether it waits there or was fired here, or what is to be sold at once. */
function isUrgent({ stopPrice, trailing, firedHere, type }: OrderRecord): boolean {
  return stopPrice !== undefined || trailing !== undefined || firedHere === true || type === 'MARKET';
}
