/**
 * Waits for what comes of an order: Bybit acknowledges before it decides (S63), so an answer proves nothing until the stream or a
 * question shows the order. States are heard from the moment of sending on, since they may come before the acknowledgement.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { ExchangeOrderState } from '../../domain/exchange.ts';

/** An acknowledged request is decided within this, or is not known, ms. */
export const DECIDED_WITHIN_MS = 1_000;
/** The stream had no word of it for so long: it is asked about, and again after as long, ms. */
const ASKED_AFTER_MS = 300;

type Is = (state: ExchangeOrderState) => boolean;

interface Waiting {
  readonly isOf: Is;
  readonly isDecided: Is;
  latest: ExchangeOrderState | null;
  decided: ((state: ExchangeOrderState) => void) | null;
}

/** One request that waits for what comes of it. */
export interface Watched {
  /** Null: nothing was heard in time. `ask`: a question about it, null where it is not there or failed. */
  decided(ask: () => Promise<ExchangeOrderState | null>): Promise<ExchangeOrderState | null>;
  /** Nobody waits any more. */
  end(): void;
}

export class OrderWatch {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The stream has told a state. */
  heard(state: ExchangeOrderState): void {
    for (const one of this.#waiting) {
      if (!one.isOf(state) || !one.isDecided(state)) continue;
      one.latest = state;
      one.decided?.(state);
    }
  }

  /** From now on. */
  begin(isOf: Is, isDecided: Is): Watched {
    const waiting: Waiting = { isOf, isDecided, latest: null, decided: null };
    this.#waiting.add(waiting);
    const end = () => this.#waiting.delete(waiting);
    return { decided: (ask) => this.#decided(waiting, ask).finally(end), end };
  }

  #decided(
    waiting: Waiting,
    ask: () => Promise<ExchangeOrderState | null>,
  ): Promise<ExchangeOrderState | null> {
    if (waiting.latest) return Promise.resolve(waiting.latest);
    return new Promise((resolve) => {
      const timers: Cancelable[] = [];
      let isOver = false;
      const over = (state: ExchangeOrderState | null) => {
        if (isOver) return;
        isOver = true;
        for (const timer of timers) timer.cancel();
        resolve(state);
      };
      const look = () =>
        ask().then(
          (state) => {
            if (state && waiting.isDecided(state)) over(state);
          },
          () => {},
        );
      waiting.decided = over;
      timers.push(this.#clock.after(DECIDED_WITHIN_MS, () => over(null)));
      for (const ms of [ASKED_AFTER_MS, 2 * ASKED_AFTER_MS]) timers.push(this.#clock.after(ms, look));
    });
  }
}
