/**
 * Locks a terminal that nobody uses (remote.md 3): figures are hidden and calls refused until somebody
 * unlocks it. Only keys count: answers of the terminal, its size and heartbeats do not. Monotonic time; pure
 * except for its timer.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** Default time without a key after which a terminal is locked, ms. */
export const IDLE_LOCK_MS = 10 * 60_000;
/** A locked terminal over SSH is ended after this time without a key, ms. */
export const IDLE_END_MS = 30 * 60_000;

export interface IdleLockOptions {
  readonly clock: Clock;
  /** Time without a key, ms; 0: never. */
  readonly afterMs: number;
  /** The terminal is ended after half an hour without a key. */
  readonly ends: boolean;
  readonly locked: () => void;
  readonly ended: () => void;
}

export class IdleLock {
  readonly #o: IdleLockOptions;
  #lastKey: number;
  #timer: Cancelable | null = null;
  #why: 'idle' | 'asked' | null = null;

  constructor(options: IdleLockOptions) {
    this.#o = options;
    this.#lastKey = options.clock.monotonic();
    this.#arm();
  }

  get why(): 'idle' | 'asked' | null {
    return this.#why;
  }

  /** Time since the last key, ms. */
  get idleMs(): number {
    return this.#o.clock.monotonic() - this.#lastKey;
  }

  key(): void {
    this.#lastKey = this.#o.clock.monotonic();
  }

  lock(why: 'idle' | 'asked'): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#arm();
    this.#o.locked();
  }

  unlock(): void {
    this.#why = null;
    this.key();
    this.#arm();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Sets the one timer: if a key was pressed before it comes, it waits for the rest of the time. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const { clock, afterMs, ends } = this.#o;
    const until = this.#why === null ? afterMs : IDLE_END_MS;
    if (until === 0 || (this.#why !== null && !ends)) return;
    this.#timer = clock.after(Math.max(1, until - this.idleMs), () => this.#look(until));
  }

  #look(until: number): void {
    this.#timer = null;
    if (this.idleMs >= until) {
      if (this.#why !== null) {
        this.#o.ended();
        return;
      }
      this.lock('idle');
    }
    this.#arm();
  }
}
