/** Wanted orders compared and divided (strategies.md 2, "orders"). Pure. */
import { type Dec, div, floorTo, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { WorkingType } from '../../schemas/order.ts';
import type { CommonSettings } from '../settings/compiled.ts';
import type { EntryPart, RunOrder, TickBounds, Wanted, WantedEntry, WantedExit } from './contract.ts';
import type { Watch } from './slot.ts';

const HUNDRED = 100n * ONE;

export function isReducing(want: Wanted | null): boolean {
  return want?.role !== 'exit' || want.reduceOnly !== false;
}

/** True when the two share a lot; no lots named: all lots. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((lot) => b.includes(lot));
}

/**
 * Divides a quantity over `count` orders, or over as many as are not below `least`: each is rounded down, the
 * last takes the rest.
 */
export function divided(qty: Dec, count: number, step: Dec, least: Dec): Dec[] {
  for (let parts = count; parts > 1; parts--) {
    const each = floorTo(qty / BigInt(parts), step);
    if (each === ZERO || each < least) continue;
    return [...Array.from({ length: parts - 1 }, () => each), qty - each * BigInt(parts - 1)];
  }
  return [qty];
}

/** Takes `qty` off the front of the parts, which shrink. */
export function takeParts(parts: { lot: string; label: string; qty: Dec }[], qty: Dec) {
  const taken: { lot: string; label: string; qty: Dec }[] = [];
  let rest = qty;
  for (const part of parts) {
    if (rest === ZERO) break;
    if (part.qty === ZERO) continue;
    const piece = part.qty < rest ? part.qty : rest;
    taken.push({ ...part, qty: piece });
    part.qty -= piece;
    rest -= piece;
  }
  return taken;
}

/** A sale of these lots: at once, or at a price. */
export function saleOf(lots: readonly string[], label: string, price: Dec | null): WantedExit {
  const type = price === null ? 'MARKET' : 'LIMIT';
  return { role: 'exit', type, price, stopPrice: null, lots, qty: null, label, trail: null };
}

/** Returns the price that the slot waits for; null when the order itself rests at the host. */
export function watchOf(want: Wanted, { short, buy, sell }: CommonSettings): Watch | null {
  if (want.type !== 'LIMIT' || want.price === null) return null;
  const falling = (want.role === 'entry') !== short;
  if (want.role === 'exit' && want.trail !== null) return { at: want.price, falling, peak: null };
  const way = want.role === 'entry' ? buy : sell;
  return way && way.type !== null ? { at: want.price, falling, peak: null } : null;
}

/** True when the price is back on the side of a stop entry on which it can rest. */
export function isBack({ at, falling }: Watch, price: Dec): boolean {
  return falling ? price < at : price > at;
}

/** Quantity that a part buys at a price, rounded down. */
export function partQty({ qty, budget }: EntryPart, price: Dec, step: Dec): Dec {
  if (qty !== null) return floorTo(qty, step);
  return budget === null || price <= ZERO ? ZERO : floorTo(div(budget, price), step);
}

/** Prices between which an exit that is trailed from `peak` neither follows nor sells. */
export function trailBounds(peak: Dec, percent: Dec, short: boolean): TickBounds {
  const trigger = div(mul(peak, short ? HUNDRED + percent : HUNDRED - percent), HUNDRED);
  return short ? { below: peak, above: trigger } : { below: trigger, above: peak };
}

/**
 * Follows a trailed exit from its target on: `percent` below its peak it sells, but not where the price has
 * jumped to further than that below the target.
 */
export function trail(
  watch: Watch,
  percent: Dec,
  price: Dec,
  short: boolean,
): { moved: boolean; fires: boolean } {
  const beyond = (a: Dec, b: Dec) => (short ? a <= b : a >= b);
  if (watch.peak === null && !beyond(price, watch.at)) return { moved: false, fires: false };
  const moved = watch.peak === null || (price !== watch.peak && beyond(price, watch.peak));
  const peak = moved || watch.peak === null ? price : watch.peak;
  watch.peak = peak;
  const factor = short ? HUNDRED + percent : HUNDRED - percent;
  const floor = div(mul(watch.at, factor), HUNDRED);
  const trigger = div(mul(peak, factor), HUNDRED);
  return { moved, fires: beyond(trigger, price) && beyond(price, floor) };
}

export function sameInto(order: RunOrder, want: WantedEntry): boolean {
  return want.parts.some((part) => part.lot === order.into[0]?.lot);
}

/** True when the second want changes the first: an entry for the same lots, or another way to sell. */
export function goesOn(from: Wanted | null, to: Wanted | null): boolean {
  if (from?.role === 'entry' && to?.role === 'entry') return from.parts[0]?.lot === to.parts[0]?.lot;
  return from?.role === 'exit' && to?.role === 'exit';
}

/** Returns the type of price that triggers the stop. */
export function triggerOf({ workingType }: Pick<WantedExit | RunOrder, 'workingType'>): WorkingType {
  return workingType ?? 'CONTRACT_PRICE';
}

export function sameWant(a: Wanted, b: Wanted): boolean {
  if (a.role !== b.role || a.type !== b.type || a.price !== b.price || a.stopPrice !== b.stopPrice)
    return false;
  if (a.role === 'entry' && b.role === 'entry') {
    return (
      a.parts.length === b.parts.length &&
      a.parts.every((part, i) => {
        const other = b.parts[i] as EntryPart;
        return part.lot === other.lot && part.budget === other.budget && part.qty === other.qty;
      })
    );
  }
  if (a.role === 'exit' && b.role === 'exit') {
    const sameWay = a.trail === b.trail && triggerOf(a) === triggerOf(b);
    return a.qty === b.qty && sameWay && a.lots.join() === b.lots.join();
  }
  return false;
}

/** Prices between which neither of the two wakes. */
export function narrowed(a: TickBounds, b: TickBounds): TickBounds {
  const below = a.below === null || (b.below !== null && b.below > a.below) ? b.below : a.below;
  const above = a.above === null || (b.above !== null && b.above < a.above) ? b.above : a.above;
  return { below, above };
}
