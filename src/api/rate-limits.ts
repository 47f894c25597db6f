/**
 * The request budgets of the API: one for each address before anything else, one for each account and route
 * after authentication (specification, "Per-route rate limits"; D5 to D9). Knows no sockets, so the
 * WebSocket's upgrade can use the same budget.
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
import type { Sender } from './sender.ts';

/** Most addresses remembered; those not heard for longest go first (borders.md 2). */
const ADDRESSES = 100_000;
/** Most account and route pairs remembered: about 250 accounts that use every route at once. */
const BUDGETS = 10_000;

/** The share of an address's budget that is reserved for keys that have verified from it lately. */
export const KEPT_SHARE = 0.5;
/** How long a key counts as verified from an address, ms: longer than programs pause between requests. */
export const VERIFIED_MS = 300_000;
/** Most pairs of key and address remembered; those unused for longest go first. */
export const VERIFIED_KEYS = 1_000;

/** The result of a budget for a request: the headers of its answer, whatever the answer. */
export interface Allowance {
  /** X-RateLimit-Limit, -Remaining, -Reset; with Retry-After when refused. */
  readonly headers: Readonly<Record<string, string>>;
  /** RATE_LIMITED, or null when the request may go on. */
  readonly refusal: ServiceError | null;
}

export interface RateLimitsDeps {
  readonly limits: CompiledServiceLimits;
  /** Windows use monotonic time; wall time is only used to say when they end. */
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** Writes an audit line that addresses are being refused: now and then, not for each request. */
  readonly report: (text: string) => void;
}

export class RateLimits {
  readonly #limits: CompiledServiceLimits;
  readonly #clock: RateLimitsDeps['clock'];
  readonly #flood: FloodLine;
  readonly #addresses: RateLimiter;
  readonly #budgets: RateLimiter;
  /** Accepted requests of keys that had verified from their address. */
  readonly #kept: RateLimiter;
  /** When a key last verified from an address bucket, the latest last. */
  readonly #verified = new Map<string, number>();

  constructor({ limits, clock, report }: RateLimitsDeps) {
    const { windowMs } = limits;
    this.#limits = limits;
    this.#clock = clock;
    this.#flood = new FloodLine('requests refused by the limit of their address', report);
    this.#addresses = new RateLimiter({ windowMs, capacity: ADDRESSES });
    this.#budgets = new RateLimiter({ windowMs, capacity: BUDGETS });
    this.#kept = new RateLimiter({ windowMs, capacity: VERIFIED_KEYS });
  }

  /**
   * Takes one request, of any kind, from an address (as `clientAddress` gives it). Requests by pages of other
   * origins have a separate budget. Half of the budget is reserved for keys that have verified from this
   * address lately: such a request is refused only when that many of their requests were accepted, whoever
   * else has used up the budget.
   */
  takeAddress(address: string, { foreign, keyId }: Sender = { foreign: false, keyId: null }): Allowance {
    const bucket = addressBucket(address);
    const now = this.#clock.monotonic();
    const { addressRequests } = this.#limits;
    const whose = foreign ? `${bucket} by pages of other origins` : bucket;
    let verdict = this.#addresses.take(whose, addressRequests, now);
    if (!foreign && keyId !== null && this.#hasVerified(bucket, keyId, now)) {
      const most = verdict.accepted ? addressRequests : Math.floor(addressRequests * KEPT_SHARE);
      const kept = this.#kept.take(bucket, most, now);
      if (!verdict.accepted && most > 0) {
        const retryMs = Math.min(verdict.retryMs, kept.retryMs);
        verdict = { ...verdict, accepted: kept.accepted, retryMs };
      }
    }
    if (!verdict.accepted) this.#flood.note(bucket, now);
    return this.#allowance(verdict, () => `from ${whose}`);
  }

  /** Notes that a signature of this key has verified from this address. */
  verified(keyId: string, address: string): void {
    const name = `${keyId} ${addressBucket(address)}`;
    // The latest goes last.
    this.#verified.delete(name);
    this.#verified.set(name, this.#clock.monotonic());
    if (this.#verified.size <= VERIFIED_KEYS) return;
    for (const oldest of this.#verified.keys()) {
      this.#verified.delete(oldest);
      break;
    }
  }

  /** Forgets a revoked key: nothing is reserved for it any more. */
  forgetKey(keyId: string): void {
    for (const name of this.#verified.keys()) if (name.startsWith(`${keyId} `)) this.#verified.delete(name);
  }

  #hasVerified(bucket: string, keyId: string, now: number): boolean {
    const at = this.#verified.get(`${keyId} ${bucket}`);
    return at !== undefined && now - at < VERIFIED_MS;
  }

  /**
   * Takes one verified request. Keys of one account share its budgets; the tier limits how much of them a key
   * may use (S17).
   */
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

/** Most requests per window of one account to one route with a key of this tier. */
export function routeLimit(limits: CompiledServiceLimits, tier: Tier, route: RouteName): number {
  const base = Object.hasOwn(limits.routeRequests, route)
    ? (limits.routeRequests[route] as number)
    : limits.otherRouteRequests;
  return Math.max(1, Math.floor(base * limits.tierFactors[tier]));
}
