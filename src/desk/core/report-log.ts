/**
 * How many reports of an account had come at which moment (S58). A replica that lags answers with the state
 * of a while ago: such an answer is ordered by the reports that had come by then, as if it had been asked for
 * that much earlier.
 */
export class ReportLog {
  readonly #lagMs: number;
  /** Oldest first; the first entry is from before everything that an answer given now may lack. */
  readonly #entries: { readonly at: number; readonly heard: number }[] = [];

  /** `lagMs`: how far replicas lag at most (`ExchangeCaps.settleMs`). */
  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Notes how many reports have come. `at`: monotonic. */
  note(at: number, heard: number): void {
    if (this.#lagMs === 0 || this.#entries.at(-1)?.heard === heard) return;
    this.#entries.push({ at, heard });
    this.#drop(at);
  }

  /** Returns the number by which the answer to a question asked now is ordered. */
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
