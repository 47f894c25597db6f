/**
 * Orders of a run, told as wishes (strategies.md 2): a strategy says what should rest in a named slot, the book asks the
 * host to cancel and place until it is so. Rounding, minimum sizes, `orders` ways, trailed exits, stops held by the engine
 * and the retries of rejected orders are here, once for all strategies. Pure.
 */
import { ceilTo, type Dec, div, floorTo, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { OrderWay } from '../settings/compiled.ts';
import type { OrderChange, Quiet, RunOrder, Wanted, WantedEntry, WantedExit } from './contract.ts';
import { asNow, asTriggered, asWanted, type Sent } from './sending.ts';
import { newSlot, type Slot, type SlotContext, type SlotState, type Watch } from './slot.ts';
import {
  divided,
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

/** Waits before the next try of a rejected order (strategies.md 2, run rule 3). */
const RETRY_MS = [1_000, 5_000, 30_000] as const;
/** Wait before a cancel that was refused is asked for again. */
const CANCEL_AGAIN_MS = 5_000;

export class SlotBook {
  readonly state: SlotState;
  readonly #run: SlotContext;
  readonly #dirty = new Set<Slot>();
  /** Slots whose watch has to be looked at with each tick. */
  #watching = 0;

  constructor(state: SlotState, run: SlotContext) {
    this.state = state;
    this.#run = run;
    for (const slot of state.slots.values()) if (slot.watch) this.#watching++;
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
    if (slot.want && want && sameWant(slot.want, want)) {
      this.#dirty.add(slot);
      return;
    }
    slot.want = want;
    slot.fired = false;
    slot.placed = false;
    slot.filled = ZERO;
    slot.rejected = 0;
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
      slot.want = null;
      this.#setWatch(slot, null);
      slot.left = leave;
      if (!leave) this.#dirty.add(slot);
    }
    this.#tryOn();
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
    for (const { watch, want, fired, starved, retryAt } of this.state.slots.values()) {
      // Tried again with each tick.
      if (starved || retryAt === Number.POSITIVE_INFINITY) return null;
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
        if (fires) this.#fire(slot);
      } else if (watch.falling ? price <= watch.at : price >= watch.at) this.#fire(slot);
    }
  }

  /** Places and cancels until nothing is left to do; called at the end of each input. */
  sync(): void {
    // Entries are placed in the order in which they were wanted; a sync may make others necessary.
    for (const slot of this.#dirty) {
      this.#dirty.delete(slot);
      this.#syncSlot(slot);
    }
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
    order.phase = 'done';
    slot.filled += order.executed;
    slot.orders = slot.orders.filter((one) => one !== order);
    if (slot.orders.length > 0) return false;
    const { want } = slot;
    const complete = order.executed === order.qty;
    // A complete entry, or one that went out at once, is done with; what an exit lacks is placed again.
    if (want?.role === 'entry' && (complete || slot.fired || want.type === 'MARKET')) this.#clear(slot);
    else if (want?.role === 'exit' && !this.#anyOpen(want)) this.#clear(slot);
    else if (want?.role === 'exit' && complete && want.qty !== null) this.#clear(slot);
    else if (order.type === 'MARKET' && !complete && !order.cancelAsked) slot.starved = true;
    this.touchAll();
    this.#forget(slot);
    return true;
  }

  /** Exits without a lot left to sell are done with. */
  dropSold(): void {
    for (const slot of [...this.state.slots.values()]) {
      const { want, orders } = slot;
      if (want?.role === 'exit' && orders.length === 0 && !this.#anyOpen(want)) this.#clear(slot);
    }
  }

  /** Its cancel was refused: it is asked for again, after a while. */
  stays(slot: Slot, order: RunOrder): void {
    this.#run.notice(1, `the cancel of ${order.side} ${order.label} was refused: it is tried again`);
    this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
  }

  /** After all timers were taken back: cancels that are asked for may have been refused. */
  insist(): void {
    for (const slot of this.state.slots.values()) {
      if (!slot.orders.some(({ cancelAsked }) => cancelAsked)) continue;
      this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
    }
  }

  #tryOn(): void {
    for (const slot of this.state.slots.values()) {
      const { name, want, retryAt } = slot;
      if (want === null) continue;
      this.#dirty.add(slot);
      if (retryAt !== null && retryAt !== Number.POSITIVE_INFINITY) this.#run.timer(`retry ${name}`, retryAt);
    }
  }

  rejected(slot: Slot, order: RunOrder, change: Extract<OrderChange, { kind: 'rejected' }>): void {
    order.phase = 'done';
    slot.filled += order.executed;
    slot.orders = slot.orders.filter((one) => one !== order);
    if (order.cancelAsked) {
      // It was to go, and others may wait for that.
      this.touchAll();
      this.#forget(slot);
      return;
    }
    const { settings } = this.#run;
    if (change.why === 'balance' && settings.deposit?.allocate === 'no_reserve' && order.role === 'entry') {
      if (!slot.uncovered) this.#run.notice(1, `${order.label}: skipped, ${change.reason}`);
      slot.uncovered = true;
      slot.retryAt = Number.POSITIVE_INFINITY;
      return;
    }
    this.#run.notice(1, `${order.side} ${order.label} was rejected: ${change.reason}`);
    slot.rejected++;
    const last = order.role === 'entry' && slot.rejected > RETRY_MS.length;
    if (order.role === 'entry' && (change.why === 'final' || last)) {
      this.#run.failed(change.reason);
      return;
    }
    const wait = RETRY_MS[Math.min(slot.rejected, RETRY_MS.length) - 1] ?? RETRY_MS[0];
    slot.retryAt = this.#run.now() + wait;
    this.#run.timer(`retry ${slot.name}`, slot.retryAt);
  }

  /** The timer of a rejected order has come, or an input asks for an uncovered or starved one again. */
  retry(name: string): void {
    const slot = this.state.slots.get(name);
    if (!slot) return;
    slot.retryAt = null;
    slot.starved = false;
    for (const { cancelAsked, key } of slot.orders) if (cancelAsked) this.#run.act({ do: 'cancel', key });
    this.#dirty.add(slot);
  }

  retryUncovered(): void {
    for (const slot of this.state.slots.values()) {
      if (slot.starved || slot.retryAt === Number.POSITIVE_INFINITY) this.retry(slot.name);
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
      this.#forget(slot);
      return;
    }
    if ((slot.watch && !slot.fired) || slot.starved) return;
    if (slot.retryAt !== null && this.#run.now() < slot.retryAt) return;
    if (want.role === 'entry') this.#placeEntry(slot, want);
    else this.#placeExit(slot, want);
  }

  /** What the slot should hold at this moment. */
  #effective(slot: Slot): Wanted | null {
    const { want } = slot;
    if (!want) return null;
    if (want.role === 'entry') return this.#run.entriesAllowed() ? want : null;
    return this.#anyOpen(want) ? want : null;
  }

  #anyOpen(want: WantedExit): boolean {
    if (want.lots.length === 0) return this.#run.lots.open.length > 0;
    return want.lots.some((lot) => this.#run.lots.get(lot));
  }

  #lotsOf(want: WantedExit): readonly string[] {
    return want.lots.length > 0 ? want.lots : this.#run.lots.open.map(({ key }) => key);
  }

  #matches(slot: Slot, want: Wanted): boolean {
    if (slot.fired || want.type === 'MARKET') return slot.placed;
    const [first] = slot.orders;
    if (!first || first.type !== want.type) return false;
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
      return sameInto(first, want) && this.#sizeOf(want, first.price ?? first.stopPrice) === asked;
    if (want.qty !== null) return asked - done === this.#partOf(want, want.qty - done);
    return slot.basis === this.#held(want.lots) + executed + slot.filled;
  }

  /** So much of `qty` as there is to sell, as `#placeExit` rounds it. */
  #partOf(want: WantedExit, qty: Dec): Dec {
    const { lots, rules } = this.#run;
    const all = this.#held(this.#lotsOf(want)) + lots.state.dust;
    return floorTo(qty < all ? qty : all, rules.step);
  }

  /** What the lots hold and an exit order may sell now; dust joins with the next order that is placed. */
  #held(lots: readonly string[]): Dec {
    let sum = ZERO;
    for (const key of lots) sum += this.#run.lots.get(key)?.qty ?? ZERO;
    return sum;
  }

  #sizeOf(want: WantedEntry, price: Dec | null): Dec {
    const at = price ?? this.#run.price() ?? ZERO;
    let sum = ZERO;
    for (const part of want.parts) sum += partQty(part, at, this.#run.rules.step);
    return sum;
  }

  #placeEntry(slot: Slot, want: WantedEntry): void {
    const { rules, settings } = this.#run;
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
    for (const piece of divided(qty, settings.buy?.size ?? 1, rules.step)) {
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
    const sold = this.#lotsOf(want);
    // What is too little by itself is dust, but not while more of it may be bought.
    if (lots.isTooSmall(sold, at) && this.#isBought(sold)) return;
    const all = lots.sellable(sold, at);
    const wanted = want.qty === null ? this.#takeBack(want, all, at) : want.qty - slot.filled;
    const qty = floorTo(wanted < all ? wanted : all, rules.step);
    slot.basis = this.#held(want.lots) + slot.filled;
    if (qty <= ZERO) {
      this.#clear(slot);
      if (all === ZERO) this.#run.vanished(slot.name, want.lots);
      return;
    }
    const from = [...want.lots];
    const keepsRest = want.qty === null && this.#takesBack(want);
    for (const piece of divided(qty, want.stopPrice === null ? (settings.sell?.size ?? 1) : 1, rules.step)) {
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

  /** `profitAsset` base sells only what brings the cost back (strategies.md 2). */
  #takeBack(want: WantedExit, all: Dec, price: Dec): Dec {
    const { rules, lots } = this.#run;
    if (!this.#takesBack(want)) return all;
    let cost = ZERO;
    for (const key of want.lots) cost += lots.get(key)?.cost ?? ZERO;
    const net = mul(price, ONE - rules.makerRate);
    return net > ZERO ? ceilTo(div(cost, net), rules.step) : all;
  }

  #takesBack(want: WantedExit): boolean {
    const { settings, rules } = this.#run;
    return settings.profitAsset === 'base' && rules.kind === 'spot' && want.stopPrice === null;
  }

  /** An entry rests, or is being cancelled, that buys for one of these lots; what an ending run leaves is not its own any more. */
  #isBought(lots: readonly string[]): boolean {
    for (const slot of this.state.slots.values()) {
      if (slot.left) continue;
      for (const { role, into } of slot.orders)
        if (role === 'entry' && into.some(({ lot }) => lots.includes(lot))) return true;
    }
    return false;
  }

  /** On spot a stop is held by the engine while exits of the same lots rest (strategies.md 2, stop). */
  #mustHold(slot: Slot, want: WantedExit): boolean {
    if (this.#run.rules.kind !== 'spot' || want.stopPrice === null || slot.fired) return false;
    return this.sellers(want.lots, slot.name).some((other) => other.want !== null && !other.fired);
  }

  #sendAs(slot: Slot, want: Wanted, way: OrderWay | null, side: 'BUY' | 'SELL'): Sent {
    const { tick } = this.#run.rules;
    const goesNow = slot.fired || (want.type === 'MARKET' && want.stopPrice === null);
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

  #fire(slot: Slot): void {
    this.#run.followed();
    slot.fired = true;
    slot.placed = false;
    this.#setWatch(slot, null);
    const { want } = slot;
    if (want?.role === 'exit' && want.stopPrice !== null) {
      // A held stop: what rests on the same lots goes first.
      this.#run.stopFired(slot.name, want.lots);
      for (const other of this.sellers(want.lots, slot.name)) {
        other.want = null;
        this.#setWatch(other, null);
        this.#dirty.add(other);
      }
    }
    this.#dirty.add(slot);
  }

  #setWatch(slot: Slot, watch: Watch | null): void {
    if (slot.watch) this.#watching--;
    if (watch) this.#watching++;
    slot.watch = watch;
  }

  #clear(slot: Slot): void {
    slot.want = null;
    slot.fired = false;
    this.#setWatch(slot, null);
    this.#forget(slot);
  }

  #forget(slot: Slot): void {
    if (slot.want !== null || slot.orders.length > 0) return;
    if (this.get(slot.name) === slot) this.state.slots.delete(slot.name);
  }
}
