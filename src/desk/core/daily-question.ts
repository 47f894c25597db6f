/**
 * A question to an exchange that is asked when the account is connected, once a day, soon after a failure,
 * and on request.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';

export const ASKED_EVERY_MS = 24 * 3_600_000;
/** Shortest time between two questions that somebody has asked for, or that wait for a change. */
export const ASKED_AGAIN_MS = 60_000;
/** Waits after the first, second, ... question that failed; the last one repeats. */
export const ASKED_AFTER_FAILURE_MS = [2_000, 10_000, 60_000] as const;

export interface DailyQuestionOptions<T> {
  readonly clock: Clock;
  /** Null: the question failed. */
  readonly ask: () => Promise<T | null>;
  readonly answered: (answer: T) => void;
  /**
   * The last answer keeps something closed: it is asked again soon, since somebody may be changing it at the
   * exchange.
   */
  readonly isShut?: () => boolean;
}

export class DailyQuestion<T> {
  readonly #o: DailyQuestionOptions<T>;
  #timer: Cancelable | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  /** Somebody asked again while a question was on its way: its answer may be too old for them. */
  #isWanted = false;
  #failed = 0;
  #isClosed = false;

  constructor(options: DailyQuestionOptions<T>) {
    this.#o = options;
  }

  /** Begins to ask: the account is connected. */
  start(): void {
    void this.#read();
  }

  /** Asks again, because the answer may have changed. */
  again(): void {
    if (this.#isAsking) {
      this.#isWanted = true;
      return;
    }
    const wait = this.#askedAt + ASKED_AGAIN_MS - this.#o.clock.monotonic();
    if (wait <= 0) void this.#read();
    else this.#arm(wait);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    this.#isWanted = false;
    this.#askedAt = this.#o.clock.monotonic();
    const answer = await this.#o.ask();
    this.#isAsking = false;
    if (this.#isClosed) return;
    if (answer === null) {
      this.#arm(ASKED_AFTER_FAILURE_MS[Math.min(this.#failed, ASKED_AFTER_FAILURE_MS.length - 1)] ?? 0);
      this.#failed += 1;
      return;
    }
    this.#failed = 0;
    this.#o.answered(answer);
    if (this.#isClosed) return;
    this.#arm(this.#isWanted || this.#o.isShut?.() ? ASKED_AGAIN_MS : ASKED_EVERY_MS);
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#o.clock.after(ms, () => void this.#read());
  }
}
