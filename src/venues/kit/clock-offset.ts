/**
 * An exchange's clock, measured by the midpoint of a question and its answer. What is signed is never ahead of it: a request may
 * arrive as old, not as of the future. Counted against the monotonic clock, so that a wall clock that is set moves nothing. Asks
 * nothing by itself.
 */
import type { Clock } from '../../domain/clock.ts';

/** It is measured again after this, ms, and after an error about the time. */
export const MEASURE_EVERY_MS = 30 * 60_000;
/** A clock further off is warned of, ms. */
export const OFF_MS = 1_000;
/** A measurement is taken for better than one before by its uncertainty while that one is younger than this, ms. */
const FRESH_MS = 60_000;

export interface Measured {
  /** `Clock.monotonic` when the question left and when its answer came. */
  readonly sentAt: number;
  readonly heardAt: number;
  /** What the exchange says its time is, Unix ms. */
  readonly time: number;
}

interface Known {
  /** The exchange's time less the monotonic clock, at the midpoint. */
  readonly ahead: number;
  /** It is so much less or more at most. */
  readonly within: number;
  readonly at: number;
}

export class ClockOffset {
  readonly #clock: Pick<Clock, 'wall' | 'monotonic'>;
  #known: Known | null = null;
  #isDue = true;

  constructor(clock: Pick<Clock, 'wall' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** An answer. False: it cannot be true, and nothing is learned of it. */
  measured({ sentAt, heardAt, time }: Measured): boolean {
    if (!Number.isSafeInteger(time) || time <= 0 || !(heardAt >= sentAt)) return false;
    const within = (heardAt - sentAt) / 2;
    const known = this.#known;
    const isWorse = known !== null && !this.#isDue && heardAt - known.at < FRESH_MS && within > known.within;
    this.#isDue = false;
    if (!isWorse) this.#known = { ahead: time - (sentAt + within), within, at: heardAt };
    return true;
  }

  /** The exchange has refused a request for its time. */
  doubt(): void {
    this.#isDue = true;
  }

  /** It is to be measured now. */
  get isDue(): boolean {
    const known = this.#known;
    return this.#isDue || known === null || this.#clock.monotonic() - known.at >= MEASURE_EVERY_MS;
  }

  /** The exchange's time now as well as it is known, Unix ms; before the first measurement our own. */
  now(): number {
    const known = this.#known;
    return known ? Math.floor(this.#clock.monotonic() + known.ahead) : this.#clock.wall();
  }

  /** What a request is signed with, Unix ms: the earliest that the exchange's clock can show now. */
  stamp(): number {
    const known = this.#known;
    return known ? Math.floor(this.#clock.monotonic() + known.ahead - known.within) : this.#clock.wall();
  }

  /** The exchange's clock less ours, ms; null: not measured. */
  get offsetMs(): number | null {
    return this.#known ? this.now() - this.#clock.wall() : null;
  }

  /** What follows from it: `off`: a warning; `stop`: no entry would be taken as signed by our own clock (`windowMs`). */
  judge(windowMs: number): 'fine' | 'off' | 'stop' | 'unknown' {
    const offset = this.offsetMs;
    if (offset === null) return 'unknown';
    if (Math.abs(offset) > windowMs) return 'stop';
    return Math.abs(offset) > OFF_MS ? 'off' : 'fine';
  }
}
