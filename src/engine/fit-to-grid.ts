/**
 * An order that the engine holds was made by the tick and the step of then. Where the symbol has others by the time it fires, it
 * goes out on those: refused as a whole it would protect nothing.
 */
import { ceilTo, dec, floorTo, str, ZERO } from '../domain/decimal.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';

/** Rounds to its disadvantage in price never, and in quantity down; says so, or null when nothing had to change. A run sizes its orders itself. */
export function fitToGrid(memory: EngineMemory, order: OrderRecord): string | null {
  const n = memory.account(order.exchange).numbers.get(order.symbol);
  if (!n || order.creator === 'BOT') return null;
  const words: string[] = [];
  const quantity = floorTo(dec(order.origQty), n.step);
  if (quantity !== dec(order.origQty) && quantity > ZERO) {
    words.push(`${str(quantity)} of ${order.origQty} by the step size ${str(n.step)} of now`);
    order.origQty = str(quantity);
  }
  if (order.price !== undefined) {
    const price = (order.side === 'BUY' ? floorTo : ceilTo)(dec(order.price), n.tick);
    if (price !== dec(order.price) && price > ZERO) {
      words.push(`at ${str(price)} instead of ${order.price} by the tick size ${str(n.tick)} of now`);
      order.price = str(price);
    }
  }
  return words.length > 0 ? words.join(', ') : null;
}
