/**
 * FIBO with `crossChannelSell`: exits sell quantities, whatever lots those are. Divides what is held among the
 * exits (strategies.md 3). Pure.
 */
import { type Dec, maxDec, minDec, ZERO } from '../../../domain/decimal.ts';
import { leastQty } from '../../run/minimum.ts';
import { executedOf } from '../../run/slot.ts';
import type { Lot, Slot, StrategyRun } from '../../strategy.ts';
import type { FiboSettings } from './settings.ts';

/** What of a run the exits depend on. */
type ExitRun = Pick<StrategyRun<FiboSettings, unknown>, 'lots' | 'slots' | 'rules' | 'price' | 'want'>;

/**
 * Returns the quantity that each exit still has to sell. An exit stays when another one has sold its
 * lot; all exits together sell what is held, and no more. What no exit sells yet goes to lots whose exits lack
 * it, as far as that makes an order the exchange takes, and the rest to the first exit that changes anyway.
 */
export function quantitiesOf(run: ExitRun, exits: readonly { lot: Lot; price: Dec }[]): Map<Lot, Dec> {
  // What waits because it is too little for an order of its own is free for another exit.
  for (const slot of exitSlots(run)) {
    const price = slot.want?.price ?? run.price;
    if (slot.orders.length === 0 && leftToSell(slot) < leastQty('exit', price, run.rules))
      run.want(slot.name, null);
  }
  let unsold = unsoldOf(run);
  let changed: Lot | undefined;
  const quantities = new Map<Lot, Dec>();
  for (const { lot, price } of exits) {
    const left = leftToSell(run.slots.get(exitSlot(lot.key)));
    const lacking = minDec(unsold, maxDec(lot.qty - left, ZERO));
    const added = left + lacking < leastQty('exit', price, run.rules) ? ZERO : lacking;
    if (added > ZERO) changed ??= lot;
    quantities.set(lot, left + added);
    unsold -= added;
  }
  const taker = changed ?? exits[0]?.lot;
  if (taker) quantities.set(taker, (quantities.get(taker) ?? ZERO) + unsold);
  return quantities;
}

/** Quantity that no exit sells yet. */
function unsoldOf(run: ExitRun): Dec {
  let unsold = ZERO;
  for (const { qty, closing } of run.lots.open) if (!closing) unsold += qty;
  for (const slot of exitSlots(run)) unsold -= leftToSell(slot);
  return maxDec(unsold, ZERO);
}

/** Quantity that an exit by quantity still has to sell. */
export function leftToSell(slot: Slot | undefined): Dec {
  if (slot?.want?.role !== 'exit' || slot.want.qty === null) return ZERO;
  return maxDec(slot.want.qty - slot.filled - executedOf(slot), ZERO);
}

export function exitSlot(lot: string): string {
  return `exit ${lot}`;
}

export function exitSlots(run: Pick<ExitRun, 'slots'>): Slot[] {
  return [...run.slots.state.slots.values()].filter(({ name }) => name.startsWith('exit '));
}
