/**
 * How the exits of a run go out (strategies.md 2, stop): where one may rest at the exchange and where the engine holds it, what of its lots is
 * sold with it and in how many parts, and what too little is. Says nothing of what is wanted. Pure.
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

/** What is needed of the book of slots. */
export interface ExitBook {
  readonly sizes: Sizes;
  sellers(lots: readonly string[], except?: string): Slot[];
  /** Sends an order of the slot. */
  place(slot: Slot, order: PlacedOrder): void;
  cancel(order: RunOrder): void;
  /** The slot goes out at a price; null: it waits for none any more. */
  watch(slot: Slot, watch: Watch | null): void;
  /** What was wanted is done with. */
  clear(slot: Slot): void;
}

export class Exits {
  readonly #book: ExitBook;
  readonly #run: SlotContext;

  constructor(book: ExitBook, run: SlotContext) {
    this.#book = book;
    this.#run = run;
  }

  /** Sends what is wanted, or holds it, or makes dust of what is too little. */
  place(slot: Slot, want: WantedExit): void {
    const { rules, settings, lots } = this.#run;
    // Both would lock the same balance: a stop is held again, and what is being withdrawn must be gone first.
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
    // What is too little by itself is dust, but not while more of it may be bought.
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
   * On spot a stop is held by the engine while exits of the same lots rest (strategies.md 2, stop); on futures where others have
   * a part of the position: the exchange would fill both, and the second out of theirs.
   */
  mustHold(slot: Slot, want: WantedExit): boolean {
    if (want.stopPrice === null || slot.fired || !this.#oneAtATime()) return false;
    return this.#book
      .sellers(want.lots, slot.name)
      .some((other) => other.want !== null && !other.fired && !isHeldBack(other));
  }

  /** Of the exits of the same lots only one may rest. */
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

  /** No other exit keeps the stop from the exchange any more. */
  isHeldInVain(slot: Slot, want: Wanted): boolean {
    if (want.role !== 'exit' || !isHeldBack(slot)) return false;
    return !this.#oneAtATime() || this.#book.sellers(want.lots, slot.name).every(isHeldBack);
  }

  /** An exit's stop that the last price has passed before it could be placed: no exchange takes it, it is carried out. */
  isPassed(slot: Slot): boolean {
    const { want, retryAt } = slot;
    if (want?.role !== 'exit' || want.stopPrice === null || slot.fired || slot.left) return false;
    const waits = slot.watch !== null || slot.orders.length > 0 || (retryAt ?? 0) > this.#run.now();
    const price = this.#run.price();
    // Of the mark price the exchange knows.
    if (waits || price === null || want.workingType === 'MARK_PRICE' || !this.#book.sizes.anyOpen(want))
      return false;
    return reached(price, roundTo(want.stopPrice, this.#run.rules.tick), this.#run.settings.short);
  }
}
