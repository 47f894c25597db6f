/**
 * Prices that slots wait for instead of resting an order at them: when one fires, how a trailed exit follows,
 * which ticks matter. Pure.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { TickBounds } from './contract.ts';
import type { Slot } from './slot.ts';
import { isBack, narrowed, trail, trailBounds } from './wants.ts';

export interface Looked {
  /** The watch has changed. */
  readonly moved: boolean;
  /** The wanted order goes out now. */
  readonly fires: boolean;
  /** A stop entry may rest again. */
  readonly back: boolean;
}

/** Checks a slot at a new last price. */
export function look({ watch, want, fired }: Slot, price: Dec, short: boolean): Looked {
  const nothing = { moved: false, fires: false, back: false };
  if (!watch || !want || fired) return nothing;
  if (want.role === 'exit' && want.trail !== null)
    return { ...nothing, ...trail(watch, want.trail, price, short) };
  if (watch.back) {
    const back = isBack(watch, price);
    return { moved: back, fires: false, back };
  }
  return { ...nothing, fires: watch.falling ? price <= watch.at : price >= watch.at };
}

/** Prices between which no watch fires or follows; null: every tick counts. */
export function watchBounds(slots: Iterable<Slot>, short: boolean): TickBounds | null {
  let quiet: TickBounds = { below: null, above: null };
  for (const { watch, want, fired, starved, barred } of slots) {
    // These slots are tried again at each tick.
    if (starved || barred?.ticks === null) return null;
    if (barred?.ticks) quiet = narrowed(quiet, barred.ticks);
    if (!watch || !want || fired) continue;
    const { at, falling, peak } = watch;
    if (peak === null)
      quiet = narrowed(quiet, falling ? { below: at, above: null } : { below: null, above: at });
    else if (want.role === 'exit') quiet = narrowed(quiet, trailBounds(peak, want.trail ?? ZERO, short));
  }
  return quiet;
}
