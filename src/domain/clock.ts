/** The clocks (S31, S57) and the port through which everything outside the pure core reads time and waits. */

/** Handed into every step. */
export interface Now {
  /** Unix ms, as people and other machines see it: display, signatures, idempotency, `recent`. Whoever sets it can move it either way. */
  readonly wall: number;
  /** Unix ms of everything a trader sees as trading time. */
  readonly market: number;
  /** `Clock.monotonic`: delays, back-off and windows that prove something go by it. Means nothing in another process, so it is never stored. */
  readonly mono: number;
}

export interface Cancelable {
  cancel(): void;
}

/** Real and virtual clocks implement this; nothing else in the desk may read time or set timers. */
export interface Clock {
  /** Unix ms. */
  wall(): number;
  /** Milliseconds since some moment, never falling and untouched by whoever sets the wall clock: what durations and budgets go by. */
  monotonic(): number;
  after(delayMs: number, run: () => void): Cancelable;
  /** Runs once the current turn of the event loop is over: the group commit's moment. */
  endOfTurn(run: () => void): void;
}

/** Seeded or true randomness, handed in. */
export interface Random {
  /** `length` characters of lower-case base32 (0-9, a-v). */
  id(length: number): string;
  /** Uniform in [0, 1). */
  next(): number;
}
