/**
 * Sliding windows, exact: at most `limit` acceptances in any `windowMs` milliseconds, and no refusal while
 * there are fewer (specification, "Per-route rate limits"; D7). An acceptance at `t` counts for the moments
 * [t, t + windowMs). Refused requests are not counted. Constant time per request, bounded tables. Pure: reads
 * no clock; `now` is monotonic (`Clock.monotonic`), so that setting the wall clock neither locks anybody out
 * nor lets anybody in.
 */

/** The result for one request. Times are durations from its `now`. */
export interface Verdict {
  readonly accepted: boolean;
  readonly limit: number;
  /** Number of requests that would still be accepted at this moment. */
  readonly remaining: number;
  /** Ms until the oldest counted request leaves the window; 0 when none is in it. */
  readonly resetMs: number;
  /** Ms until a request would be accepted; 0 when one would be now. */
  readonly retryMs: number;
}

const FIRST_ROOM = 8;

/** The accepted requests of one window, oldest first, in a ring that grows as far as the limits require. */
export class SlidingWindow {
  readonly #windowMs: number;
  #ring = new Float64Array(FIRST_ROOM);
  #head = 0;
  #count = 0;
  /** The latest clock reading. */
  #now = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * Accepts and counts a request, or refuses it. `limit` may differ between calls: only accepted requests
   * count.
   */
  take(limit: number, now: number): Verdict {
    this.#forget(now);
    const accepted = this.#count < limit;
    if (accepted) this.#push(this.#now);
    return this.#verdict(accepted, limit);
  }

  /** What `take` would say now, without counting anything. */
  look(limit: number, now: number): Verdict {
    this.#forget(now);
    return this.#verdict(this.#count < limit, limit);
  }

  #verdict(accepted: boolean, limit: number): Verdict {
    const full = this.#count >= limit;
    return {
      accepted,
      limit,
      remaining: full ? 0 : limit - this.#count,
      resetMs: this.#count === 0 ? 0 : this.#leavesIn(0),
      // If the limit is below the count, all requests above it must leave first.
      retryMs: full && limit > 0 ? this.#leavesIn(this.#count - limit) : 0,
    };
  }

  #leavesIn(index: number): number {
    return (this.#ring[(this.#head + index) % this.#ring.length] as number) + this.#windowMs - this.#now;
  }

  #forget(now: number): void {
    // A falling reading would be an error of the clock; time stands still then.
    this.#now = Math.max(this.#now, now);
    while (this.#count > 0 && this.#leavesIn(0) <= 0) {
      this.#head = (this.#head + 1) % this.#ring.length;
      this.#count -= 1;
    }
  }

  #push(at: number): void {
    const { length } = this.#ring;
    if (this.#count === length) {
      const wider = new Float64Array(length * 2);
      for (let i = 0; i < length; i++) wider[i] = this.#ring[(this.#head + i) % length] as number;
      this.#ring = wider;
      this.#head = 0;
    }
    this.#ring[(this.#head + this.#count) % this.#ring.length] = at;
    this.#count += 1;
  }
}

export interface RateLimiterOptions {
  readonly windowMs: number;
  /** This many of the last accepted keys are always remembered; at most twice as many are kept. */
  readonly capacity: number;
}

/**
 * One sliding window for each key. Keys are kept in two generations. A generation lasts for one window, or
 * until it is full; keys without an accepted request during it are dropped with it. So nothing has to be
 * searched, however many keys come and go.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  #young = new Map<string, SlidingWindow>();
  #old = new Map<string, SlidingWindow>();
  /** When the young generation began. */
  #since = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  take(key: string, limit: number, now: number): Verdict {
    const { windowMs, capacity } = this.#options;
    if (now - this.#since >= windowMs || this.#young.size >= capacity) this.#turn(now);
    const window = this.#find(key) ?? new SlidingWindow(windowMs);
    const verdict = window.take(limit, now);
    if (verdict.accepted) {
      this.#old.delete(key);
      this.#young.set(key, window);
    }
    return verdict;
  }

  /** What `take` would say now, without counting anything. */
  look(key: string, limit: number, now: number): Verdict {
    return (this.#find(key) ?? new SlidingWindow(this.#options.windowMs)).look(limit, now);
  }

  #find(key: string): SlidingWindow | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  #turn(now: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#since = now;
  }
}
