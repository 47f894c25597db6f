/**
 * Locks a terminal that nobody touches (remote.md 3): figures are hidden and calls refused until somebody comes back. Only keys count:
 * answers of the terminal, its size and signs of life do not. Monotonic time; pure but for its timer.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** Where nothing else is set, a terminal that nobody touches is locked after so long, ms. */
export const IDLE_LOCK_MS = 10 * 60_000;
/** A terminal over SSH that stays locked is ended after so long without a key, ms. */
export const IDLE_END_MS = 30 * 60_000;

export interface IdleLockOptions {
  readonly clock: Clock;
  /** Without a key, ms; 0: never. */
  readonly afterMs: number;
  /** It is ended after half an hour. */
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

  /** Since the last key, ms. */
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

  /** One timer: when it comes too early, since a key was pressed meanwhile, it waits for the rest. */
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
