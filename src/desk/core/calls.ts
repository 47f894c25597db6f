/**
 * Calls to the adapter of one account: how long each may take, which of them wait for their turn toward the exchange, and taking
 * back what waits. A call that waits is not under way: its time counts from its leaving. Says what came of a call, decides nothing.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { SEND_WITHIN_MS, type SendTerms } from '../../domain/lane.ts';
import type { Dispatch } from '../../venues/venue.ts';
import { deadlineOf, started } from './adapter-call.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** A call without an answer for this long has an unknown outcome; a late answer still counts. */
export const CALL_TIMEOUT_MS = 10_000;

/** The outcome of a call whose answer did not come. */
export type Lost = { readonly kind: 'unknown'; readonly cause: string };

export interface Call<T> {
  readonly run: (dispatch: Dispatch) => Promise<T>;
  /** `leftBy`: monotonic time by which it had left. */
  readonly step: (outcome: T | Lost, leftBy: number) => void;
  /** Left out: of a cancel, a setting or a question. */
  readonly terms?: SendTerms;
  /** The order it is about, which is told if it waits; left out: nobody is. */
  readonly orderId?: string;
}

export interface CallsOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  /** The latency has changed. */
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
}

const OTHERS: SendTerms = { lane: 'cancel', waitMs: null };

export class Calls {
  latencyMs: number | null = null;
  readonly #venue: ReadableVenue;
  readonly #options: CallsOptions;
  /** Orders that have not left, by id. */
  readonly #waiting = new Map<string, () => void>();
  /** Ways to take back everything that has not left: cancels, too. */
  readonly #takeBacks = new Set<() => void>();
  readonly #saying = new Set<Cancelable>();

  constructor(venue: ReadableVenue, options: CallsOptions) {
    this.#venue = venue;
    this.#options = options;
  }

  /** One call: the first of answer and time-out counts as its end, but a late answer is still an input. */
  make<T>({ run, step, terms = OTHERS, orderId }: Call<T>): void {
    const { clock, report, changed } = this.#options;
    const exchange = this.#venue.account.id;
    const lost = (cause: string) => step({ kind: 'unknown', cause }, course.notAfter);
    const course = new Course(this.#venue, this.#options, lost);
    const wait = this.#wait(terms === OTHERS ? undefined : orderId);
    const dispatch: Dispatch = {
      lane: terms.lane,
      notAfter: course.notAfter,
      waitUntil: terms.waitMs === null ? Number.POSITIVE_INFINITY : clock.monotonic() + terms.waitMs,
      onWaits: (takeBack) => {
        course.waits();
        // Who is given up by then is told so.
        wait.begins(takeBack, terms.waitMs === null && orderId !== undefined ? orderId : null);
      },
      leaves: () => {
        wait.ends();
        course.leaves();
        return { notAfter: course.notAfter };
      },
    };
    started(() => run(dispatch)).then(
      (outcome) => {
        wait.ends();
        const ms = course.tookMs;
        if (ms !== null) {
          this.latencyMs = ms;
          changed();
        }
        step(outcome, course.notAfter);
        course.close();
      },
      (error: unknown) => {
        wait.ends();
        report('error', `${exchange}: adapter failure: ${String(error)}`);
        lost('the exchange adapter failed');
        course.close();
      },
    );
  }

  /** What is known of a call while it waits: how an order is taken back, and when whoever asked is told that it waits. */
  #wait(order: string | undefined) {
    const { clock, turn } = this.#options;
    const exchange = this.#venue.account.id;
    let said: Cancelable | null = null;
    let back: (() => void) | null = null;
    return {
      /** `told`: the order that is told of. */
      begins: (takeBack: () => void, told: string | null) => {
        back = takeBack;
        this.#takeBacks.add(takeBack);
        if (order !== undefined) this.#waiting.set(order, takeBack);
        if (told === null) return;
        said = clock.after(SEND_WITHIN_MS, () => turn.step({ type: 'waits', exchange, orderId: told }));
        this.#saying.add(said);
      },
      ends: () => {
        if (said) this.#saying.delete(said);
        said?.cancel();
        if (back) this.#takeBacks.delete(back);
        if (order !== undefined) this.#waiting.delete(order);
      },
    };
  }

  /** The order is wanted no more. If it has left, nothing follows. */
  withdraw(orderId: string): void {
    this.#waiting.get(orderId)?.();
  }

  /** Nothing that waits is wanted any more. */
  withdrawAll(): void {
    for (const takeBack of [...this.#waiting.values()]) takeBack();
  }

  /** Another line takes the place of this one: what waits here, cancels too, never leaves, and whoever asked is told so. */
  abandon(): void {
    for (const takeBack of [...this.#takeBacks]) takeBack();
  }

  /** Nobody is told any more. */
  close(): void {
    for (const timer of this.#saying) timer.cancel();
    this.#saying.clear();
    this.#waiting.clear();
  }
}

/** How long a call is under way: from its leaving, which of one that waits is not its beginning. */
class Course {
  /** Monotonic time by which it has left. */
  notAfter: number;
  readonly #venue: ReadableVenue;
  readonly #options: CallsOptions;
  readonly #lost: (cause: string) => void;
  #startedAt = 0;
  #timer: Cancelable | null = null;
  #isOpen = false;
  #isWaiting = false;

  constructor(venue: ReadableVenue, options: CallsOptions, lost: (cause: string) => void) {
    this.#venue = venue;
    this.#options = options;
    this.#lost = lost;
    this.notAfter = deadlineOf(venue, options.clock).notAfter;
    this.#open();
  }

  /** Ms from leaving to now; null: it never left. */
  get tookMs(): number | null {
    return this.#isWaiting ? null : Math.round(this.#options.clock.monotonic() - this.#startedAt);
  }

  waits(): void {
    this.#isWaiting = true;
    this.close();
  }

  leaves(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.notAfter = deadlineOf(this.#venue, this.#options.clock).notAfter;
    this.#open();
  }

  close(): void {
    this.#timer?.cancel();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.turn.end(this.#venue.account.id);
  }

  #open(): void {
    const { clock, turn } = this.#options;
    this.#isOpen = true;
    this.#startedAt = clock.monotonic();
    turn.begin(this.#venue.account.id);
    this.#timer = clock.after(CALL_TIMEOUT_MS, () => {
      if (!this.#isOpen) return;
      this.#lost(`no answer within ${CALL_TIMEOUT_MS / 1_000} s`);
      this.close();
    });
  }
}
