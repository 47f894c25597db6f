/**
 * In hedge mode an exit is known by its sides, and one that is larger than its position is refused as a whole, however often it is
 * tried: what the engine holds goes out as large as what is there when it fires. One-way exits are cut by their exchange.
 */
import { dec, str, ZERO } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import { mostReducible } from './positions.ts';

/** Lowers the quantity of an exit to the position; says so, or null when nothing had to change. A run sizes its orders itself. */
export function fitToPosition(memory: EngineMemory, order: OrderRecord): string | null {
  const { symbol, side, positionSide, origQty: wanted } = order;
  const account = memory.account(order.exchange);
  if (positionSide === 'BOTH' || order.closePosition || order.creator === 'BOT') return null;
  if (!account.futures?.hedge || (positionSide === 'LONG') !== (side === 'SELL')) return null;
  const held = mostReducible(account, symbol, side, positionSide);
  // Of none the exchange says so itself.
  if (held === ZERO || dec(wanted) <= held) return null;
  order.origQty = str(held);
  return `${order.origQty} of ${wanted}: the ${positionSide} position is no larger`;
}
