/**
 * In hedge mode the sides of an order make it an exit, and an exit larger than its position is refused as a
 * whole, at every retry: an exit held by the engine is sent with at most the position's size when it fires.
 * One-way exits are cut by their exchange.
 */
import { dec, str, ZERO } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import { mostReducible } from './positions.ts';

/**
 * Lowers the quantity of an exit to the position; returns the change in words, or null when none was needed.
 * A run sizes its orders itself.
 */
export function fitToPosition(memory: EngineMemory, order: OrderRecord): string | null {
  const { symbol, side, positionSide, origQty: wanted } = order;
  const account = memory.account(order.exchange);
  if (positionSide === 'BOTH' || order.closePosition || order.creator === 'BOT') return null;
  if (!account.futures?.hedge || (positionSide === 'LONG') !== (side === 'SELL')) return null;
  const held = mostReducible(account, symbol, side, positionSide);
  // Without a position the exchange itself refuses the order.
  if (held === ZERO || dec(wanted) <= held) return null;
  order.origQty = str(held);
  return `${order.origQty} of ${wanted}: the ${positionSide} position is no larger`;
}
