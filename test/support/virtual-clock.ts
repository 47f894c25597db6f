/**
 * A clock for tests: time moves only by `advance`. Deterministic: timers run by due time, equal ones in the
 * order they were set. Never sleeps and never reads the real time; `setImmediate` serves only to let all
 * microtasks run out.
 */
import { setImmediate } from 'node:timers';
import type { Cancelable, Clock } from '../../src/domain/clock.ts';

export interface VirtualClockOptions {
  /**
   * `endOfTurn` runs its callback by setImmediate, as the real clock does, instead of waiting for `settle` or
   * `advance`.
   */
  readonly autoTurns?: boolean;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Where virtual time starts unless told otherwise: 2026-01-05 00:00 UTC, a Monday. */
export const VIRTUAL_START = Date.UTC(2026, 0, 5);
/** The difference between virtual wall time and virtual monotonic time before any jump. */
const MONOTONIC_BEFORE_WALL_MS = Date.UTC(2025, 11, 1);
const MAX_TURNS = 1_000_000;

export class VirtualClock implements Clock {
  readonly #autoTurns: boolean;
  /** Wall time without the jumps: timers use it. */
  #now: number;
  #jumped = 0;
  /** Timers by due time, then in the order set. */
  #timers: Timer[] = [];
  #turnEnd: (() => void)[] = [];
  #autoPending = 0;
  #advancing = false;

  constructor(startMs: number = VIRTUAL_START, options: VirtualClockOptions = {}) {
    this.#now = startMs;
    this.#autoTurns = options.autoTurns ?? false;
  }

  wall(): number {
    return this.#now + this.#jumped;
  }

  /** Monotonic time is without the jumps, and far from any wall time: code that confuses the two fails. */
  monotonic(): number {
    return this.#now - MONOTONIC_BEFORE_WALL_MS;
  }

  after(delayMs: number, run: () => void): Cancelable {
    const timer: Timer = { due: this.#now + Math.max(0, Math.ceil(delayMs)), run };
    const timers = this.#timers;
    let low = 0;
    let high = timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((timers[middle] as Timer).due <= timer.due) low = middle + 1;
      else high = middle;
    }
    timers.splice(low, 0, timer);
    return {
      cancel: () => {
        const at = this.#timers.indexOf(timer);
        if (at >= 0) this.#timers.splice(at, 1);
      },
    };
  }

  endOfTurn(run: () => void): void {
    if (!this.#autoTurns) {
      this.#turnEnd.push(run);
      return;
    }
    this.#autoPending++;
    setImmediate(() => {
      this.#autoPending--;
      run();
    });
  }

  /** Number of timers not yet run. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer; null: none. */
  get untilNextTimer(): number | null {
    const next = this.#timers[0];
    return next ? next.due - this.#now : null;
  }

  /**
   * Runs one turn of the event loop: all microtasks, the `endOfTurn` callbacks set so far, all microtasks.
   * True when a callback ran.
   */
  async turn(): Promise<boolean> {
    const auto = this.#autoPending > 0;
    await microtasks();
    const callbacks = this.#turnEnd;
    if (callbacks.length === 0) return auto || this.#autoPending > 0;
    this.#turnEnd = [];
    for (const run of callbacks) run();
    await microtasks();
    return true;
  }

  /** Runs turns until no `endOfTurn` callback is left. Runs no timer, not even one with no delay. */
  async settle(): Promise<void> {
    for (let turns = 0; await this.turn(); turns++) {
      if (turns === MAX_TURNS) throw new Error('virtual clock: endOfTurn callbacks do not come to an end');
    }
  }

  /**
   * Moves time forward by `ms`, running every timer that falls due at its own moment, and settles after each
   * moment.
   */
  async advance(ms: number): Promise<void> {
    if (this.#advancing) throw new Error('virtual clock: advance called while it runs');
    this.#advancing = true;
    try {
      const target = this.#now + ms;
      await this.settle();
      for (let moments = 0; (this.#timers[0]?.due ?? Number.POSITIVE_INFINITY) <= target; moments++) {
        if (moments === MAX_TURNS) throw new Error('virtual clock: timers do not come to an end');
        const due = (this.#timers[0] as Timer).due;
        this.#now = due;
        await this.#runDue(due);
        await this.settle();
      }
      this.#now = target;
    } finally {
      this.#advancing = false;
    }
  }

  /**
   * Sets the wall clock, as by hand or after sleep: wall time moves forward or back, while timers keep their
   * remaining time.
   */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  /**
   * Runs the timers of one moment that are set already; timers that these set for the same moment run in the
   * next round.
   */
  async #runDue(due: number): Promise<void> {
    const batch = this.#timers.filter((timer) => timer.due === due);
    for (const timer of batch) {
      const at = this.#timers.indexOf(timer);
      if (at < 0) continue;
      this.#timers.splice(at, 1);
      timer.run();
      await microtasks();
    }
  }
}

/** Resolves when every microtask queued so far, and those they queue, have run. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
