/**
 * An order that the engine holds was made by the step size of then. Where the symbol has another by the time it fires, it goes out
 * as a multiple of that: refused as a whole it would protect nothing. Its price is the one that was asked for.
 */
import { dec, floorTo, str, ZERO } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';

/** Rounds its quantity down; says so, or null when nothing had to change. A run sizes its orders itself. */
export function fitToStep(memory: EngineMemory, order: OrderRecord): string | null {
  const n = memory.account(order.exchange).numbers.get(order.symbol);
  if (!n || order.creator === 'BOT') return null;
  const wanted = order.origQty;
  const quantity = floorTo(dec(wanted), n.step);
  if (quantity === dec(wanted) || quantity <= ZERO) return null;
  order.origQty = str(quantity);
  return `${order.origQty} of ${wanted}: the step size is ${str(n.step)} now`;
}
