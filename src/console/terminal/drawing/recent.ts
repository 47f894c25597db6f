/** A cache of recently used entries, bounded without a clock or a list. */

/**
 * Holds up to twice `most` entries: those used since the younger half was started, and those of the half
 * before.
 */
export class Recent<K, V> {
  readonly #most: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    const found = this.#younger.get(key);
    if (found !== undefined) return found;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#younger.size >= this.#most) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
  }
}
