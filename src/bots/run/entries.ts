/**
 * Entries of a run: how each is sent, what remains to be done when one is over, and stops that the price has
 * already passed, which no exchange takes (strategies.md 2, "orders", and R2). Pure.
 */
import { type Dec, floorTo, mul, roundTo, str, ZERO } from '../../domain/decimal.ts';
import type { RunOrder, WantedEntry } from './contract.ts';
import { mustWait } from './entry-guard.ts';
import { leastQty } from './minimum.ts';
import { sentAs } from './sending.ts';
import type { Sizes } from './sizes.ts';
import { type Slot, type SlotContext, serves, type Watch } from './slot.ts';
import { divided, isBack, partQty, takeParts, watchOf } from './wants.ts';

/** The fields that a slot decides when it places an order; the book of slots sets the rest. */
export type PlacedOrder = Omit<
  RunOrder,
  'key' | 'slot' | 'executed' | 'phase' | 'cancelAsked' | 'reduceOnly'
>;

/** What entries need of the book of slots. */
export interface EntryBook {
  readonly sizes: Sizes;
  watch(slot: Slot, watch: Watch | null): void;
  place(slot: Slot, order: PlacedOrder): void;
  /** Drops the slot's want: it is completed. */
  clear(slot: Slot): void;
  touchAll(): void;
}

export class Entries {
  readonly #book: EntryBook;
  readonly #run: SlotContext;

  constructor(book: EntryBook, run: SlotContext) {
    this.#book = book;
    this.#run = run;
  }

  place(slot: Slot, want: WantedEntry): void {
    const { rules, settings } = this.#run;
    if (slot.fired && this.#hasLeft(want)) {
      slot.fired = false;
      this.#run.followed();
      this.#book.watch(slot, watchOf(want, settings));
      return;
    }
    if (this.waitsBack(slot)) return;
    const side = settings.short ? 'SELL' : 'BUY';
    const sent = sentAs(want, slot.fired, settings.buy, side, this.#run.price(), rules.tick);
    const at = sent.price ?? sent.stopPrice ?? this.#run.price();
    if (at === null) return;
    const into = want.parts
      .map((part) => ({ lot: part.lot, label: part.label, qty: partQty(part, at, rules.step) }))
      .filter(({ qty }) => qty > ZERO);
    let qty = ZERO;
    for (const part of into) qty += part.qty;
    const label = want.parts.map((part) => part.label).join(', ');
    if (qty < rules.minQty || qty === ZERO || mul(qty, at) < rules.minNotional) {
      this.#run.notice(3, `${label}: not placed, below the exchange minimum`);
      return;
    }
    takeParts(into, slot.filled);
    // The filled quantity may be of another step size.
    qty = floorTo(qty - slot.filled, rules.step);
    // The remainder may be too little for an order of its own.
    if (qty < rules.minQty || qty <= ZERO || mul(qty, at) < rules.minNotional) return;
    if (mustWait(slot, want, sent, qty, label, this.#run)) return;
    for (const piece of divided(qty, settings.buy?.size ?? 1, rules.step, leastQty('entry', at, rules))) {
      const share = takeParts(into, piece);
      this.#book.place(slot, { role: 'entry', side, ...sent, qty: piece, label, into: share, from: [] });
    }
  }

  /**
   * Clears the want when the entry is complete, or when one that went out at once has filled in part: the
   * unfilled rest is dropped. An entry that got nothing is sent again.
   */
  ended(slot: Slot, want: WantedEntry, order: RunOrder): void {
    if (!order.cancelAsked || order.executed > ZERO) this.follow(slot, order);
    const atOnce = this.atOnce(slot);
    const { grid } = order;
    const asked = order.price === null ? null : this.#book.sizes.sizeOf(want, order.price, grid?.step);
    const complete = order.executed === order.qty && (asked === null || slot.filled >= asked);
    const dropped = order.type === 'MARKET' || !order.cancelAsked;
    if (complete || (atOnce && dropped && slot.filled > ZERO)) this.done(slot);
    // Another part of the entry may have been refused and may be waiting for its retry.
    else if (atOnce && dropped && slot.retryAt === null) slot.starved = true;
  }

  /**
   * True when an order of the slot was refused after the others that went out at once with it have bought
   * what there is.
   */
  hasEnough(slot: Slot): boolean {
    return this.atOnce(slot) && slot.orders.length === 0 && slot.filled > ZERO;
  }

  /** Drops the slot's want, and its retry with it. */
  done(slot: Slot): void {
    if (slot.retryAt !== null) this.#run.timer(`retry ${slot.name}`, null);
    this.#book.clear(slot);
    this.#book.touchAll();
  }

  /** True when the entry is sent instead of resting. */
  atOnce({ want, fired }: Slot): boolean {
    return want?.role === 'entry' && (fired || want.type === 'MARKET');
  }

  /** What an order leaves unfilled of a triggered stop is an ordinary order: never a stop again. */
  follow(slot: Slot, order: RunOrder): void {
    if (slot.want?.role !== 'entry' || slot.want.stopPrice === null || !serves(order, slot)) return;
    if (order.stopPrice !== null && (order.executed > ZERO || this.#isPassed(order.stopPrice)))
      slot.fired = true;
  }

  /**
   * Lets a stop that the last price has passed wait until the price is back on its side; only then it rests.
   * No exchange takes it before, not at exactly its price either. False: the price is on the right side.
   */
  waitsBack(slot: Slot): boolean {
    const { want } = slot;
    if (want?.role !== 'entry' || want.stopPrice === null || slot.fired) return false;
    const { rules, settings } = this.#run;
    const at = roundTo(want.stopPrice, rules.tick);
    if (!this.#isPassed(at)) return false;
    const label = want.parts.map((part) => part.label).join(', ');
    const side = settings.short ? 'above' : 'below';
    this.#run.notice(
      1,
      `${label}: the price has passed its stop of ${str(at)}; it is placed once the price is ${side} it`,
    );
    this.#run.followed();
    this.#book.watch(slot, { at, falling: !settings.short, peak: null, back: true });
    return true;
  }

  #isPassed(at: Dec): boolean {
    const last = this.#run.price();
    return last !== null && !isBack({ at, falling: !this.#run.settings.short, peak: null }, last);
  }

  /**
   * True for an entry whose level was reached but that could not be sent, when the price is on the far side
   * of the level again.
   */
  #hasLeft({ price, stopPrice }: WantedEntry): boolean {
    if (stopPrice !== null) return false;
    const last = this.#run.price();
    return price !== null && last !== null && (this.#run.settings.short ? last < price : last > price);
  }
}
