/**
 * The orders of a run, described by what is wanted (strategies.md 2): a strategy says what should rest in a
 * named slot, and the book asks the host to cancel and place until that is reached, in the same way for all
 * strategies. The orders themselves are made in `entries.ts` and `exits.ts`. Pure.
 */
import { type Dec, floorTo, ZERO } from '../../domain/decimal.ts';
import type { RunOrder, TickBounds, Wanted, WantedExit } from './contract.ts';
import { Entries, type EntryBook, type PlacedOrder } from './entries.ts';
import { type ExitBook, Exits } from './exits.ts';
import { Retries } from './retries.ts';
import { paceName, SendPace } from './send-pace.ts';
import { asWanted } from './sending.ts';
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
import { goesOn, isReducing, overlaps, sameInto, sameWant, triggerOf, watchOf } from './wants.ts';
import { look, watchBounds } from './watches.ts';

export class SlotBook implements EntryBook, ExitBook {
  readonly state: SlotState;
  readonly entries: Entries;
  readonly exits: Exits;
  readonly retries: Retries;
  readonly #run: SlotContext;
  readonly sizes: Sizes;
  readonly #dirty = new Set<Slot>();
  readonly #pace = new SendPace();
  /** A stop rule keeps an entry back. */
  #anyBarred = false;
  /** Entries may wait for the end of a stop's sale; true at first, since it is not stored. */
  #anyWaiting = true;
  /** Number of slots whose watched price must be checked at each tick. */
  #watching = 0;

  constructor(state: SlotState, run: SlotContext) {
    this.state = state;
    this.#run = run;
    this.retries = new Retries(this, run);
    this.sizes = new Sizes(state, run);
    this.entries = new Entries(this, run);
    this.exits = new Exits(this, run);
    for (const slot of state.slots.values()) {
      if (slot.wantNumber === undefined) takeUpOld(slot);
      if (slot.watch) this.#watching++;
      if (slot.barred) this.#anyBarred = true;
    }
  }

  get(name: string): Slot | undefined {
    return this.state.slots.get(name);
  }

  /** Orders at the host, oldest slot first. */
  *orders(): Generator<RunOrder> {
    for (const slot of this.state.slots.values()) yield* slot.orders;
  }

  /** Sets what should be in the slot from now on; null: nothing. Wanting the same again changes nothing. */
  want(name: string, want: Wanted | null): void {
    let slot = this.state.slots.get(name);
    if (!slot) {
      if (want === null) return;
      slot = newSlot(name);
      this.state.slots.set(name, slot);
    }
    const same = slot.want !== null && want !== null && sameWant(slot.want, want);
    // The quantity of an exit counts from now on, the budget of an entry as a whole.
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
    // That it waits was reported already; its price is a different one now.
    if (slot.barred) slot.barred = { ...slot.barred, rests: false };
    this.watch(slot, want === null ? null : watchOf(want, this.#run.settings));
    this.#dirty.add(slot);
  }

  /** Returns all slots that sell one of these lots, except `except`. */
  sellers(lots: readonly string[], except?: string): Slot[] {
    return [...this.state.slots.values()].filter(
      (slot) =>
        slot.name !== except &&
        ((slot.want?.role === 'exit' && overlaps(slot.want.lots, lots)) ||
          slot.orders.some((order) => order.role === 'exit' && overlaps(order.from, lots))),
    );
  }

  /**
   * Withdraws, at the end of the run, every want of one role (or of both) unless `stays` keeps it; orders are
   * cancelled unless `leave`. What is kept is checked again, and the time of its next try stays.
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

  /** Marks all slots to be checked again: lots, gate or price have changed. */
  touchAll(): void {
    for (const slot of this.state.slots.values()) this.#dirty.add(slot);
  }

  touch(name: string): void {
    const slot = this.state.slots.get(name);
    if (slot) this.#dirty.add(slot);
  }

  /** Prices between which no watch fires or follows; null: every tick counts. */
  quiet(): TickBounds | null {
    return watchBounds(this.state.slots.values(), this.#run.settings.short);
  }

  /**
   * Handles a new last price, for stops or for all other slots: watched prices fire, trailed exits follow.
   */
  onPrice(price: Dec, stops: boolean): void {
    if (this.#watching === 0) return;
    for (const slot of this.state.slots.values()) {
      const { want } = slot;
      if ((want?.role === 'exit' && want.stopPrice !== null) !== stops) continue;
      const { moved, fires, back } = look(slot, price, this.#run.settings.short);
      if (moved) this.#run.followed();
      if (fires) this.fire(slot);
      if (!back) continue;
      this.watch(slot, null);
      this.#dirty.add(slot);
    }
  }

  /** Places and cancels until nothing is left to do; called at the end of each input. */
  sync(): void {
    this.#followGrid();
    // Passed stops fire before anything is placed on the same lots.
    for (const slot of this.#dirty) if (this.exits.isPassed(slot)) this.fire(slot);
    // Prices, rules or the time may have changed.
    if (this.#anyBarred) for (const slot of this.state.slots.values()) if (slot.barred) this.#dirty.add(slot);
    if (this.#anyWaiting && !this.#run.stopSells()) {
      this.#anyWaiting = false;
      this.#touchEntries();
    }
    // Entries are placed in the order in which they were wanted; a sync may make others necessary.
    for (const slot of this.#dirty) {
      this.#dirty.delete(slot);
      this.#syncSlot(slot);
    }
  }

  #touchEntries(): void {
    for (const slot of this.state.slots.values())
      if (slot.want?.role === 'entry' && slot.orders.length === 0) this.#dirty.add(slot);
  }

  /** Notes new steps of the symbol: resting orders were rounded to the old ones and stay as they are. */
  #followGrid(): void {
    const { tick, step } = this.#run.rules;
    const { grid } = this.state;
    if (!grid || (grid.tick === tick && grid.step === step)) return;
    for (const order of this.orders()) order.grid ??= grid;
    this.state.grid = { tick, step };
    this.#run.followed();
  }

  /** True when the order was placed for what its slot wants now. */
  isWanted(order: RunOrder): boolean {
    const slot = this.get(order.slot);
    return slot?.want != null && serves(order, slot);
  }

  /** Finds the order that a change is about, and its slot. */
  find(key: string): { readonly slot: Slot; readonly order: RunOrder } | null {
    for (const slot of this.state.slots.values()) {
      const order = slot.orders.find((one) => one.key === key);
      if (order) return { slot, order };
    }
    return null;
  }

  /** Handles an order that is over. Returns true when the slot is free. */
  ended(slot: Slot, order: RunOrder): boolean {
    this.drop(slot, order);
    if (slot.orders.length > 0) {
      // Somebody else may have cancelled one of several parts.
      this.#dirty.add(slot);
      return false;
    }
    // A refused part has a retry planned, whichever of the two events comes first.
    if (slot.retryAt === null) {
      slot.rejected = 0;
      slot.skips = 0;
    }
    const { want } = slot;
    const complete = order.executed === order.qty;
    if (want?.role === 'entry') {
      if (serves(order, slot)) this.entries.ended(slot, want, order);
    } else if (want?.role === 'exit' && (!this.sizes.anyOpen(want) || this.#isSold(slot, want, order)))
      this.clear(slot);
    else if (order.type === 'MARKET' && !complete && !order.cancelAsked) slot.starved = true;
    this.touchAll();
    this.forget(slot);
    return true;
  }

  /** True when the quantity of an exit is sold. */
  #isSold(slot: Slot, want: WantedExit, order: RunOrder): boolean {
    if (want.qty === null || !serves(order, slot)) return false;
    return slot.filled >= want.qty || (order.executed === order.qty && !order.cancelAsked);
  }

  /** Removes an order that is no longer at the host. */
  drop(slot: Slot, order: RunOrder): void {
    order.phase = 'done';
    if (serves(order, slot)) slot.filled += order.executed;
    slot.orders = slot.orders.filter((one) => one !== order);
  }

  /** Deletes the slot when nothing is wanted in it and no order is left. */
  forget(slot: Slot): void {
    if (slot.want !== null || slot.orders.length > 0) return;
    if (this.get(slot.name) === slot) this.state.slots.delete(slot.name);
  }

  /** Drops exits whose lots are all sold. */
  dropSold(): void {
    for (const slot of [...this.state.slots.values()]) {
      const { want, orders } = slot;
      if (want?.role === 'exit' && orders.length === 0 && !this.sizes.anyOpen(want)) this.clear(slot);
    }
  }

  #syncSlot(slot: Slot): void {
    // Its name may belong to a newer slot by now.
    if (slot.left || this.get(slot.name) !== slot) return;
    const want = this.#effective(slot);
    // Its lots are sold: it must not sell what is bought under their names later.
    if (!want && slot.want?.role === 'exit') this.#empty(slot);
    if (slot.orders.length > 0) {
      if (want && (this.#matches(slot, want) || this.#staysInPlace(slot, want))) return;
      for (const order of slot.orders) this.cancel(order);
      return;
    }
    if (!want) {
      this.forget(slot);
      return;
    }
    if (this.exits.isHeldInVain(slot, want)) this.watch(slot, null);
    const isPaused = want.role === 'entry' && this.#run.isPaused();
    if ((slot.watch && !slot.fired) || slot.starved || isPaused) return;
    if (slot.retryAt !== null && this.#run.now() < slot.retryAt) return;
    const name = paceName(slot, want);
    if (this.#isTooFast(slot, name)) return;
    if (want.role === 'entry') {
      // What it buys during a sale would be sold as well, or belong to a cycle that is about to end.
      if (this.#run.stopSells()) {
        this.#anyWaiting = true;
        return;
      }
      this.entries.place(slot, want);
      this.#anyBarred ||= slot.barred != null;
    } else this.exits.place(slot, want);
    if (slot.orders.length > 0) this.#pace.sent(name, this.#run.now());
  }

  /** True when the slot has sent often enough at this moment; it waits for the next tick. */
  #isTooFast(slot: Slot, name: string): boolean {
    if (this.#pace.allows(name, this.#run.now())) return false;
    slot.starved = true;
    this.#run.followed();
    if (this.#pace.waits(name))
      this.#run.notice(1, `${slot.name}: sent again and again at one price; it waits for the next tick`);
    return true;
  }

  /**
   * True for an exit that may not be replaced before the next tick: the present orders sell no more than the
   * lots hold, so they stay.
   */
  #staysInPlace(slot: Slot, want: Wanted): boolean {
    if (want.role !== 'exit' || slot.fired || slot.orders.some(({ cancelAsked }) => cancelAsked))
      return false;
    let left = ZERO;
    for (const { qty, executed } of slot.orders) left += qty - executed;
    if (left > this.sizes.held(this.sizes.lotsOf(want))) return false;
    return slot.starved || this.#isTooFast(slot, paceName(slot, want));
  }

  /** What the slot should hold at this moment. */
  #effective(slot: Slot): Wanted | null {
    const { want } = slot;
    if (!want) return null;
    if (want.role === 'entry') return this.#run.entriesAllowed() ? want : null;
    return this.sizes.anyOpen(want) ? want : null;
  }

  #matches(slot: Slot, want: Wanted): boolean {
    if (slot.fired || want.type === 'MARKET') return slot.placed;
    if (this.#run.rules.kind === 'futures' && want.role === 'exit' && this.exits.mustHold(slot, want))
      return false;
    const [first] = slot.orders;
    if (!first || first.type !== want.type || !serves(first, slot)) return false;
    if (slot.watch) return false;
    const { tick, step } = first.grid ?? this.#run.rules;
    const { price, stopPrice } = asWanted(want, first.side, tick);
    if (price !== first.price || stopPrice !== first.stopPrice) return false;
    if (want.role === 'exit' && stopPrice !== null && triggerOf(want) !== triggerOf(first)) return false;
    let asked = ZERO;
    let executed = ZERO;
    for (const order of slot.orders) {
      asked += order.qty;
      executed += order.executed;
    }
    if (want.role === 'entry') {
      const size = this.sizes.sizeOf(want, first.price ?? first.stopPrice, step);
      return sameInto(first, want) && floorTo(size - slot.filled, step) === asked;
    }
    const done = slot.filled + executed;
    if (want.qty !== null) return asked - executed === this.sizes.partOf(want, want.qty - done, step);
    return slot.basis === this.sizes.held(want.lots) + executed + slot.filled;
  }

  /** Sends an order of the slot. */
  place(slot: Slot, o: PlacedOrder): void {
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
    this.state.grid ??= { tick: this.#run.rules.tick, step: this.#run.rules.step };
    slot.orders.push(order);
    this.#run.act({ do: 'place', order });
  }

  /** Asks once for the order's cancel. */
  cancel(order: RunOrder): void {
    if (order.cancelAsked || order.phase === 'done') return;
    order.cancelAsked = true;
    this.#run.act({ do: 'cancel', key: order.key });
  }

  /** Sends the wanted order now instead of letting it rest. */
  fire(slot: Slot): void {
    this.#run.followed();
    slot.fired = true;
    slot.placed = false;
    this.watch(slot, null);
    const { want } = slot;
    if (want?.role === 'exit' && want.stopPrice !== null) {
      // Orders that rest on the same lots are cancelled first, so that they do not fill as well.
      this.#run.stopFired(slot.name, want.lots);
      for (const other of this.sellers(want.lots, slot.name)) {
        this.#empty(other);
        this.#dirty.add(other);
      }
    }
    this.#dirty.add(slot);
  }

  /**
   * Handles a stop in the slot that the exchange has triggered: it has fired, and the resulting order is its
   * sale.
   */
  triggered(slot: Slot): void {
    this.fire(slot);
    slot.placed = true;
  }

  /** Lets the slot's order go out when a price is reached; null: the slot waits for no price any more. */
  watch(slot: Slot, watch: Watch | null): void {
    if (slot.watch) this.#watching--;
    if (watch) this.#watching++;
    slot.watch = watch;
  }

  /** Drops the slot's want: it is completed. */
  clear(slot: Slot): void {
    this.#empty(slot);
    slot.fired = false;
    this.forget(slot);
  }

  /**
   * Empties the slot's want: what its orders have filled, or will still fill, does not count for the next
   * want.
   */
  #empty(slot: Slot): void {
    slot.want = null;
    slot.wantNumber++;
    slot.filled = ZERO;
    if (slot.barred) slot.barred = null;
    if (slot.guarded) slot.guarded = false;
    this.watch(slot, null);
  }
}
