/**
 * Lists that many ask for at once, as after a break of which a hundred orders have no answer: one read serves all who asked before it
 * began. Nobody gets an answer whose question had left before theirs was asked, since what it denies may have come meanwhile. Pure.
 */
interface Reads<T> {
  /** Has begun: who asks now waits for the next one. */
  readonly running: Promise<T>;
  next: Promise<T> | null;
}

export class SharedReads<T> {
  readonly #reads = new Map<string, Reads<T>>();

  /** `name`: the same for the same question. */
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
