/**
 * An order that the engine holds was made with the step size of that time. Where the symbol has another step
 * size when the order fires, its quantity becomes a multiple of that: an order refused as a whole would
 * protect nothing. Its price stays as requested.
 */
import { dec, floorTo, str, ZERO } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';

/**
 * Rounds its quantity down; returns the change in words, or null when none was needed. A run sizes its orders
 * itself.
 */
export function fitToStep(memory: EngineMemory, order: OrderRecord): string | null {
  const n = memory.account(order.exchange).numbers.get(order.symbol);
  if (!n || order.creator === 'BOT') return null;
  const wanted = order.origQty;
  const quantity = floorTo(dec(wanted), n.step);
  if (quantity === dec(wanted) || quantity <= ZERO) return null;
  order.origQty = str(quantity);
  return `${order.origQty} of ${wanted}: the step size is ${str(n.step)} now`;
}
