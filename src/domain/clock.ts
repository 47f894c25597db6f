/** The clocks (S31, S57) and the port through which everything outside the pure core reads time and waits. */

/** The time at one moment on all clocks; passed into every step. */
export interface Now {
  /**
   * Unix ms, as people and other machines see it: for display, signatures, idempotency, `recent`. Setting the
   * machine's clock moves it forward or back.
   */
  readonly wall: number;
  /** Unix ms of the market's clock: every time that a trader sees as trading time. */
  readonly market: number;
  /**
   * `Clock.monotonic`: for delays, back-off and windows that prove something. Means nothing in another
   * process, so it is never stored.
   */
  readonly mono: number;
}

export interface Cancelable {
  cancel(): void;
}

/**
 * The port for time. Real and virtual clocks implement it; nothing else in the desk may read time or set
 * timers.
 */
export interface Clock {
  /** Returns the wall time, Unix ms. */
  wall(): number;
  /**
   * Milliseconds since an arbitrary moment; never falls, and setting the wall clock does not change it. For
   * durations and budgets.
   */
  monotonic(): number;
  after(delayMs: number, run: () => void): Cancelable;
  /** Runs the callback once the current turn of the event loop is over: the moment of the group commit. */
  endOfTurn(run: () => void): void;
}

/** Randomness, seeded or true, passed in from outside. */
export interface Random {
  /** Returns `length` characters of lower-case base32 (0-9, a-v). */
  id(length: number): string;
  /** Returns a number, uniform in [0, 1). */
  next(): number;
}
