/**
 * Decides when an account is compared with its exchange: one comparison at a time, soon after one that
 * failed, and at least every 15 minutes (engine.md, "Reconciliation"). What is compared is not known here.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/**
 * The usual interval besides starts and gaps (engine.md). Counted from the end of the last comparison, so
 * that a long one is not followed by the next at once.
 */
export const RECONCILE_EVERY_MS = 15 * 60_000;

/**
 * Waits after the first, second, ... comparison that failed or needs a follow-up; after the last of them the
 * usual interval applies. While events may be missing, the last wait repeats: entries wait for that
 * comparison.
 */
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;

/**
 * A new gap counts at most this many earlier failures: the next wait is 5 s then, which spares the exchange's
 * limits.
 */
const ANEW_FAILED = 2;

/**
 * True: every question was answered, and no answer came too late. `again`: the same, but a second comparison
 * must confirm what was found. `unsure`: the same, but what was found could not be judged.
 */
export type Compared = boolean | 'again' | 'unsure';

export interface ComparerOptions {
  readonly clock: Clock;
  /** Runs one comparison. Ends soon once the link is closed. */
  readonly compare: () => Promise<Compared>;
  /**
   * Whether the link is up. While it is down, comparisons are tried only now and then: the link's return asks
   * for one anyway.
   */
  readonly isUp: () => boolean;
  /** Whether events may be missing until a comparison has been answered; left out: never. */
  readonly hasGap?: () => boolean;
}

export class Comparer {
  readonly #options: ComparerOptions;
  #running: Promise<void> | null = null;
  /**
   * Resolves for callers who asked while a comparison was already running: that one began too early for them.
   */
  #next: PromiseWithResolvers<void> | null = null;
  #timer: Cancelable | null = null;
  #failed = 0;
  /** Comparisons that needed a follow-up since the last usual one. */
  #looks = 0;
  /** One of those could judge what it had found. */
  #judged = false;
  /** The next comparison is due soon, not after the usual interval. */
  #soon = false;
  /** The running comparison is to be followed by another, whatever its outcome. */
  #again = false;
  #closed = false;

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  /** Resolves when one comparison that began no earlier than now has ended, complete or not. */
  now(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#running) {
      this.#next ??= Promise.withResolvers();
      return this.#next.promise;
    }
    this.#timer?.cancel();
    this.#running = this.#run();
    return this.#running;
  }

  /** Asks for one more comparison, as after one that failed; one that is already due soon is enough. */
  again(): void {
    if (this.#running) {
      this.#again = true;
      return;
    }
    if (this.#soon) return;
    this.#end(false);
    // A due comparison is never put off: callers that ask again and again would otherwise never get one.
    if (this.#timer && this.#wait === null) return;
    this.#timer?.cancel();
    this.#goOn();
  }

  /**
   * Events may have been missed again: earlier failures say little about the comparison that is needed now.
   */
  anew(): void {
    this.#failed = Math.min(this.#failed, ANEW_FAILED);
  }

  /** Starts no more comparisons; callers who wait for one go on. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#next?.resolve();
  }

  async #run(): Promise<void> {
    let outcome: Compared = false;
    try {
      outcome = await this.#options.compare();
    } finally {
      this.#running = null;
      // A complete comparison ends the earlier failures, also when something new was found while it ran.
      if (this.#again && outcome === true) outcome = 'again';
      this.#again = false;
      this.#end(outcome);
      this.#goOn();
    }
  }

  #end(outcome: Compared): void {
    // A first finding after comparisons that could not judge gets follow-ups of its own, however many those
    // were.
    if (outcome === 'again' && !this.#judged) this.#looks = 0;
    const wantsMore = (outcome === 'again' || outcome === 'unsure') && this.#looks < AGAIN_MS.length;
    this.#looks = wantsMore ? this.#looks + 1 : 0;
    this.#judged = wantsMore && (this.#judged || outcome === 'again');
    // A failure while the link is down says nothing about the time after it returns.
    this.#failed = outcome !== false || !this.#options.isUp() ? 0 : this.#failed + 1;
  }

  #goOn(): void {
    if (this.#closed) return;
    const next = this.#next;
    this.#next = null;
    if (next) {
      next.resolve(this.now());
      return;
    }
    const wait = this.#wait;
    this.#soon = wait !== null;
    this.#timer = this.#options.clock.after(wait ?? RECONCILE_EVERY_MS, () => void this.now());
  }

  /** The wait before a comparison that must come before the usual one, ms; null: none must. */
  get #wait(): number | null {
    const times = this.#failed || this.#looks;
    if (times === 0) return null;
    return AGAIN_MS[times - 1] ?? (this.#options.hasGap?.() ? AGAIN_MS[AGAIN_MS.length - 1] : null) ?? null;
  }
}
