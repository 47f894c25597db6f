/**
 * Every connection to one address of an exchange shares what that lets be sent: who asks for its lanes gets the same ones, and a way
 * of its own through them, so that closing one connection leaves the others as they are.
 */
import type { Clock } from '../../domain/clock.ts';
import { Budget } from './budget.ts';
import { Lanes, type Request, type Sent } from './lanes.ts';

/** One connection's way through the lanes of its address. */
export class Way {
  readonly #lanes: Lanes;
  #closed = false;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get budget(): Budget {
    return this.#lanes.budget;
  }

  /** Monotonic ms. */
  get now(): number {
    return this.#lanes.now;
  }

  /** Requests that wait at the address, of all its connections. */
  get waiting(): number {
    return this.#lanes.count();
  }

  /** The same as the lanes' own; once it is closed nothing is sent, and nobody told. */
  send<T>(request: Request<T>): Promise<Sent<T>> {
    return this.#closed ? new Promise(() => {}) : this.#lanes.send(request, this);
  }

  /** Once it is closed nobody goes on. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#lanes.after(ms, () => this.#closed || resolve()));
  }

  waitMs(request: Parameters<Lanes['waitMs']>[0]): number {
    return this.#lanes.waitMs(request);
  }

  clockIs(exchangeMs: number, roundTripMs: number): void {
    this.#lanes.clockIs(exchangeMs, roundTripMs);
  }

  close(): void {
    this.#closed = true;
    this.#lanes.drop(this);
  }
}

/** Bans that outlast the process: who asks in one makes it longer. Wall times, Unix ms. */
export interface Bans {
  /** Null: none is known. */
  readonly until: (origin: string) => number | null;
  readonly began: (origin: string, until: number) => void;
}

/** So much longer a ban must be than the one that is kept before it is kept anew, ms. */
const LONGER_MS = 1_000;

/** No exchange bans for longer: Binance for 3 days at most. */
const LONGEST_MS = 4 * 86_400_000;

/** One of a desk. */
export class Addresses {
  readonly #clock: Clock;
  readonly #bans: Bans | null;
  readonly #lanes = new Map<string, Lanes>();

  constructor(clock: Clock, bans: Bans | null = null) {
    this.#clock = clock;
    this.#bans = bans;
  }

  /** `origin`: scheme, host and port, as of `URL.origin`. */
  way(origin: string): Way {
    const known = this.#lanes.get(origin);
    const lanes = known ?? new Lanes(this.#budget(origin), this.#clock);
    this.#lanes.set(origin, lanes);
    return new Way(lanes);
  }

  #budget(origin: string): Budget {
    const clock = this.#clock;
    const budget = new Budget(clock.monotonic());
    const bans = this.#bans;
    if (!bans) return budget;
    // A clock that was wrong when it began would make it last for ever.
    const left = Math.min((bans.until(origin) ?? 0) - clock.wall(), LONGEST_MS);
    if (left > 0) budget.ban(left, clock.monotonic());
    budget.onBan = (ms) => {
      const until = Math.round(clock.wall() + ms);
      if (until > (bans.until(origin) ?? 0) + LONGER_MS) bans.began(origin, until);
    };
    return budget;
  }
}
