/**
 * Orders of a run, told as wishes (strategies.md 2): a strategy says what should rest in a named slot, the book asks the
 * host to cancel and place until it is so. Rounding, minimum sizes, `orders` ways, trailed exits and stops held by the engine
 * are here, once for all strategies. Pure.
 */
import { type Dec, floorTo, mul, roundTo, ZERO } from '../../domain/decimal.ts';
import type { OrderWay } from '../settings/compiled.ts';
import type { Quiet, RunOrder, Wanted, WantedEntry, WantedExit } from './contract.ts';
import { leastQty } from './minimum.ts';
import { Retries } from './retries.ts';
import { SendPace } from './send-pace.ts';
import { asNow, asTriggered, asWanted, type Sent } from './sending.ts';
import { Sizes } from './sizes.ts';
import {
  executedOf,
  newSlot,
  type Slot,
  type SlotContext,
  type SlotState,
  serves,
  takeUpOld,
  type Watch,
} from './slot.ts';
import { reached } from './stops.ts';
import {
  divided,
  goesOn,
  isReducing,
  narrowed,
  overlaps,
  partQty,
  sameInto,
  sameWant,
  takeParts,
  trail,
  trailBounds,
  watchOf,
} from './wants.ts';

export class SlotBook {
  readonly state: SlotState;
  readonly retries: Retries;
  readonly #run: SlotContext;
  readonly #sizes: Sizes;
  readonly #dirty = new Set<Slot>();
  readonly #pace = new SendPace();
  /** Slots whose watch has to be looked at with each tick. */
  #watching = 0;

  constructor(state: SlotState, run: SlotContext) {
    this.state = state;
    this.#run = run;
    this.retries = new Retries(this, run);
    this.#sizes = new Sizes(state, run);
    for (const slot of state.slots.values()) {
      if (slot.wantNumber === undefined) takeUpOld(slot);
      if (slot.watch) this.#watching++;
    }
  }

  get(name: string): Slot | undefined {
    return this.state.slots.get(name);
  }

  /** Orders at the host, oldest slot first. */
  *orders(): Generator<RunOrder> {
    for (const slot of this.state.slots.values()) yield* slot.orders;
  }

  /** What should be in the slot from now on; null = nothing. Wanting the same again changes nothing. */
  want(name: string, want: Wanted | null): void {
    let slot = this.state.slots.get(name);
    if (!slot) {
      if (want === null) return;
      slot = newSlot(name);
      this.state.slots.set(name, slot);
    }
    const same = slot.want !== null && want !== null && sameWant(slot.want, want);
    // A quantity to sell counts from now on, the budget of an entry as a whole.
    const counts = want?.role === 'exit' && want.qty !== null;
    if (same && !(counts && slot.filled + executedOf(slot) !== ZERO)) {
      this.#dirty.add(slot);
      return;
    }
    if (!goesOn(slot.want, want)) this.#empty(slot);
    if (want?.role === 'exit') slot.filled = counts ? -executedOf(slot) : ZERO;
    slot.want = want;
    slot.fired = false;
    slot.placed = false;
    slot.rejected = 0;
    slot.skips = 0;
    slot.retryAt = null;
    slot.starved = false;
    this.#setWatch(slot, want === null ? null : watchOf(want, this.#run.settings));
    this.#dirty.add(slot);
  }

  /** All slots that sell one of these lots, but `except`. */
  sellers(lots: readonly string[], except?: string): Slot[] {
    return [...this.state.slots.values()].filter(
      (slot) =>
        slot.name !== except &&
        ((slot.want?.role === 'exit' && overlaps(slot.want.lots, lots)) ||
          slot.orders.some((order) => order.role === 'exit' && overlaps(order.from, lots))),
    );
  }

  /**
   * The run ends: withdraws every want of one role (or of both) that `stays` does not keep; orders are cancelled unless
   * `leave`. What is kept is looked at again, and keeps its next try.
   */
  withdraw(role: 'entry' | 'exit' | 'all', leave: boolean, stays: (slot: Slot) => boolean): void {
    for (const slot of this.state.slots.values()) {
      const roleOf = slot.want?.role ?? slot.orders[0]?.role;
      if ((role !== 'all' && roleOf !== role) || stays(slot)) continue;
      this.#empty(slot);
      slot.left = leave;
      if (!leave) this.#dirty.add(slot);
    }
    this.retries.tryOn();
  }

  /** Everything is looked at again: lots, gate or price have changed. */
  touchAll(): void {
    for (const slot of this.state.slots.values()) this.#dirty.add(slot);
  }

  touch(name: string): void {
    const slot = this.state.slots.get(name);
    if (slot) this.#dirty.add(slot);
  }

  /** Prices between which no watch fires or follows; null: the next tick is waited for. */
  quiet(): Quiet | null {
    let quiet: Quiet = { below: null, above: null };
    for (const { watch, want, fired, starved } of this.state.slots.values()) {
      // Tried again with each tick.
      if (starved) return null;
      if (!watch || !want || fired) continue;
      const { at, falling, peak } = watch;
      if (peak === null)
        quiet = narrowed(quiet, falling ? { below: at, above: null } : { below: null, above: at });
      else if (want.role === 'exit')
        quiet = narrowed(quiet, trailBounds(peak, want.trail ?? ZERO, this.#run.settings.short));
    }
    return quiet;
  }

  /** A new last price: watched prices fire, trailed exits follow. */
  onPrice(price: Dec): void {
    if (this.#watching === 0) return;
    for (const slot of this.state.slots.values()) {
      const { watch, want } = slot;
      if (!watch || !want || slot.fired) continue;
      if (want.role === 'exit' && want.trail !== null) {
        const { moved, fires } = trail(watch, want.trail, price, this.#run.settings.short);
        if (moved) this.#run.followed();
        if (fires) this.fire(slot);
      } else if (watch.falling ? price <= watch.at : price >= watch.at) this.fire(slot);
    }
  }

  /** Places and cancels until nothing is left to do; called at the end of each input. */
  sync(): void {
    // Before anything is placed on the same lots.
    for (const slot of this.#dirty) if (this.#isPassed(slot)) this.fire(slot);
    // Entries are placed in the order in which they were wanted; a sync may make others necessary.
    for (const slot of this.#dirty) {
      this.#dirty.delete(slot);
      this.#syncSlot(slot);
    }
  }

  /** The order was placed for what is wanted in its slot now. */
  isWanted(order: RunOrder): boolean {
    const slot = this.get(order.slot);
    return slot?.want != null && serves(order, slot);
  }

  /** The order that a change is about, and its slot. */
  find(key: string): { readonly slot: Slot; readonly order: RunOrder } | null {
    for (const slot of this.state.slots.values()) {
      const order = slot.orders.find((one) => one.key === key);
      if (order) return { slot, order };
    }
    return null;
  }

  /** The order is over. Returns true when the slot is free. */
  ended(slot: Slot, order: RunOrder): boolean {
    this.drop(slot, order);
    if (slot.orders.length > 0) {
      // One part of several may have been cancelled by somebody else.
      this.#dirty.add(slot);
      return false;
    }
    slot.rejected = 0;
    slot.skips = 0;
    const { want } = slot;
    const complete = order.executed === order.qty;
    if (want?.role === 'entry') {
      if (serves(order, slot)) this.#entryEnded(slot, want, order);
    } else if (want?.role === 'exit' && (!this.#sizes.anyOpen(want) || this.#isSold(slot, want, order)))
      this.#clear(slot);
    else if (order.type === 'MARKET' && !complete && !order.cancelAsked) slot.starved = true;
    this.touchAll();
    this.forget(slot);
    return true;
  }

  /** A complete entry is done with, and so is what one that went out at once has not got. One that got nothing comes again. */
  #entryEnded(slot: Slot, want: WantedEntry, order: RunOrder): void {
    const atOnce = slot.fired || want.type === 'MARKET';
    const asked = order.price === null ? null : this.#sizes.sizeOf(want, order.price);
    const complete = order.executed === order.qty && (asked === null || slot.filled >= asked);
    const dropped = order.type === 'MARKET' || !order.cancelAsked;
    if (complete || (atOnce && dropped && slot.filled > ZERO)) this.#clear(slot);
    else if (atOnce && dropped) slot.starved = true;
  }

  /** The quantity of an exit is sold. */
  #isSold(slot: Slot, want: WantedExit, order: RunOrder): boolean {
    if (want.qty === null || !serves(order, slot)) return false;
    return slot.filled >= want.qty || (order.executed === order.qty && !order.cancelAsked);
  }

  /** The order is at the host no more. */
  drop(slot: Slot, order: RunOrder): void {
    order.phase = 'done';
    if (serves(order, slot)) slot.filled += order.executed;
    slot.orders = slot.orders.filter((one) => one !== order);
  }

  /** Nothing wanted and nothing there: the slot is no more. */
  forget(slot: Slot): void {
    if (slot.want !== null || slot.orders.length > 0) return;
    if (this.get(slot.name) === slot) this.state.slots.delete(slot.name);
  }

  /** Exits without a lot left to sell are done with. */
  dropSold(): void {
    for (const slot of [...this.state.slots.values()]) {
      const { want, orders } = slot;
      if (want?.role === 'exit' && orders.length === 0 && !this.#sizes.anyOpen(want)) this.#clear(slot);
    }
  }

  #syncSlot(slot: Slot): void {
    // Its name may belong to a newer one by now.
    if (slot.left || this.get(slot.name) !== slot) return;
    const want = this.#effective(slot);
    if (slot.orders.length > 0) {
      if (want && this.#matches(slot, want)) return;
      for (const order of slot.orders) this.#cancel(order);
      return;
    }
    if (!want) {
      this.forget(slot);
      return;
    }
    if ((slot.watch && !slot.fired) || slot.starved) return;
    if (slot.retryAt !== null && this.#run.now() < slot.retryAt) return;
    if (!this.#pace.allows(slot.name, want.role, this.#run.now())) {
      slot.starved = true;
      this.#run.notice(1, `${slot.name}: sent again and again at one price; it waits for the next tick`);
      return;
    }
    if (want.role === 'entry') this.#placeEntry(slot, want);
    else this.#placeExit(slot, want);
    if (slot.orders.length > 0) this.#pace.sent(slot.name, this.#run.now());
  }

  /** An exit's stop that the last price has passed before it could be placed: no exchange takes it, it is carried out. */
  #isPassed(slot: Slot): boolean {
    const { want, retryAt } = slot;
    if (want?.role !== 'exit' || want.stopPrice === null || slot.fired || slot.left) return false;
    const waits = slot.watch !== null || slot.orders.length > 0 || (retryAt ?? 0) > this.#run.now();
    const price = this.#run.price();
    // Of the mark price the exchange knows.
    if (waits || price === null || want.workingType === 'MARK_PRICE' || !this.#sizes.anyOpen(want))
      return false;
    return reached(price, roundTo(want.stopPrice, this.#run.rules.tick), this.#run.settings.short);
  }

  /** What the slot should hold at this moment. */
  #effective(slot: Slot): Wanted | null {
    const { want } = slot;
    if (!want) return null;
    if (want.role === 'entry') return this.#run.entriesAllowed() ? want : null;
    return this.#sizes.anyOpen(want) ? want : null;
  }

  #matches(slot: Slot, want: Wanted): boolean {
    if (slot.fired || want.type === 'MARKET') return slot.placed;
    const [first] = slot.orders;
    if (!first || first.type !== want.type || !serves(first, slot)) return false;
    if (slot.watch) return false;
    const { price, stopPrice } = asWanted(want, first.side, this.#run.rules.tick);
    if (price !== first.price || stopPrice !== first.stopPrice) return false;
    let asked = slot.filled;
    let executed = ZERO;
    for (const order of slot.orders) {
      asked += order.qty;
      executed += order.executed;
    }
    const done = slot.filled + executed;
    if (want.role === 'entry')
      return sameInto(first, want) && this.#sizes.sizeOf(want, first.price ?? first.stopPrice) === asked;
    if (want.qty !== null) return asked - done === this.#sizes.partOf(want, want.qty - done);
    return slot.basis === this.#sizes.held(want.lots) + executed + slot.filled;
  }

  /** An entry whose level was reached, and could not go out: the price is on the far side of it again. */
  #hasLeft({ price }: WantedEntry): boolean {
    const last = this.#run.price();
    return price !== null && last !== null && (this.#run.settings.short ? last < price : last > price);
  }

  #placeEntry(slot: Slot, want: WantedEntry): void {
    const { rules, settings } = this.#run;
    if (slot.fired && this.#hasLeft(want)) {
      slot.fired = false;
      this.#run.followed();
      this.#setWatch(slot, watchOf(want, settings));
      return;
    }
    const side = settings.short ? 'SELL' : 'BUY';
    const sent = this.#sendAs(slot, want, settings.buy, side);
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
    qty -= slot.filled;
    // What is left of it may be too little by itself.
    if (qty < rules.minQty || qty <= ZERO || mul(qty, at) < rules.minNotional) return;
    for (const piece of divided(qty, settings.buy?.size ?? 1, rules.step, leastQty('entry', at, rules))) {
      const share = takeParts(into, piece);
      this.#place(slot, { role: 'entry', side, ...sent, qty: piece, label, into: share, from: [] });
    }
  }

  #placeExit(slot: Slot, want: WantedExit): void {
    const { rules, settings, lots } = this.#run;
    // Both would lock the same balance: what is being withdrawn must be gone first.
    if (this.sellers(want.lots, slot.name).some((other) => other.orders.some((o) => o.cancelAsked))) return;
    if (this.#mustHold(slot, want)) {
      this.#setWatch(slot, { at: want.stopPrice as Dec, falling: !settings.short, peak: null });
      return;
    }
    const side = settings.short ? 'BUY' : 'SELL';
    const sent =
      slot.fired && want.stopPrice !== null
        ? asTriggered(want, side, rules.tick)
        : this.#sendAs(slot, want, settings.sell, side);
    const at = sent.price ?? sent.stopPrice ?? this.#run.price() ?? ZERO;
    const sold = this.#sizes.lotsOf(want);
    // What is too little by itself is dust, but not while more of it may be bought.
    if (lots.isTooSmall(sold, at) && this.#sizes.isBought(sold)) return;
    const all = lots.sellable(sold, at);
    const wanted = want.qty === null ? this.#sizes.takeBack(want, all, at) : want.qty - slot.filled;
    const qty = floorTo(wanted < all ? wanted : all, rules.step);
    slot.basis = this.#sizes.held(want.lots) + slot.filled;
    if (qty <= ZERO) {
      this.#clear(slot);
      if (all === ZERO) this.#run.vanished(slot.name, want.lots);
      return;
    }
    const from = [...want.lots];
    const keepsRest = want.qty === null && this.#sizes.takesBack(want);
    const least = leastQty(isReducing(want) ? 'exit' : 'entry', at, rules);
    // A part that is too little by itself waits until the others are sold.
    if (want.qty !== null && qty < least) return;
    for (const piece of divided(
      qty,
      want.stopPrice === null ? (settings.sell?.size ?? 1) : 1,
      rules.step,
      least,
    )) {
      this.#place(slot, {
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

  /** On spot a stop is held by the engine while exits of the same lots rest (strategies.md 2, stop). */
  #mustHold(slot: Slot, want: WantedExit): boolean {
    if (this.#run.rules.kind !== 'spot' || want.stopPrice === null || slot.fired) return false;
    return this.sellers(want.lots, slot.name).some((other) => other.want !== null && !other.fired);
  }

  /** `orders` is about entries and targets. A sale at MARKET (a stop, the end of a run) must not be left resting. */
  #sendAs(slot: Slot, want: Wanted, way: OrderWay | null, side: 'BUY' | 'SELL'): Sent {
    const { tick } = this.#run.rules;
    const atMarket = want.type === 'MARKET' && want.stopPrice === null;
    const goesNow = slot.fired || (atMarket && want.role === 'entry');
    return goesNow ? asNow(way, side, this.#run.price(), tick) : asWanted(want, side, tick);
  }

  #place(
    slot: Slot,
    o: Omit<RunOrder, 'key' | 'slot' | 'executed' | 'phase' | 'cancelAsked' | 'reduceOnly'>,
  ) {
    const order: RunOrder = {
      ...o,
      key: `${this.state.nextKey++}`,
      slot: slot.name,
      wantNumber: slot.wantNumber,
      reduceOnly: o.role === 'exit' && this.#run.rules.kind === 'futures' && isReducing(slot.want),
      executed: ZERO,
      phase: 'asked',
      cancelAsked: false,
    };
    slot.placed = true;
    slot.orders.push(order);
    this.#run.act({ do: 'place', order });
  }

  #cancel(order: RunOrder): void {
    if (order.cancelAsked || order.phase === 'done') return;
    order.cancelAsked = true;
    this.#run.act({ do: 'cancel', key: order.key });
  }

  /** What is wanted goes out now instead of resting. */
  fire(slot: Slot): void {
    this.#run.followed();
    slot.fired = true;
    slot.placed = false;
    this.#setWatch(slot, null);
    const { want } = slot;
    if (want?.role === 'exit' && want.stopPrice !== null) {
      // What rests on the same lots goes first, or is not to fill besides it.
      this.#run.stopFired(slot.name, want.lots);
      for (const other of this.sellers(want.lots, slot.name)) {
        this.#empty(other);
        this.#dirty.add(other);
      }
    }
    this.#dirty.add(slot);
  }

  /** The exchange has triggered the stop that rests in the slot: it has fired, and what it has become there is its sale. */
  triggered(slot: Slot): void {
    this.fire(slot);
    slot.placed = true;
  }

  #setWatch(slot: Slot, watch: Watch | null): void {
    if (slot.watch) this.#watching--;
    if (watch) this.#watching++;
    slot.watch = watch;
  }

  #clear(slot: Slot): void {
    this.#empty(slot);
    slot.fired = false;
    this.forget(slot);
  }

  /** Nothing is wanted of it any more: what its orders have filled, or still will, does not count for what comes next. */
  #empty(slot: Slot): void {
    slot.want = null;
    slot.wantNumber++;
    slot.filled = ZERO;
    this.#setWatch(slot, null);
  }
}
