/**
 * Events of one socket that wait for what must come before them, a snapshot or an answer, in their order. Bounded: what is beyond
 * the bound is not kept in part. All of it is let go, and whoever takes them out is told that there is a gap.
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
    // What comes after a gap is known by the comparison that follows on it.
    if (this.#hasGap) return;
    if (this.#events.length < this.#most) {
      this.#events.push(event);
      return;
    }
    this.#events = [];
    this.#hasGap = true;
  }

  /** All that waits, oldest first; null: there was more than is kept, and everything has to be asked for. */
  take(): readonly T[] | null {
    const events = this.#hasGap ? null : this.#events;
    this.#events = [];
    this.#hasGap = false;
    return events;
  }
}
