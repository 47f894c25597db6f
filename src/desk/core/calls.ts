/**
 * Calls to the adapter of one account: how long each may take, which of them wait for their turn toward the exchange, and taking
 * back what waits. A call that waits is not under way: its time counts from its leaving. Says what came of a call, decides nothing.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { SEND_WITHIN_MS, type SendTerms } from '../../domain/lane.ts';
import type { Passage } from '../../venues/venue.ts';
import { deadlineOf, started } from './adapter-call.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** A call without an answer for this long has an unknown outcome; a late answer still counts. */
export const CALL_TIMEOUT_MS = 10_000;

/** The outcome of a call whose answer did not come. */
export type Lost = { readonly kind: 'unknown'; readonly cause: string };

export interface Call<T> {
  readonly run: (passage: Passage) => Promise<T>;
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
  readonly #saying = new Set<Cancelable>();

  constructor(venue: ReadableVenue, options: CallsOptions) {
    this.#venue = venue;
    this.#options = options;
  }

  /** One call: the first of answer and time-out counts as its end, but a late answer is still an input. */
  make<T>({ run, step, terms = OTHERS, orderId }: Call<T>): void {
    const { clock, turn } = this.#options;
    const exchange = this.#venue.account.id;
    let { notAfter } = deadlineOf(this.#venue, clock);
    let startedAt = clock.monotonic();
    let timer: Cancelable | null = null;
    let said: Cancelable | null = null;
    let isOpen = false;
    let waits = false;
    const close = () => {
      timer?.cancel();
      if (!isOpen) return;
      isOpen = false;
      turn.end(exchange);
    };
    const open = () => {
      isOpen = true;
      turn.begin(exchange);
      timer = clock.after(CALL_TIMEOUT_MS, () => {
        if (!isOpen) return;
        step({ kind: 'unknown', cause: `no answer within ${CALL_TIMEOUT_MS / 1_000} s` }, notAfter);
        close();
      });
    };
    const goesOn = () => {
      if (said) this.#saying.delete(said);
      said?.cancel();
      if (orderId !== undefined && terms !== OTHERS) this.#waiting.delete(orderId);
    };
    const passage: Passage = {
      lane: terms.lane,
      notAfter,
      waitUntil: terms.waitMs === null ? Number.POSITIVE_INFINITY : startedAt + terms.waitMs,
      onWaits: (takeBack) => {
        waits = true;
        close();
        if (orderId === undefined) return;
        if (terms !== OTHERS) this.#waiting.set(orderId, takeBack);
        // Who is given up by then is told so.
        if (terms.waitMs !== null) return;
        said = clock.after(SEND_WITHIN_MS, () => turn.step({ type: 'waits', exchange, orderId }));
        this.#saying.add(said);
      },
      leaves: () => {
        goesOn();
        ({ notAfter } = deadlineOf(this.#venue, clock));
        startedAt = clock.monotonic();
        if (waits) open();
        waits = false;
        return { notAfter };
      },
    };
    open();
    started(() => run(passage)).then(
      (outcome) => {
        goesOn();
        if (!waits) {
          this.latencyMs = Math.round(clock.monotonic() - startedAt);
          this.#options.changed();
        }
        step(outcome, notAfter);
        close();
      },
      (error: unknown) => {
        goesOn();
        this.#options.report('error', `${exchange}: adapter failure: ${String(error)}`);
        step({ kind: 'unknown', cause: 'the exchange adapter failed' }, notAfter);
        close();
      },
    );
  }

  /** The order is wanted no more. If it has left, nothing follows. */
  withdraw(orderId: string): void {
    this.#waiting.get(orderId)?.();
  }

  /** Nothing that waits is wanted any more. */
  withdrawAll(): void {
    for (const takeBack of [...this.#waiting.values()]) takeBack();
  }

  /** Nobody is told any more. */
  close(): void {
    for (const timer of this.#saying) timer.cancel();
    this.#saying.clear();
    this.#waiting.clear();
  }
}
