/**
 * When an account is compared with its exchange: one comparison at a time, again soon after one that failed, and every 15
 * minutes anyway (engine.md, "Reconciliation"). What is compared is not known here.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** engine.md: besides start and gaps. Counted from the end of the last one, so that a long one does not follow itself. */
export const RECONCILE_EVERY_MS = 15 * 60_000;

/**
 * Wait after the first, second, ... comparison that failed, or wants another; then it is the usual one's turn. While events may be
 * missing the last wait repeats: entries wait for that comparison.
 */
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;

/** So many count at most of those that failed before a new gap: the next wait is 5 s then, which spares the exchange's limits. */
const ANEW_FAILED = 2;

/**
 * True: every question was answered, and no answer came too late. `again`: so it was, and another one is to say whether what it has found
 * is so. `unsure`: so it was, but what it has found could not be judged.
 */
export type Compared = boolean | 'again' | 'unsure';

export interface ComparerOptions {
  readonly clock: Clock;
  /** One comparison. Ends soon once the line is closed. */
  readonly compare: () => Promise<Compared>;
  /** While it is not, only an attempt now and then: its return asks for a comparison anyway. */
  readonly isUp: () => boolean;
  /** Events may be missing until one has been answered; left out: never. */
  readonly hasGap?: () => boolean;
}

export class Comparer {
  readonly #options: ComparerOptions;
  #running: Promise<void> | null = null;
  /** Whoever asked while one ran: it has begun too early for them. */
  #next: PromiseWithResolvers<void> | null = null;
  #timer: Cancelable | null = null;
  #failed = 0;
  /** Those that wanted another, since the usual one. */
  #looks = 0;
  /** One of them could judge what it has found. */
  #judged = false;
  /** The one that is due comes soon, not in its usual time. */
  #soon = false;
  /** The one that runs is to be followed by another, whatever comes of it. */
  #again = false;
  #closed = false;

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  /** Resolves when one comparison that began no earlier than now has ended, whole or not. */
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

  /** One more is needed, as after one that failed; one that is due soon is that one. */
  again(): void {
    if (this.#running) {
      this.#again = true;
      return;
    }
    if (this.#soon) return;
    this.#end(false);
    // The one that is due is never put off: who asks again and again would have none at all.
    if (this.#timer && this.#wait === null) return;
    this.#timer?.cancel();
    this.#goOn();
  }

  /** Events may have been missed anew: what has failed before says little of the comparison that this one asks for. */
  anew(): void {
    this.#failed = Math.min(this.#failed, ANEW_FAILED);
  }

  /** None begins any more; who waits for one goes on. */
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
      // A whole one ends what has failed before it, also when something new was found while it ran.
      if (this.#again && outcome === true) outcome = 'again';
      this.#again = false;
      this.#end(outcome);
      this.#goOn();
    }
  }

  #end(outcome: Compared): void {
    // What is found first after looks that could not judge is not left to the usual one for their number.
    if (outcome === 'again' && !this.#judged) this.#looks = 0;
    const wantsMore = (outcome === 'again' || outcome === 'unsure') && this.#looks < AGAIN_MS.length;
    this.#looks = wantsMore ? this.#looks + 1 : 0;
    this.#judged = wantsMore && (this.#judged || outcome === 'again');
    // That a line which is down does not answer says nothing of the one that comes back.
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

  /** Of one that is to come sooner than the usual one, ms; null: none is. */
  get #wait(): number | null {
    const times = this.#failed || this.#looks;
    if (times === 0) return null;
    return AGAIN_MS[times - 1] ?? (this.#options.hasGap?.() ? AGAIN_MS[AGAIN_MS.length - 1] : null) ?? null;
  }
}
