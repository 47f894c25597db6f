/**
 * Control pings (specification, "Close codes and heartbeat"): each member has one beat per interval, a
 * twentieth of all members at a time, so that ten thousand sockets are not pinged at once. No timer runs
 * while there are no members.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** Number of slots in an interval. */
const SLOTS = 20;

export interface Beating {
  /** Called once per interval; the first time after a whole interval, or up to one slot less. */
  beat(): void;
}

export class Heartbeat {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #slotMs: number;
  readonly #slots: readonly Set<Beating>[] = Array.from({ length: SLOTS }, () => new Set());
  /** The slot of each member. */
  readonly #places = new Map<Beating, Set<Beating>>();
  #at = 0;
  #timer: Cancelable | null = null;

  constructor(clock: Pick<Clock, 'after'>, intervalMs: number) {
    this.#clock = clock;
    this.#slotMs = intervalMs / SLOTS;
  }

  join(member: Beating): void {
    const slot = this.#slots[this.#at] as Set<Beating>;
    slot.add(member);
    this.#places.set(member, slot);
    this.#timer ??= this.#clock.after(this.#slotMs, () => this.#turn());
  }

  leave(member: Beating): void {
    this.#places.get(member)?.delete(member);
    this.#places.delete(member);
    if (this.#places.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #turn(): void {
    this.#timer = this.#clock.after(this.#slotMs, () => this.#turn());
    this.#at = (this.#at + 1) % SLOTS;
    // A beat may end its member.
    for (const member of [...(this.#slots[this.#at] as Set<Beating>)]) member.beat();
  }
}
