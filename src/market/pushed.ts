/**
 * The paper market of a desk whose paper accounts trade at the prices of live markets: it has no prices of
 * its own, and its time is the wall clock's. In place of a driver that pulls ticks, this one only reports the
 * time.
 */
import type { Cancelable, Clock } from '../domain/clock.ts';
import type { MarketDriver } from './driver.ts';
import type { Feed } from './feed.ts';

/** How often end dates are checked, ms: no tick of this market reports the time. */
const LOOK_MS = 1_000;

/** Makes such a feed. `label`: as shown to the user, such as `binance`. */
export function pushedFeed(label: string, startTime: number): Feed {
  return {
    label,
    live: true,
    pushed: true,
    symbols: [],
    startTime,
    peek: () => null,
    next: () => null,
    resume: () => {},
    snapshot: () => null,
    candles: () => [],
  };
}

export interface PushedDriverOptions {
  readonly clock: Clock;
  /** Market time never goes back before this, Unix ms. */
  readonly reached: number;
  /** Called about once a second. */
  readonly onTime: (time: number) => void;
}

export class PushedDriver implements MarketDriver {
  readonly live = true;
  readonly speed = 1;
  readonly held = false;
  readonly ended = false;
  readonly #o: PushedDriverOptions;
  #reached: number;
  #timer: Cancelable | null = null;

  constructor(options: PushedDriverOptions) {
    this.#o = options;
    this.#reached = options.reached;
  }

  get marketTime(): number {
    this.#reached = Math.max(this.#reached, this.#o.clock.wall());
    return this.#reached;
  }

  start(): void {
    this.#timer = this.#o.clock.after(LOOK_MS, () => {
      this.start();
      this.#o.onTime(this.marketTime);
    });
  }

  stop(): Promise<void> {
    this.#timer?.cancel();
    return Promise.resolve();
  }

  /** Throws: market time is the clock's, so this market cannot be held, stepped or played either. */
  setSpeed(): never {
    throw new RangeError('a live market runs with the clock');
  }

  play(): void {}

  pause(): never {
    throw new RangeError('a live market runs with the clock');
  }

  step(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
