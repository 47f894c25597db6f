/**
 * Orders of a run that the exchange refuses, ends unfilled, or does not cancel: when each is tried again
 * (strategies.md 2, run rule 3). Does not decide what is wanted. Pure.
 */
import type { OrderChange, Role, RunOrder } from './contract.ts';
import type { Entries } from './entries.ts';
import { type Slot, type SlotContext, type SlotState, serves } from './slot.ts';

/** Waits before the next try of a rejected order. */
const RETRY_MS = [1_000, 5_000, 30_000] as const;
/** Wait before a cancel that was refused is asked for again. */
const CANCEL_AGAIN_MS = 5_000;

/** What retries need of the book of slots. */
export interface RetriedBook {
  readonly entries: Entries;
  readonly state: SlotState;
  get(name: string): Slot | undefined;
  touch(name: string): void;
  touchAll(): void;
  /** Removes an order that is no longer at the host. */
  drop(slot: Slot, order: RunOrder): void;
  /** Deletes the slot when nothing is wanted in it and no order is left. */
  forget(slot: Slot): void;
  /** Sends the wanted order now instead of letting it rest. */
  fire(slot: Slot): void;
}

export class Retries {
  readonly #book: RetriedBook;
  readonly #run: SlotContext;

  constructor(book: RetriedBook, run: SlotContext) {
    this.#book = book;
    this.#run = run;
  }

  /** Handles a rejected order. True: the entry in the slot is over. */
  rejected(slot: Slot, order: RunOrder, change: Extract<OrderChange, { kind: 'rejected' }>): boolean {
    this.#book.drop(slot, order);
    if (order.cancelAsked) {
      // The order was to be cancelled anyway, and others may wait for that.
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
    // Orders that went out at once with it may still be unanswered.
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
   * Lets a stop entry that has been passed, as the exchange says, wait until the price is back. Where the
   * last price here does not agree, it is tried again later, and this does not count as a failed try. False:
   * it is not a stop any more.
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

  /**
   * Marks an entry that a guard of its account keeps back: it waits until the account allows it. The run
   * reports this once, however many of its entries wait.
   */
  #guarded(slot: Slot, order: RunOrder, reason: string): void {
    const isSaid = [...this.#book.state.slots.values()].some(({ guarded }) => guarded === true);
    slot.guarded = true;
    if (!isSaid) this.#run.notice(1, `${order.label}: waits, ${reason}`);
  }

  /**
   * Tries a slot again: the timer of its rejected order has come, or an input retries an uncovered or starved
   * one.
   */
  retry(name: string): void {
    const slot = this.#book.get(name);
    if (!slot) return;
    slot.retryAt = null;
    // A gate may prevent the retry, and then nothing else would be stored.
    if (slot.starved) this.#run.followed();
    slot.starved = false;
    for (const { cancelAsked, key } of slot.orders) if (cancelAsked) this.#run.act({ do: 'cancel', key });
    this.#book.touch(name);
  }

  /** Tries again, at a tick, the slots that wait for one. */
  retryStarved(role: Role): void {
    for (const { starved, want, name } of this.#book.state.slots.values())
      if (starved && (want?.role === 'entry') === (role === 'entry')) this.retry(name);
  }

  /** Handles a refused cancel: it is asked for again after a while. */
  stays(slot: Slot, order: RunOrder): void {
    this.#run.notice(1, `the cancel of ${order.side} ${order.label} was refused: it is tried again`);
    this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
  }

  /** Asks again for open cancels, which may have been refused; called after all timers were removed. */
  insist(): void {
    for (const slot of this.#book.state.slots.values()) {
      if (!slot.orders.some(({ cancelAsked }) => cancelAsked)) continue;
      this.#run.timer(`retry ${slot.name}`, this.#run.now() + CANCEL_AGAIN_MS);
    }
  }

  /**
   * Checks what is still wanted and restores the time of its next try; called after all timers were removed.
   */
  tryOn(): void {
    for (const { name, want, retryAt } of this.#book.state.slots.values()) {
      if (want === null) continue;
      this.#book.touch(name);
      if (retryAt !== null) this.#run.timer(`retry ${name}`, retryAt);
    }
  }

  /**
   * Gives up a refused entry. What is held keeps its exits and stops: no refusal of an entry removes them.
   * The strategy may want the entry again.
   */
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
