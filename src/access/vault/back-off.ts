/**
 * How long no passphrase may be tried after wrong ones: 1, 2, 4 .. 60 s, for all callers together, by the
 * monotonic clock. Neither locking nor a correct passphrase shortens it; an hour without a wrong one resets
 * it.
 */
const FIRST_MS = 1_000;
const MOST_MS = 60_000;
const FORGOTTEN_MS = 3_600_000;

export class BackOff {
  readonly #monotonic: () => number;
  #failures = 0;
  #lastAt = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  failed(): void {
    const now = this.#monotonic();
    if (now - this.#lastAt >= FORGOTTEN_MS) this.#failures = 0;
    this.#failures += 1;
    this.#lastAt = now;
  }

  /** Time until the next passphrase may be tried, ms; 0: at once. */
  get waitMs(): number {
    if (this.#failures === 0) return 0;
    // Above 2^6 the maximum applies.
    const wait = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(this.#failures - 1, 6));
    return Math.max(0, this.#lastAt + wait - this.#monotonic());
  }
}
