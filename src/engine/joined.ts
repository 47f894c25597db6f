/**
 * An order that was taken for somebody else's and is what a trigger of ours has made: its exchange tells that only later. Its
 * executions are ours from then on, each once, and the other one is nothing more. A run that holds what they have closed has taken
 * them for somebody else's by then, which is as true of its lots as its own would be: it is not told again.
 */
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { bookEnded } from './booking.ts';
import type { StepContext } from './step-context.ts';

/** `venueIds`: names of the order by its exchange. True: it has executions that were another one's. */
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
  const own = memory.fills.get(order.id) ?? [];
  const moved = memory.fills.get(other.id) ?? [];
  for (const one of moved) {
    const fill = { ...one, orderId: order.id, user: order.user };
    if (!own.some(({ tradeId }) => tradeId === fill.tradeId)) own.push(fill);
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
  // One that has ended stays what it was, without its executions.
  if (!TERMINAL.has(other.status)) step.move(other, 'CANCELLED', 'done', 'cancelled', text);
  else {
    other.text = text;
    step.touch(other);
    step.publish(other, 'ORDER_UPDATE');
  }
  const words = `${other.id} was taken for somebody else's: it is what the trigger of ${order.id} has made, and its executions are of that`;
  step.effect({ kind: 'log', level: 'warn', text: words, orderId: order.id });
  return moved.length > 0;
}
