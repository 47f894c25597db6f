/**
 * Which trades of a symbol were told: of an overlap of two sockets each comes twice, and one of the old socket may come after a later
 * one of the new. Memory is bounded.
 */

/** Ids that were left out and may still come. */
const MISSING_MAX = 1_000;
/** Ids in words that are known as told. */
const WORDS_MAX = 2_000;

export class SeenTrades {
  #newest = -1;
  readonly #missing = new Set<number>();
  readonly #words = new Set<string>();

  /** True: it was not told before. Numbers rise, mostly by one; words say nothing of an order. */
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
