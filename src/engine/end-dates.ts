/** A queue of the end dates of open orders (GTD), soonest first: market time, Unix ms. No decisions here. */
export class EndDates {
  readonly #at = new Map<string, number>();
  /** Cached soonest end date; null: to be computed again. */
  #next: number | null = Number.POSITIVE_INFINITY;

  add(orderId: string, at: number): void {
    this.#at.set(orderId, at);
    if (this.#next !== null) this.#next = Math.min(this.#next, at);
  }

  delete(orderId: string): void {
    const at = this.#at.get(orderId);
    if (at === undefined) return;
    this.#at.delete(orderId);
    if (at === this.#next) this.#next = null;
  }

  /** The soonest of all end dates; Infinity without one. */
  get next(): number {
    if (this.#next === null) {
      this.#next = Number.POSITIVE_INFINITY;
      for (const at of this.#at.values()) this.#next = Math.min(this.#next, at);
    }
    return this.#next;
  }

  /** Removes and returns the orders whose end date is reached, in the order in which they were added. */
  takeDue(market: number): string[] {
    if (this.next > market) return [];
    const due = [...this.#at].filter(([, at]) => at <= market).map(([id]) => id);
    for (const id of due) this.delete(id);
    return due;
  }
}
