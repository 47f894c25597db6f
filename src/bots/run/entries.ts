/**
 * Entries of a run: how each goes out, what is left to do once one is over, and stops that the price has passed, which no
 * exchange takes (strategies.md 2, "orders", and R2). Pure.
 */
import { type Dec, floorTo, mul, roundTo, str, ZERO } from '../../domain/decimal.ts';
import type { RunOrder, WantedEntry } from './contract.ts';
import { mustWait } from './entry-guard.ts';
import { leastQty } from './minimum.ts';
import { sentAs } from './sending.ts';
import type { Sizes } from './sizes.ts';
import { type Slot, type SlotContext, serves, type Watch } from './slot.ts';
import { divided, isBack, partQty, takeParts, watchOf } from './wants.ts';

/** What a slot is placed as; the rest is the book's. */
export type PlacedOrder = Omit<
  RunOrder,
  'key' | 'slot' | 'executed' | 'phase' | 'cancelAsked' | 'reduceOnly'
>;

/** What is needed of the book of slots. */
export interface EntryBook {
  readonly sizes: Sizes;
  watch(slot: Slot, watch: Watch | null): void;
  place(slot: Slot, order: PlacedOrder): void;
  /** What was wanted is done with. */
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
    // What has filled may be of another step size.
    qty = floorTo(qty - slot.filled, rules.step);
    // What is left of it may be too little by itself.
    if (qty < rules.minQty || qty <= ZERO || mul(qty, at) < rules.minNotional) return;
    if (mustWait(slot, want, sent, qty, label, this.#run)) return;
    for (const piece of divided(qty, settings.buy?.size ?? 1, rules.step, leastQty('entry', at, rules))) {
      const share = takeParts(into, piece);
      this.#book.place(slot, { role: 'entry', side, ...sent, qty: piece, label, into: share, from: [] });
    }
  }

  /** A complete entry is done with, and so is what one that went out at once has not got. One that got nothing comes again. */
  ended(slot: Slot, want: WantedEntry, order: RunOrder): void {
    if (!order.cancelAsked || order.executed > ZERO) this.follow(slot, order);
    const atOnce = this.atOnce(slot);
    const { grid } = order;
    const asked = order.price === null ? null : this.#book.sizes.sizeOf(want, order.price, grid?.step);
    const complete = order.executed === order.qty && (asked === null || slot.filled >= asked);
    const dropped = order.type === 'MARKET' || !order.cancelAsked;
    if (complete || (atOnce && dropped && slot.filled > ZERO)) this.done(slot);
    // Another part of it may have been refused, and has its next try before it.
    else if (atOnce && dropped && slot.retryAt === null) slot.starved = true;
  }

  /** An order of the slot has been refused: the others that went out at once with it have got what there is. */
  hasEnough(slot: Slot): boolean {
    return this.atOnce(slot) && slot.orders.length === 0 && slot.filled > ZERO;
  }

  /** What was wanted is done with, tries to come included. */
  done(slot: Slot): void {
    if (slot.retryAt !== null) this.#run.timer(`retry ${slot.name}`, null);
    this.#book.clear(slot);
    this.#book.touchAll();
  }

  /** It goes out instead of resting. */
  atOnce({ want, fired }: Slot): boolean {
    return want?.role === 'entry' && (fired || want.type === 'MARKET');
  }

  /** What an order leaves of a stop that has triggered is an ordinary order: never a stop again. */
  follow(slot: Slot, order: RunOrder): void {
    if (slot.want?.role !== 'entry' || slot.want.stopPrice === null || !serves(order, slot)) return;
    if (order.stopPrice !== null && (order.executed > ZERO || this.#isPassed(order.stopPrice)))
      slot.fired = true;
  }

  /**
   * A stop that the last price has passed waits until the price is back on its side, and rests then; no exchange takes it
   * before, not at the very price either. False: the price is there.
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

  /** An entry whose level was reached, and could not go out: the price is on the far side of it again. */
  #hasLeft({ price, stopPrice }: WantedEntry): boolean {
    if (stopPrice !== null) return false;
    const last = this.#run.price();
    return price !== null && last !== null && (this.#run.settings.short ? last < price : last > price);
  }
}
