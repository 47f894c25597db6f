/**
 * The request budgets of the API: one for each address before anything else, one for each account and route after
 * authentication (specification, "Per-route rate limits"; D5 to D9). Knows no sockets, so that the WebSocket's upgrade
 * takes from the same budget.
 */
import { addressBucket } from '../access/address.ts';
import { RateLimiter, type Verdict } from '../access/rate-limiter.ts';
import type { RouteName } from '../access/tiers.ts';
import type { AccessKey } from '../domain/access-key.ts';
import type { Tier } from '../domain/actor.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServiceError } from '../domain/errors.ts';
import type { CompiledServiceLimits } from '../domain/limits.ts';
import { FloodLine } from './flood-line.ts';

/** Addresses remembered; those heard of longest ago go first (research 2.4). */
const ADDRESSES = 100_000;
/** Accounts times routes remembered: about 250 accounts that use every route at once. */
const BUDGETS = 10_000;

/** What a request was told by a budget: the headers of its answer, whatever that will be. */
export interface Allowance {
  /** X-RateLimit-Limit, -Remaining, -Reset; with Retry-After when refused. */
  readonly headers: Readonly<Record<string, string>>;
  /** RATE_LIMITED, or null when the request may go on. */
  readonly refusal: ServiceError | null;
}

export interface RateLimitsDeps {
  readonly limits: CompiledServiceLimits;
  /** Windows go by the monotonic reading; the wall clock only says when they end. */
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** Audit line: addresses are being refused. Now and then, not for each request. */
  readonly report: (text: string) => void;
}

export class RateLimits {
  readonly #limits: CompiledServiceLimits;
  readonly #clock: RateLimitsDeps['clock'];
  readonly #flood: FloodLine;
  readonly #addresses: RateLimiter;
  readonly #budgets: RateLimiter;

  constructor({ limits, clock, report }: RateLimitsDeps) {
    const { windowMs } = limits;
    this.#limits = limits;
    this.#clock = clock;
    this.#flood = new FloodLine('requests refused by the limit of their address', report);
    this.#addresses = new RateLimiter({ windowMs, capacity: ADDRESSES });
    this.#budgets = new RateLimiter({ windowMs, capacity: BUDGETS });
  }

  /** One request from an address (as `clientAddress` gives it), of whatever kind. */
  takeAddress(address: string): Allowance {
    const bucket = addressBucket(address);
    const now = this.#clock.monotonic();
    const verdict = this.#addresses.take(bucket, this.#limits.addressRequests, now);
    if (!verdict.accepted) this.#flood.note(bucket, now);
    return this.#allowance(verdict, () => `from ${bucket}`);
  }

  /** One verified request. Keys of one account share its budgets; the tier says how much of them its key may use (S17). */
  takeRoute({ user, tier }: Pick<AccessKey, 'user' | 'tier'>, route: RouteName): Allowance {
    const limit = routeLimit(this.#limits, tier, route);
    const verdict = this.#budgets.take(`${route} ${user}`, limit, this.#clock.monotonic());
    return this.#allowance(verdict, () => `to ${route} from this account`);
  }

  #allowance(verdict: Verdict, whose: () => string): Allowance {
    const { accepted, limit, remaining, resetMs, retryMs } = verdict;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil((this.#clock.wall() + resetMs) / 1000)),
    };
    if (accepted) return { headers, refusal: null };
    const seconds = Math.max(1, Math.ceil(retryMs / 1000));
    const window = this.#limits.windowMs / 1000;
    const requests = limit === 1 ? 'request' : 'requests';
    const message = `the limit is ${limit} ${requests} ${whose()} within ${window} s; try again in ${seconds} s`;
    return {
      headers: { ...headers, 'retry-after': String(seconds) },
      refusal: { code: 'RATE_LIMITED', message },
    };
  }
}

/** Requests per window of one account to one route with a key of this tier. */
export function routeLimit(limits: CompiledServiceLimits, tier: Tier, route: RouteName): number {
  const base = Object.hasOwn(limits.routeRequests, route)
    ? (limits.routeRequests[route] as number)
    : limits.otherRouteRequests;
  return Math.max(1, Math.floor(base * limits.tierFactors[tier]));
}
