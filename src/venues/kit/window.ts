/**
 * How much of one limit of an exchange is used: what was sent within its window, what is on its way, and what others have used as
 * far as the exchange says. When a request is counted there is not known here, only that it is between its leaving and its answer:
 * it counts at both ends, so that no window of the exchange ever has more than is thought here. Memory is bounded.
 */

/** `clock`: it begins anew with every full window of the exchange's clock, as Binance's; `sliding`: it always looks back. */
export type Resets = 'clock' | 'sliding';

export interface WindowRule {
  readonly windowMs: number;
  readonly limit: number;
  readonly resets: Resets;
}

/** The exchange's clock as known here. */
export interface Phase {
  /** The exchange's Unix ms less `Clock.monotonic`. */
  readonly offsetMs: number;
  /** By so much it may be wrong either way. */
  readonly slackMs: number;
}

/** Parts of a window that are told apart: what ended within one counts as ended at its end. */
const PARTS = 50;

interface Part {
  /** Monotonic time. */
  readonly until: number;
  amount: number;
}

export class Window {
  #rule: WindowRule;
  /** Null: not known; then every window is taken for a sliding one, which keeps within any other. */
  readonly #phase: () => Phase | null;
  #inFlight = 0;
  /** What has been answered, oldest first; at most so many as a window has parts, and a few. */
  #parts: Part[] = [];
  #ended = 0;
  /** What others have used at least. */
  #others = 0;
  #othersSince = 0;
  /** When the request left beside which no other has been on its way; null: there were others. */
  #aloneSince: number | null = null;
  /** Until then what was used before is not known, and all of it may be. */
  #unknownUntil: number;

  /** `unknownUntil`: monotonic time; left out: nothing was used before. */
  constructor(rule: WindowRule, phase: () => Phase | null, unknownUntil = Number.NEGATIVE_INFINITY) {
    this.#rule = rule;
    this.#phase = phase;
    this.#unknownUntil = unknownUntil;
  }

  /** The exchange allows so much from now on. */
  limitIs(limit: number): void {
    this.#rule = { ...this.#rule, limit };
  }

  /** A request of this cost leaves. */
  leaves(cost: number, now: number): void {
    this.#aloneSince = this.#inFlight === 0 ? now : null;
    this.#inFlight += cost;
  }

  /** It was answered, or there will be no answer. */
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
   * The exchange says how much it has counted, in its answer to a request that left at `leftAt` and has ended. Of a window that is
   * over it says nothing of the present one; where nobody can say whether it is over, it counts as long as that may be.
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
    // It has given something back, or counts from earlier than we: certain where nothing else was on its way.
    if (isOfNow && this.#inFlight === 0 && this.#aloneSince === leftAt)
      this.#giveBack(own + this.#others - count);
  }

  /** Earliest monotonic time at which `amount` is free, if what is on its way were answered now. Infinity: more than there ever is. */
  freeAt(amount: number, now: number, limit = this.#rule.limit): number {
    if (amount > limit) return Number.POSITIVE_INFINITY;
    let at = now;
    while (this.#usedThen(at, now) + amount > limit) at = this.nextChange(at) ?? this.#overAt(now, at);
    return at;
  }

  /** Monotonic time at which less may be used than at `now`; null: only an answer changes that. */
  nextChange(now: number): number | null {
    const ends = [...this.#parts.map(({ until }) => this.#overAt(until, now))];
    if (this.#others > 0) ends.push(this.#overAt(this.#othersSince, now));
    if (this.#unknownUntil >= now) ends.push(this.#unknownUntil + 1);
    const later = ends.filter((at) => at > now);
    return later.length === 0 ? null : Math.min(...later);
  }

  /** Parts that are kept. */
  get size(): number {
    return this.#parts.length;
  }

  /** Nothing of it is used or on its way: it need not be kept. */
  isIdle(now: number): boolean {
    return this.used(now) === 0;
  }

  /** What would be used at `at`, later than `now` or then, if nothing more left and all on its way were answered at `now`. */
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

  /** Whether what was counted by the exchange at `then` or before may be in the window of `now`. */
  #counts(then: number, now: number): boolean {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs >= now;
    return then + phase.offsetMs >= this.#startOf(now, phase) - phase.slackMs;
  }

  /** Whether what was counted at `then` or later is certainly of the window of `now`. */
  #isOfNow(then: number, now: number): boolean {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs >= now;
    const start = Math.floor((now + phase.offsetMs + phase.slackMs) / windowMs) * windowMs;
    return then + phase.offsetMs - phase.slackMs >= start;
  }

  /** When the window began in which both may be, as far as is known; null: it is over by now. */
  #beginOf(then: number, now: number): number | null {
    const phase = this.#rule.resets === 'clock' ? this.#phase() : null;
    if (!phase) return null;
    const start = this.#startOf(now, phase);
    return start === this.#startOf(then, phase) ? start - phase.offsetMs : null;
  }

  /** Earliest begin of the exchange's window at `now`, in its time. */
  #startOf(now: number, { offsetMs, slackMs }: Phase): number {
    const { windowMs } = this.#rule;
    return Math.floor((now + offsetMs - slackMs) / windowMs) * windowMs;
  }

  /** First moment after `now` at which what was counted at `then` may count no more. */
  #overAt(then: number, now: number): number {
    const { windowMs, resets } = this.#rule;
    const phase = resets === 'clock' ? this.#phase() : null;
    if (!phase) return then + windowMs + 1;
    return this.#startOf(now, phase) + windowMs + phase.slackMs - phase.offsetMs;
  }
}
