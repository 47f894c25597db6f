/**
 * Remembers which trades of a symbol were passed on: during an overlap of two sockets each trade comes twice,
 * and one from the old socket may come after a later one from the new. Memory is bounded.
 */

/** The number of skipped ids that may still come. */
const MISSING_MAX = 1_000;
/** The number of text ids that are remembered. */
const WORDS_MAX = 2_000;

export class SeenTrades {
  #newest = -1;
  readonly #missing = new Set<number>();
  readonly #words = new Set<string>();

  /** True: the trade is new. Numeric ids rise, mostly by one; text ids have no order. */
  isNew(id: number | string): boolean {
    return typeof id === 'number' ? this.#isNewNumber(id) : this.#isNewWord(id);
  }

  #isNewNumber(id: number): boolean {
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

  #isNewWord(id: string): boolean {
    if (this.#words.has(id)) return false;
    this.#words.add(id);
    if (this.#words.size > WORDS_MAX) {
      const [oldest = ''] = this.#words;
      this.#words.delete(oldest);
    }
    return true;
  }
}
