/** A list that keeps only its newest items. */

export class BoundedList<T> {
  #items: T[] = [];
  #head = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Appends an item; returns the oldest one if it had to be dropped. */
  push(item: T): T | undefined {
    this.#items.push(item);
    if (this.#items.length - this.#head <= this.#limit) return undefined;
    const out = this.#items[this.#head++];
    if (this.#head > this.#limit) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return out;
  }

  /** Oldest first. */
  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at] as T;
  }

  /** The newest items up to the first for which `wanted` is false, oldest first. */
  tail(wanted: (item: T) => boolean): T[] {
    let from = this.#items.length;
    while (from > this.#head && wanted(this.#items[from - 1] as T)) from--;
    return this.#items.slice(from);
  }
}
