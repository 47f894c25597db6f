/**
 * What still happens to a run that has ended: refused cancels are tried again, fills of orders that were left
 * at the exchange or that crossed their cancel are booked, and the sale that a forced stop asked for goes out
 * once no other order rests on its lots. A sale that is rejected or finds no buyer is not tried again. Pure.
 */
import { ZERO } from '../../domain/decimal.ts';
import type { RunInput } from './contract.ts';
import { sellAll } from './ending.ts';
import type { RunParts } from './run-parts.ts';

/** Handles one input after the end; a timer has been called already. */
export function afterEnd(run: RunParts, input: RunInput): void {
  const { slots, state } = run;
  if (input.type === 'timer') slots.sync();
  if (input.type !== 'order') return;
  const { change } = input;
  const found = slots.find(change.key);
  if (!found) return;
  const { slot, order } = found;
  const words = `${order.side} ${order.label}`;
  run.changed = true;
  if (change.kind === 'fill') {
    const start = order.executed;
    order.executed += change.fill.qty;
    state.stats.fills++;
    if (order.role === 'entry') run.bought(order, change.fill, start);
    else run.sold(order, change.fill);
    if (order.role === 'entry' && state.stopping?.sell) sellAll(run);
  } else if (change.kind === 'stays') run.stays(slot, order);
  else if (change.kind !== 'accepted' && change.kind !== 'triggered')
    slot.orders = slot.orders.filter((one) => one !== order);
  if (change.kind === 'rejected') {
    slot.want = null;
    run.notice(1, `${words} was rejected after the end of the run: ${change.reason}`);
  } else if (change.kind === 'ended' && slot.want && !order.cancelAsked && order.executed === ZERO) {
    // The exchange accepted the order and ended it unfilled: trying again at once would repeat that
    // endlessly.
    slot.want = null;
    run.notice(1, `${words} found nobody after the end of the run: the position is kept`);
  }
  slots.touchAll();
  slots.sync();
}
