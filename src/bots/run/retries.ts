/**
 * Orders of a run that the exchange refuses, gives back, or does not cancel: when each is tried again (strategies.md 2,
 * run rule 3). Says nothing of what is wanted. Pure.
 */
import type { OrderChange, Role, RunOrder } from './contract.ts';
import type { Entries } from './entries.ts';
import { type Slot, type SlotContext, type SlotState, serves } from './slot.ts';

/** Waits before the next try of a rejected order. */
const RETRY_MS = [1_000, 5_000, 30_000] as const;
/** Wait before a cancel that was refused is asked for again. */
const CANCEL_AGAIN_MS = 5_000;

/** What is needed of the book of slots. */
export interface RetriedBook {
  readonly entries: Entries;
  readonly state: SlotState;
  get(name: string): Slot | undefined;
  touch(name: string): void;
  touchAll(): void;
  /** The order is at the host no more. */
  drop(slot: Slot, order: RunOrder): void;
  /** Nothing wanted and nothing there: the slot is no more. */
  forget(slot: Slot): void;
  /** What is wanted goes out now instead of resting. */
  fire(slot: Slot): void;
}

export class Retries {
  readonly #book: RetriedBook;
  readonly #run: SlotContext;

  constructor(book: RetriedBook, run: SlotContext) {
    this.#book = book;
    this.#run = run;
  }

  /** True: the entry in the slot is over. */
  rejected(slot: Slot, order: RunOrder, change: Extract<OrderChange, { kind: 'rejected' }>): boolean {
    this.#book.drop(slot, order);
    if (order.cancelAsked) {
      // It was to go, and others may wait for that.
      this.#book.touchAll();
      this.#book.forget(slot);
      return false;
    }
    const { settings } = this.#run;
    const { entries } = this.#book;
    if (order.role === 'entry' && change.why === 'passed' && this.#passed(slot, order)) return false;
    if (order.role === 'entry') entries.follow(slot, order);
    const over = order.role === 'entry' && serves(order, slot) && entries.hasEnough(slot);
    if (change.why === 'guard') this.#guarded(slot, order, change.reason);
    if (change.why === 'later' || change.why === 'guard') {
      if (over) entries.done(slot);
      else this.#wait(slot, 2);
      return over;
    }
    if (change.why === 'balance' && settings.deposit?.allocate === 'no_reserve' && order.role === 'entry') {
      if (!slot.uncovered) this.#run.notice(1, `${order.label}: skipped, ${change.reason}`);
      slot.uncovered = true;
      if (over) {
        entries.done(slot);
        return true;
      }
      slot.skips = (slot.skips ?? 0) + 1;
      if (change.sent) this.#wait(slot, slot.skips);
      else slot.starved = true;
      return false;
    }
    this.#run.notice(1, `${order.side} ${order.label} was rejected: ${change.reason}`);
    if (change.why === 'passed' && order.role === 'exit' && slot.want?.stopPrice != null) {
      this.#book.fire(slot);
      return false;
    }
    if (over) {
      entries.done(slot);
      return true;
    }
    slot.rejected++;
    const last = slot.rejected > RETRY_MS.length;
    // What else went out at once with it is not answered yet.
    const open = entries.atOnce(slot) && slot.orders.some(({ phase }) => phase === 'asked');
    if (order.role === 'entry' && !open && (change.why === 'final' || last)) {
      if (this.#run.lots.open.length > 0) {
        this.#giveUp(slot, order);
        return true;
      }
      this.#run.failed(change.reason);
      return false;
    }
    this.#wait(slot, slot.rejected);
    return false;
  }

  /**
   * A stop entry that the exchange says has been passed waits until the price is back. Where the last price here is another
   * one, it is tried again after a while: that counts for nothing. False: it is a stop no more.
   */
  #passed(slot: Slot, order: RunOrder): boolean {
    if (slot.want?.stopPrice == null || slot.fired) return false;
    if (this.#book.entries.waitsBack(slot)) return true;
    slot.skips = (slot.skips ?? 0) + 1;
    if (slot.skips === 1)
      this.#run.notice(1, `${order.label}: the exchange says that its stop has been passed`);
    this.#wait(slot, slot.skips);
    return true;
  }

  /** Not now: it waits until its account allows it. The run says so once, however many of its entries wait. */
  #guarded(slot: Slot, order: RunOrder, reason: string): void {
    const isSaid = [...this.#book.state.slots.values()].some(({ guarded }) => guarded === true);
    slot.guarded = true;
    if (!isSaid) this.#run.notice(1, `${order.label}: waits, ${reason}`);
  }

  /** The timer of a rejected order has come, or an input asks for an uncovered or starved one again. */
  retry(name: string): void {
    const slot = this.#book.get(name);
    if (!slot) return;
    slot.retryAt = null;
    // A gate may keep it from being asked for, and then nothing else is stored.
    if (slot.starved) this.#run.followed();
    slot.starved = false;
    for (const { cancelAsked, key } of slot.orders) if (cancelAsked) this.#run.act({ do: 'cancel', key });
    this.#book.touch(name);
  }

  /** A tick: what waits for one is asked for again. */
  retryStarved(role: Role): void {
    for (const { starved, want, name } of this.#book.state.slots.values())
      if (starved && (want?.role === 'entry') === (role === 'entry')) this.retry(name);
  }

  /** Its cancel was refused: it is asked for again, after a while. */
  stays(slot: Slot, order: RunOrder): void {
    this.#run.notice(1, `the cancel of ${order.side} ${order.label} was refused: it is tried again`);
    this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
  }

  /** After all timers were taken back: cancels that are asked for may have been refused. */
  insist(): void {
    for (const slot of this.#book.state.slots.values()) {
      if (!slot.orders.some(({ cancelAsked }) => cancelAsked)) continue;
      this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
    }
  }

  /** After all timers were taken back: what is still wanted is looked at again, and keeps its next try. */
  tryOn(): void {
    for (const { name, want, retryAt } of this.#book.state.slots.values()) {
      if (want === null) continue;
      this.#book.touch(name);
      if (retryAt !== null) this.#run.timer(`retry ${name}`, retryAt);
    }
  }

  /** What is held keeps its exits and stops: no refusal of an entry ever takes them away. The strategy may ask for it again. */
  #giveUp(slot: Slot, order: RunOrder): void {
    this.#run.notice(1, `${order.label}: given up, what is held goes on with its exits`);
    slot.want = null;
    this.#book.forget(slot);
  }

  #wait(slot: Slot, times: number): void {
    const wait = RETRY_MS[Math.min(times, RETRY_MS.length) - 1] ?? RETRY_MS[0];
    slot.retryAt = this.#run.now() + wait;
    this.#run.timer(`retry ${slot.name}`, slot.retryAt);
  }
}
