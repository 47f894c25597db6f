/**
 * Notices that the wall clock was set or that the machine slept (D22, S57): the wall clock has moved against
 * the monotonic clock, which is not affected by either. Small differences come from a clock being
 * synchronized and are followed silently.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** A difference of at most this much between two checks is no jump. */
export const JUMP_MS = 1_000;
/** How often the clocks are checked without being asked. */
const LOOK_EVERY_MS = 2_000;

/** A jump of the wall clock. */
export interface ClockJump {
  /** When it was noticed: the new wall time, Unix ms. */
  readonly at: number;
  /** Forward is positive. */
  readonly byMs: number;
}

export class ClockWatch {
  /** The last jump since the start of the desk. */
  last: ClockJump | null = null;
  readonly #clock: Clock;
  readonly #jumped: (jump: ClockJump) => void;
  #apart: number;
  #timer: Cancelable | null = null;

  constructor(clock: Clock, jumped: (jump: ClockJump) => void) {
    this.#clock = clock;
    this.#jumped = jumped;
    this.#apart = clock.wall() - clock.monotonic();
  }

  start(): void {
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => {
      this.look();
      this.start();
    });
  }

  /** Checks the clocks. Cheap: for callers that rely on time having passed as usual. */
  look(): void {
    const apart = this.#clock.wall() - this.#clock.monotonic();
    const byMs = Math.round(apart - this.#apart);
    this.#apart = apart;
    if (Math.abs(byMs) <= JUMP_MS) return;
    this.last = { at: this.#clock.wall(), byMs };
    this.#jumped(this.last);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

/** Returns the log's text about a jump. */
export function jumpText(byMs: number): string {
  const seconds = `${(Math.abs(byMs) / 1_000).toFixed(1)} s`;
  return byMs > 0
    ? `the wall clock went forward by ${seconds} at once, or this machine slept: every account is compared`
    : `the wall clock was set back by ${seconds}`;
}
