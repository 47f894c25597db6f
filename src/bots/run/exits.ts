/**
 * How the exits of a run are sent (strategies.md 2, stop): which may rest at the exchange and which the
 * engine holds, what of their lots is sold and in how many parts, and what is too little to sell. Does not
 * decide what is wanted. Pure.
 */
import { type Dec, floorTo, roundTo, ZERO } from '../../domain/decimal.ts';
import type { RunOrder, Wanted, WantedExit } from './contract.ts';
import type { PlacedOrder } from './entries.ts';
import { leastQty } from './minimum.ts';
import { sentAs } from './sending.ts';
import type { Sizes } from './sizes.ts';
import { isHeldBack, type Slot, type SlotContext, type Watch } from './slot.ts';
import { reached } from './stops.ts';
import { divided, isReducing } from './wants.ts';

/** What exits need of the book of slots. */
export interface ExitBook {
  readonly sizes: Sizes;
  sellers(lots: readonly string[], except?: string): Slot[];
  /** Sends an order of the slot. */
  place(slot: Slot, order: PlacedOrder): void;
  cancel(order: RunOrder): void;
  /** Lets the slot's order go out when a price is reached; null: the slot waits for no price any more. */
  watch(slot: Slot, watch: Watch | null): void;
  /** Drops the slot's want: it is completed. */
  clear(slot: Slot): void;
}

export class Exits {
  readonly #book: ExitBook;
  readonly #run: SlotContext;

  constructor(book: ExitBook, run: SlotContext) {
    this.#book = book;
    this.#run = run;
  }

  /** Sends the wanted exit, holds it, or turns its lots into dust when they are too little. */
  place(slot: Slot, want: WantedExit): void {
    const { rules, settings, lots } = this.#run;
    // Two orders would lock the same balance: a resting stop is held by the engine again, and an order that
    // is being cancelled must be gone first.
    if (want.stopPrice === null) for (const stop of this.#resting(slot, want)) this.#book.cancel(stop);
    if (this.#book.sellers(want.lots, slot.name).some((other) => other.orders.some((o) => o.cancelAsked)))
      return;
    if (this.mustHold(slot, want)) {
      this.#book.watch(slot, { at: want.stopPrice as Dec, falling: !settings.short, peak: null });
      return;
    }
    const side = settings.short ? 'BUY' : 'SELL';
    const sent = sentAs(want, slot.fired, settings.sell, side, this.#run.price(), rules.tick);
    const at = sent.price ?? sent.stopPrice ?? this.#run.price() ?? ZERO;
    const sold = this.#book.sizes.lotsOf(want);
    // Too little to sell is dust, but not while an entry may buy more of it.
    if (lots.isTooSmall(sold, at) && this.#book.sizes.isBought(sold)) return;
    const all = lots.sellable(sold, at);
    const wanted = want.qty === null ? this.#book.sizes.takeBack(want, all, at) : want.qty - slot.filled;
    const qty = floorTo(wanted < all ? wanted : all, rules.step);
    slot.basis = this.#book.sizes.held(want.lots) + slot.filled;
    if (qty <= ZERO) {
      this.#book.clear(slot);
      if (all === ZERO) this.#run.vanished(slot.name, want.lots);
      return;
    }
    const from = [...want.lots];
    const keepsRest = want.qty === null && this.#book.sizes.takesBack(want);
    const least = leastQty(isReducing(want) ? 'exit' : 'entry', at, rules);
    // A part that is too little by itself waits until the others are sold.
    if (want.qty !== null && qty < least) return;
    for (const piece of divided(
      qty,
      want.stopPrice === null ? (settings.sell?.size ?? 1) : 1,
      rules.step,
      least,
    )) {
      this.#book.place(slot, {
        role: 'exit',
        side,
        ...sent,
        ...(sent.stopPrice !== null && want.workingType ? { workingType: want.workingType } : {}),
        ...(keepsRest ? { keepsRest } : {}),
        qty: piece,
        label: want.label,
        into: [],
        from,
      });
    }
  }

  /**
   * True when the engine must hold the stop. On spot: while exits of the same lots rest (strategies.md 2,
   * stop). On futures: while others have a part of the position too, since the exchange would fill both
   * orders, the second out of their part.
   */
  mustHold(slot: Slot, want: WantedExit): boolean {
    if (want.stopPrice === null || slot.fired || !this.#oneAtATime()) return false;
    return this.#book
      .sellers(want.lots, slot.name)
      .some((other) => other.want !== null && !other.fired && !isHeldBack(other));
  }

  /** True when only one of the exits of the same lots may rest. */
  #oneAtATime(): boolean {
    return this.#run.rules.kind === 'spot' || this.#run.shared();
  }

  /** Stops that rest at the exchange for the lots of another exit. */
  #resting(slot: Slot, want: WantedExit): RunOrder[] {
    if (!this.#oneAtATime()) return [];
    return this.#book
      .sellers(want.lots, slot.name)
      .filter((other) => other.want?.role === 'exit' && other.want.stopPrice !== null && !other.fired)
      .flatMap(({ orders }) => orders);
  }

  /** True when no other exit keeps the stop from the exchange any more. */
  isHeldInVain(slot: Slot, want: Wanted): boolean {
    if (want.role !== 'exit' || !isHeldBack(slot)) return false;
    return !this.#oneAtATime() || this.#book.sellers(want.lots, slot.name).every(isHeldBack);
  }

  /**
   * True for an exit's stop that the last price has passed before it could be placed: no exchange takes it,
   * so it is sold at once.
   */
  isPassed(slot: Slot): boolean {
    const { want, retryAt } = slot;
    if (want?.role !== 'exit' || want.stopPrice === null || slot.fired || slot.left) return false;
    const waits = slot.watch !== null || slot.orders.length > 0 || (retryAt ?? 0) > this.#run.now();
    const price = this.#run.price();
    // The exchange knows the mark price and triggers such a stop itself.
    if (waits || price === null || want.workingType === 'MARK_PRICE' || !this.#book.sizes.anyOpen(want))
      return false;
    return reached(price, roundTo(want.stopPrice, this.#run.rules.tick), this.#run.settings.short);
  }
}
