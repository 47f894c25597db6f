/**
 * How much had been heard of an account at which moment (S58). A replica that lags answers with what was so a while before the
 * question: such an answer is ordered by what had been heard by then, as if it had been asked for that much earlier.
 */
export class HeardLog {
  readonly #lagMs: number;
  /** Oldest first; the first one is from before all that an answer of now may lack. */
  readonly #entries: { readonly at: number; readonly heard: number }[] = [];

  /** `lagMs`: how far replicas lag at most (`ExchangeCaps.settleMs`). */
  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** So much has been heard now. `at`: monotonic. */
  note(at: number, heard: number): void {
    if (this.#lagMs === 0 || this.#entries.at(-1)?.heard === heard) return;
    this.#entries.push({ at, heard });
    this.#drop(at);
  }

  /** What the answer to a question of now is ordered by. */
  asked(at: number, heard: number): number {
    if (this.#lagMs === 0) return heard;
    this.note(at, heard);
    this.#drop(at);
    const [first] = this.#entries;
    return first && first.at <= at - this.#lagMs ? first.heard : 0;
  }

  #drop(at: number): void {
    while ((this.#entries[1]?.at ?? Number.POSITIVE_INFINITY) <= at - this.#lagMs) this.#entries.shift();
  }
}
