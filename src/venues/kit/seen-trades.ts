/**
 * Which trades of a symbol were told: of an overlap of two sockets each comes twice, and one of the old socket may come after a later
 * one of the new. Ids rise, mostly by one. Memory is bounded.
 */

/** Ids that were left out and may still come. */
const MISSING_MAX = 1_000;

export class SeenTrades {
  #newest = -1;
  readonly #missing = new Set<number>();

  /** True: it was not told before. */
  isNew(id: number): boolean {
    if (id <= this.#newest) return this.#missing.delete(id);
    if (this.#newest >= 0) {
      for (let left = Math.max(this.#newest + 1, id - MISSING_MAX); left < id; left++)
        this.#missing.add(left);
      for (const oldest of this.#missing) {
        if (this.#missing.size <= MISSING_MAX) break;
        this.#missing.delete(oldest);
      }
    }
    this.#newest = id;
    return true;
  }
}
