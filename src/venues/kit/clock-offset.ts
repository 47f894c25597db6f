/**
 * An exchange's clock, measured at the midpoint between a question and its answer. The time used for signing
 * is never ahead of it: a request may arrive as old, but never from the future. Counted against the monotonic
 * clock, so that setting the wall clock changes nothing; but that clock stands still while the machine sleeps,
 * so the exchange's is measured again when our two have moved apart. Sends nothing by itself.
 */
import type { Clock } from '../../domain/clock.ts';

/** The clock is measured again after this, ms, and after an error about the time. */
export const MEASURE_EVERY_MS = 30 * 60_000;
/** Beyond this offset a warning is given, ms. */
export const OFF_MS = 1_000;
/** When our two clocks have moved apart by more than this since a measurement, ms, another one is due. */
const APART_MS = 1_000;
/** While the known measurement is younger than this, ms, only one that is at least as exact replaces it. */
const FRESH_MS = 60_000;

export interface Measured {
  /** `Clock.monotonic` when the question left and when its answer came. */
  readonly sentAt: number;
  readonly heardAt: number;
  /** What the exchange says its time is, Unix ms. */
  readonly time: number;
}

interface Known {
  /** The exchange's time minus the monotonic clock, at the midpoint. */
  readonly ahead: number;
  /** The largest error of `ahead`, in either direction. */
  readonly within: number;
  readonly at: number;
  /** Our wall clock minus the monotonic one by then, ms. */
  readonly gap: number;
}

export class ClockOffset {
  readonly #clock: Pick<Clock, 'wall' | 'monotonic'>;
  #known: Known | null = null;
  #isDue = true;

  constructor(clock: Pick<Clock, 'wall' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes a measurement. False: it cannot be true, and is ignored. */
  measured({ sentAt, heardAt, time }: Measured): boolean {
    if (!Number.isSafeInteger(time) || time <= 0 || !(heardAt >= sentAt)) return false;
    const within = (heardAt - sentAt) / 2;
    const known = this.#known;
    const isWorse = known !== null && !this.isDue && heardAt - known.at < FRESH_MS && within > known.within;
    this.#isDue = false;
    if (!isWorse) this.#known = { ahead: time - (sentAt + within), within, at: heardAt, gap: this.#gap };
    return true;
  }

  /** Makes a new measurement due, since the exchange has refused a request for its time. */
  doubt(): void {
    this.#isDue = true;
  }

  /** A measurement is due now. */
  get isDue(): boolean {
    const known = this.#known;
    if (this.#isDue || known === null) return true;
    if (Math.abs(this.#gap - known.gap) > APART_MS) return true;
    return this.#clock.monotonic() - known.at >= MEASURE_EVERY_MS;
  }

  get #gap(): number {
    return this.#clock.wall() - this.#clock.monotonic();
  }

  /**
   * The exchange's time now as well as it is known, Unix ms; before the first measurement the time of our own
   * clock.
   */
  now(): number {
    const known = this.#known;
    return known ? Math.floor(this.#clock.monotonic() + known.ahead) : this.#clock.wall();
  }

  /** The time that a request is signed with, Unix ms: the earliest that the exchange's clock can show now. */
  stamp(): number {
    const known = this.#known;
    return known ? Math.floor(this.#clock.monotonic() + known.ahead - known.within) : this.#clock.wall();
  }

  /** The exchange's clock minus ours, ms; null: not measured. */
  get offsetMs(): number | null {
    return this.#known ? this.now() - this.#clock.wall() : null;
  }

  /**
   * Judges the offset. `off`: warn; `stop`: an entry signed by our own clock would not be accepted
   * (`windowMs`).
   */
  judge(windowMs: number): 'fine' | 'off' | 'stop' | 'unknown' {
    const offset = this.offsetMs;
    if (offset === null) return 'unknown';
    if (Math.abs(offset) > windowMs) return 'stop';
    return Math.abs(offset) > OFF_MS ? 'off' : 'fine';
  }
}
