/**
 * A queue of events of one socket, in order, that wait for a snapshot or an answer that must come first.
 * Bounded: when it overflows, all of it is dropped rather than kept in part, and whoever takes the events is
 * told that there is a gap.
 */
export const EVENTS_MAX = 50_000;

export class EventQueue<T> {
  readonly #most: number;
  #events: T[] = [];
  #hasGap = false;

  constructor(most = EVENTS_MAX) {
    this.#most = most;
  }

  get size(): number {
    return this.#events.length;
  }

  add(event: T): void {
    // The reconciliation that follows a gap covers everything that comes after it.
    if (this.#hasGap) return;
    if (this.#events.length < this.#most) {
      this.#events.push(event);
      return;
    }
    this.#events = [];
    this.#hasGap = true;
  }

  /** Takes all events, oldest first; null: the queue has overflowed, and everything has to be asked for. */
  take(): readonly T[] | null {
    const events = this.#hasGap ? null : this.#events;
    this.#events = [];
    this.#hasGap = false;
    return events;
  }
}
