/** Wanted orders compared and divided (strategies.md 2, "orders"). Pure. */
import { type Dec, floorTo, ZERO } from '../../domain/decimal.ts';
import type { EntryPart, Quiet, RunOrder, Wanted, WantedEntry } from './contract.ts';

export function isReducing(want: Wanted | null): boolean {
  return want?.role !== 'exit' || want.reduceOnly !== false;
}

/** No lots named = all lots. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((lot) => b.includes(lot));
}

/** A quantity over `count` orders: each rounded down, the last takes the rest. */
export function divided(qty: Dec, count: number, step: Dec): Dec[] {
  if (count === 1) return [qty];
  const each = floorTo(qty / BigInt(count), step);
  if (each === ZERO) return [qty];
  return [...Array.from({ length: count - 1 }, () => each), qty - each * BigInt(count - 1)];
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

export function sameInto(order: RunOrder, want: WantedEntry): boolean {
  return want.parts.some((part) => part.lot === order.into[0]?.lot);
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
    return a.qty === b.qty && a.trail === b.trail && a.lots.join() === b.lots.join();
  }
  return false;
}

/** Prices between which neither is woken. */
export function narrowed(a: Quiet, b: Quiet): Quiet {
  const below = a.below === null || (b.below !== null && b.below > a.below) ? b.below : a.below;
  const above = a.above === null || (b.above !== null && b.above < a.above) ? b.above : a.above;
  return { below, above };
}
