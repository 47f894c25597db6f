/**
 * Calls to the adapter of one account: how long each may take, which of them wait in the queue for the
 * exchange, and how a waiting call is taken back. A waiting call is not under way: its time counts from the
 * moment it leaves. Reports the outcome of a call and decides nothing.
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
  /** `leftBy`: monotonic time by which the call had left. */
  readonly step: (outcome: T | Lost, leftBy: number) => void;
  /** Left out for a cancel, a setting or a question. */
  readonly terms?: SendTerms;
  /** The order that the call is about; if it waits, whoever asked is told. Left out: nobody is told. */
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
  /** Takes back each order that has not left, by its id. */
  readonly #waiting = new Map<string, () => void>();
  /** Take back everything that has not left, cancels included. */
  readonly #takeBacks = new Set<() => void>();
  readonly #saying = new Set<Cancelable>();

  constructor(venue: ReadableVenue, options: CallsOptions) {
    this.#venue = venue;
    this.#options = options;
  }

  /**
   * Makes one call. The answer or the timeout, whichever comes first, ends it, but a late answer is still an
   * input.
   */
  make<T>({ run, step, terms = OTHERS, orderId }: Call<T>): void {
    const { clock, report, changed } = this.#options;
    const exchange = this.#venue.account.id;
    const lost = (cause: string) => step({ kind: 'unknown', cause }, course.notAfter);
    const course = new CallTimer(this.#venue, this.#options, lost);
    const wait = this.#wait(terms === OTHERS ? undefined : orderId);
    const dispatch: Dispatch = {
      lane: terms.lane,
      notAfter: course.notAfter,
      waitUntil: terms.waitMs === null ? Number.POSITIVE_INFINITY : clock.monotonic() + terms.waitMs,
      onWaits: (takeBack) => {
        course.waits();
        // If a request is given up at a deadline, the asker hears about it then and needs no notice that it
        // waits.
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

  /**
   * Keeps what is known of a call while it waits: how its order is taken back, and when the asker is told
   * that it waits.
   */
  #wait(order: string | undefined) {
    const { clock, turn } = this.#options;
    const exchange = this.#venue.account.id;
    let said: Cancelable | null = null;
    let back: (() => void) | null = null;
    return {
      /** `told`: the order whose asker is told. */
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

  /** Takes back an order that still waits for its turn: it is never sent. Does nothing if it has left. */
  withdraw(orderId: string): void {
    this.#waiting.get(orderId)?.();
  }

  /** Takes back every order that waits. */
  withdrawAll(): void {
    for (const takeBack of [...this.#waiting.values()]) takeBack();
  }

  /**
   * Takes back everything that waits, cancels included, because another link replaces this one; whoever asked
   * is told.
   */
  abandon(): void {
    for (const takeBack of [...this.#takeBacks]) takeBack();
  }

  /** Stops telling anybody that a call waits. */
  close(): void {
    for (const timer of this.#saying) timer.cancel();
    this.#saying.clear();
    this.#waiting.clear();
  }
}

/** The time that a call is under way. For a call that waits, it begins when the call leaves. */
class CallTimer {
  /** Monotonic time by which the call has left. */
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

  /** Time from leaving to now, ms; null: it never left. */
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
