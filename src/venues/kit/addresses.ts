/**
 * All connections to one address of an exchange share its request budget: each asks here and gets the same
 * lanes, but its own `Way` through them, so that closing one connection leaves the others as they are.
 */
import type { Clock } from '../../domain/clock.ts';
import { Budget, LONGEST_BAN_MS } from './budget.ts';
import { Lanes, type Request, type Sent } from './lanes.ts';

/** One connection's way through the lanes of its address. */
export class LaneClient {
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

  /** Requests that wait at the address, over all its connections. */
  get waiting(): number {
    return this.#lanes.count();
  }

  /** Sends through the lanes; after `close` nothing is sent and the promise never settles. */
  send<T>(request: Request<T>): Promise<Sent<T>> {
    return this.#closed ? new Promise(() => {}) : this.#lanes.send(request, this);
  }

  /** Resolves after this time; never once the way is closed. */
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

/**
 * Bans that are stored, so that they outlast the process: a request during a ban makes it longer. Wall times,
 * Unix ms.
 */
export interface Bans {
  /** The end of the stored ban; null: none is stored. */
  readonly until: (origin: string) => number | null;
  readonly began: (origin: string, until: number) => void;
}

/** A ban is stored again only when it is longer than the stored one by at least this, ms. */
const LONGER_MS = 1_000;

/** The lanes of all addresses; a desk has one such object. */
export class Addresses {
  readonly #clock: Clock;
  readonly #bans: Bans | null;
  readonly #lanes = new Map<string, Lanes>();

  constructor(clock: Clock, bans: Bans | null = null) {
    this.#clock = clock;
    this.#bans = bans;
  }

  /** Makes a way through the lanes of an address. `origin`: scheme, host and port, as in `URL.origin`. */
  way(origin: string): LaneClient {
    const known = this.#lanes.get(origin);
    const lanes = known ?? new Lanes(this.#budget(origin), this.#clock);
    this.#lanes.set(origin, lanes);
    return new LaneClient(lanes);
  }

  #budget(origin: string): Budget {
    const clock = this.#clock;
    const budget = new Budget(clock.monotonic());
    const bans = this.#bans;
    if (!bans) return budget;
    // If the clock was wrong when the ban began, the ban would otherwise last for ever.
    const left = Math.min((bans.until(origin) ?? 0) - clock.wall(), LONGEST_BAN_MS);
    if (left > 0) budget.ban(left, clock.monotonic());
    budget.onBan = (ms) => {
      const until = Math.round(clock.wall() + ms);
      if (until > (bans.until(origin) ?? 0) + LONGER_MS) bans.began(origin, until);
    };
    return budget;
  }
}
