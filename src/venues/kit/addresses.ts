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

/** One of a desk. */
export class Addresses {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lanes>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `origin`: scheme, host and port, as of `URL.origin`. */
  way(origin: string): Way {
    const known = this.#lanes.get(origin);
    const lanes = known ?? new Lanes(new Budget(this.#clock.monotonic()), this.#clock);
    this.#lanes.set(origin, lanes);
    return new Way(lanes);
  }
}
