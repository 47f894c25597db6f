/**
 * An order that was taken for an external one but was made by the trigger of one of the desk's orders, which
 * its exchange reports only later. Its executions then move to the desk's order, each once, and the external
 * record stays empty. A run whose position they closed has already counted them as external, with the same
 * effect on its lots: it is not notified again.
 */
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { bookEnded } from './booking.ts';
import { OrderFills } from './order-fills.ts';
import type { StepContext } from './step-context.ts';

/**
 * Moves the executions. `venueIds`: the order's ids at its exchange. True: there were executions of another
 * record.
 */
export function joinMade(step: StepContext, order: OrderRecord, venueIds: readonly string[] = []): boolean {
  const { memory } = step;
  if (order.external || TERMINAL.has(order.status)) return false;
  let hasMore = false;
  for (const venueId of venueIds) {
    const id = memory.wireIds.orderId(order.exchange, venueId, order.symbol);
    const other = id === undefined ? undefined : memory.orders.get(id);
    if (other?.external && other !== order) hasMore = join(step, order, other) || hasMore;
  }
  return hasMore;
}

function join(step: StepContext, order: OrderRecord, other: OrderRecord): boolean {
  const { memory } = step;
  for (const name of memory.wireIds.moveVenueIds(other.id, order.id))
    step.row({ kind: 'wire-id', name, from: other.id });
  const own = memory.fills.get(order.id) ?? new OrderFills();
  const moved = memory.fills.get(other.id) ?? new OrderFills();
  for (const one of moved) {
    const fill = { ...one, orderId: order.id, user: order.user };
    if (!own.has(fill.tradeId)) own.add(fill);
    step.row({ kind: 'fill-moved', fill, from: other.id });
  }
  memory.fills.set(order.id, own);
  memory.fills.delete(other.id);
  memory.owedFills.delete(other.id);
  bookEnded(memory, other, { answered: true });
  memory.account(order.exchange).wallet.untold.rename(other.id, order.id);
  other.executedQty = '0';
  other.quoteQty = '0';
  const text = `not an order of its own: the trigger of ${order.id} has made it`;
  // A record that has ended keeps its status, without its executions.
  if (!TERMINAL.has(other.status)) step.move(other, 'CANCELLED', 'done', 'cancelled', text);
  else {
    other.text = text;
    step.touch(other);
    step.publish(other, 'ORDER_UPDATE');
  }
  const words = `${other.id} was taken for somebody else's: it is what the trigger of ${order.id} has made, and its executions are of that`;
  step.effect({ kind: 'log', level: 'warn', text: words, orderId: order.id });
  return moved.size > 0;
}
