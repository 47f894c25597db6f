/**
 * How much of one limit of an exchange is used: by requests within its window, by requests in flight, and by
 * others as far as the exchange says. When exactly the exchange counts a request is not known here, only that
 * it is between leaving and answer: so it counts at both ends, and no window of the exchange ever holds more
 * than is assumed here. Memory is bounded.
 */

/**
 * `clock`: the count restarts with every full window of the exchange's clock, as at Binance; `sliding`: it
 * always covers the last window.
 */
export type Resets = 'clock' | 'sliding';

export interface WindowRule {
  readonly windowMs: number;
  readonly limit: number;
  readonly resets: Resets;
}

/** The exchange's clock, as known here. */
export interface Phase {
  /** The exchange's Unix ms minus `Clock.monotonic`. */
  readonly offsetMs: number;
  /** The largest error of the offset, in either direction, ms. */
  readonly slackMs: number;
}

/** The number of parts of a window: a request that ended within one counts as ended at the part's end. */
const PARTS = 50;

interface Part {
  /** Monotonic time. */
  readonly until: number;
  amount: number;
}

export class Window {
  #rule: WindowRule;
  /** Null: not known; then every window is treated as a sliding one, which is the stricter rule. */
  readonly #phase: () => Phase | null;
  #inFlight = 0;
  /** The answered requests, oldest first; hardly more entries than a window has parts. */
  #parts: Part[] = [];
  #ended = 0;
  /** What others have used at least. */
  #others = 0;
  #othersSince = 0;
  /** When the request left that has been the only one in flight; null: there were others. */
  #aloneSince: number | null = null;
  /** Until then earlier use is unknown, and everything may be used up. */
  #unknownUntil: number;

  /** `unknownUntil`: monotonic time; left out: nothing was used before. */
  constructor(rule: WindowRule, phase: () => Phase | null, unknownUntil = Number.NEGATIVE_INFINITY) {
    this.#rule = rule;
    this.#phase = phase;
    this.#unknownUntil = unknownUntil;
  }

  /** Sets the limit from now on. */
  limitIs(limit: number): void {
    this.#rule = { ...this.#rule, limit };
  }

  /** Counts a request that leaves. */
  leaves(cost: number, now: number): void {
    this.#aloneSince = this.#inFlight === 0 ? now : null;
    this.#inFlight += cost;
  }

  /** Counts a request as answered, or as one that will get no answer. */
  ended(cost: number, now: number): void {
    this.#inFlight -= cost;
    if (cost === 0) return;
    const part = this.#rule.windowMs / PARTS;
    const until = Math.ceil(now / part) * part;
    const last = this.#parts.at(-1);
    if (last && last.until >= until) last.amount += cost;
    else this.#parts.push({ until, amount: cost });
    this.#ended += cost;
  }

  used(now: number): number {
    this.#prune(now);
    if (now <= this.#unknownUntil) return Math.max(this.#rule.limit, this.#inFlight);
    return this.#inFlight + this.#ended + (this.#counts(this.#othersSince, now) ? this.#others : 0);
  }

  /**
   * Takes how much the exchange has counted, from its answer to a request that left at `leftAt` and has
   * ended. A count of a past window says nothing about the present one; where it is unclear whether the
   * window is over, the count holds as long as that is possible.
   */
  told(count: number, leftAt: number, now: number): void {
    if (!Number.isFinite(count) || count < 0) return;
    const isOfNow = this.#isOfNow(leftAt, now);
    const begin = isOfNow ? now : this.#beginOf(leftAt, now);
    if (begin === null) return;
    if (isOfNow) this.#unknownUntil = Number.NEGATIVE_INFINITY;
    this.#prune(now);
    const own = this.#inFlight + this.#ended;
    const others = Math.max(0, count - own);
    if (!this.#counts(this.#othersSince, now)) this.#others = 0;
    if (others >= this.#others) {
      this.#others = others;
      this.#othersSince = begin;
    }
    // The exchange has given something back, or counts from an earlier time: certain only where nothing else
    // was in flight.
    if (isOfNow && this.#inFlight === 0 && this.#aloneSince === leftAt)
      this.#giveBack(own + this.#others - count);
  }

  /**
   * The earliest monotonic time at which `amount` is free, if all requests in flight were answered now.
   * Infinity: more than the whole limit.
   */
  freeAt(amount: number, now: number, limit = this.#rule.limit): number {
    if (amount > limit) return Number.POSITIVE_INFINITY;
    let at = now;
    while (this.#usedThen(at, now) + amount > limit) at = this.nextChange(at) ?? this.#overAt(now, at);
    return at;
  }

  /** The monotonic time at which less may be used than at `now`; null: only an answer changes that. */
  nextChange(now: number): number | null {
    const ends = [...this.#parts.map(({ until }) => this.#overAt(until, now))];
    if (this.#others > 0) ends.push(this.#overAt(this.#othersSince, now));
    if (this.#unknownUntil >= now) ends.push(this.#unknownUntil + 1);
    const later = ends.filter((at) => at > now);
    return later.length === 0 ? null : Math.min(...later);
  }

  /** The number of parts that are kept. */
  get size(): number {
    return this.#parts.length;
  }

  /** Nothing is used or in flight, so the window need not be kept. */
  isIdle(now: number): boolean {
    return this.used(now) === 0;
  }

  /** The use at `at` (not before `now`) if no more requests left and all in flight were answered at `now`. */
  #usedThen(at: number, now: number): number {
    if (at === now) return this.used(now);
    if (at <= this.#unknownUntil) return this.#rule.limit;
    let used = this.#counts(now, at) ? this.#inFlight : 0;
    for (const { until, amount } of this.#parts) if (this.#counts(until, at)) used += amount;
    return used + (this.#counts(this.#othersSince, at) ? this.#others : 0);
  }

  #prune(now: number): void {
    let over = 0;
    for (const { until, amount } of this.#parts) {
      if (this.#counts(until, now)) break;
      over += 1;
      this.#ended -= amount;
    }
    if (over > 0) this.#parts.splice(0, over);
  }

  #giveBack(amount: number): void {
    let left = amount;
    for (const part of this.#parts) {
      if (left <= 0) break;
      const taken = Math.min(left, part.amount);
      part.amount -= taken;
      this.#ended -= taken;
      left -= taken;
    }
    this.#parts = this.#parts.filter((part) => part.amount > 0);
  }

  /** Whether a request that the exchange counted at `then` or before may be in the window of `now`. */
  #counts(then: number, now: number): boolean {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs >= now;
    return then + phase.offsetMs >= this.#startOf(now, phase) - phase.slackMs;
  }

  /** Whether a request counted at `then` or later is certainly in the window of `now`. */
  #isOfNow(then: number, now: number): boolean {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs >= now;
    const start = Math.floor((now + phase.offsetMs + phase.slackMs) / windowMs) * windowMs;
    return then + phase.offsetMs - phase.slackMs >= start;
  }

  /** The start of the window that may contain both times, as far as is known; null: that window is over. */
  #beginOf(then: number, now: number): number | null {
    const phase = this.#rule.resets === 'clock' ? this.#phase() : null;
    if (!phase) return null;
    const start = this.#startOf(now, phase);
    return start === this.#startOf(then, phase) ? start - phase.offsetMs : null;
  }

  /** The earliest start of the exchange's window at `now`, in the exchange's time. */
  #startOf(now: number, { offsetMs, slackMs }: Phase): number {
    const { windowMs } = this.#rule;
    return Math.floor((now + offsetMs - slackMs) / windowMs) * windowMs;
  }

  /** The first moment after `now` at which a request counted at `then` may no longer count. */
  #overAt(then: number, now: number): number {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs + 1;
    return this.#startOf(now, phase) + windowMs + phase.slackMs - phase.offsetMs;
  }
}
