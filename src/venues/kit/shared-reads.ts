/**
 * Lists that many ask for at the same time, for example after a break that left a hundred orders without an
 * answer: one read serves all who asked before it began. Nobody gets the answer to a read that left before
 * their own question, since what it does not contain may have arrived meanwhile. Pure.
 */
interface Reads<T> {
  /** The read that has begun: whoever asks now waits for the next one. */
  readonly running: Promise<T>;
  next: Promise<T> | null;
}

export class SharedReads<T> {
  readonly #reads = new Map<string, Reads<T>>();

  /** Returns the answer of a read. `name`: equal for equal questions. */
  ask(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(name);
    if (!known) return this.#begin(name, read);
    const begin = () => this.#begin(name, read);
    known.next ??= known.running.then(begin, begin);
    return known.next;
  }

  #begin(name: string, read: () => Promise<T>): Promise<T> {
    const reads: Reads<T> = { running: read(), next: null };
    this.#reads.set(name, reads);
    const end = () => {
      if (reads.next === null && this.#reads.get(name) === reads) this.#reads.delete(name);
    };
    reads.running.then(end, end);
    return reads.running;
  }
}
