/**
 * Rate limits: a number of requests within a moving window, per endpoint and per address, user, instrument or
 * tag; and orders of a sub-account in total. Source: OKX v5 "Rate Limits" and the head of each endpoint's
 * page.
 */
import { Refusal } from './wire.ts';

const ACCOUNT_LIMIT = 1000;
const WINDOW_MS = 2000;

export class Limits {
  readonly #seen = new Map<string, number[]>();
  readonly #factor: number;
  #blockedUntil = 0;

  /** `factor`: factor of the documented limits, for tests that send faster than the exchange allows. */
  constructor(factor: number) {
    this.#factor = factor;
  }

  /** Bans everybody until then, like a gate in front whose refusals are ignored. */
  block(until: number): void {
    this.#blockedUntil = until;
  }

  isBlocked(now: number): boolean {
    return now < this.#blockedUntil;
  }

  /** Counts `weight` requests, or refuses with 50011. */
  take(name: string, [count, withinMs]: readonly [number, number], now: number, weight = 1): void {
    if (!this.#fits(name, count * this.#factor, withinMs, now, weight))
      throw new Refusal('50011', 'Too Many Requests', 429);
  }

  /** Counts new orders and amendments of one account, or refuses with 50061. */
  takeOrders(account: string, now: number, weight: number): void {
    if (!this.#fits(`${account} orders`, ACCOUNT_LIMIT * this.#factor, WINDOW_MS, now, weight))
      throw new Refusal('50061', "You've reached the maximum order rate limit for this account.");
  }

  #fits(name: string, count: number, withinMs: number, now: number, weight: number): boolean {
    let times = this.#seen.get(name);
    if (!times) {
      times = [];
      this.#seen.set(name, times);
    }
    const since = now - withinMs;
    let old = 0;
    while (old < times.length && (times[old] as number) <= since) old++;
    if (old > 0) times.splice(0, old);
    if (times.length + weight > count) return false;
    for (let i = 0; i < weight; i++) times.push(now);
    return true;
  }
}
