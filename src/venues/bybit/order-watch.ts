/**
 * Waits for the result of a request about an order: Bybit acknowledges before it decides (S63), so an answer
 * proves nothing until the stream or a question shows the order. States count from the moment of sending on,
 * since they may come before the acknowledgement.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { ExchangeOrderState } from '../../domain/exchange.ts';

/** An acknowledged request whose result is not known after this, ms, is unknown. */
export const DECIDED_WITHIN_MS = 1_000;
/**
 * If the stream has sent nothing for this long, ms, the order is asked about, and once more after the same
 * time.
 */
const ASKED_AFTER_MS = 300;

type Is = (state: ExchangeOrderState) => boolean;

interface Waiting {
  readonly isOf: Is;
  readonly isDecided: Is;
  latest: ExchangeOrderState | null;
  decided: ((state: ExchangeOrderState) => void) | null;
}

/** One request that waits for its result. */
export interface Watched {
  /**
   * Waits for the result; null: it did not come in time. `ask` asks about the order, null where it is not
   * found or the question failed.
   */
  decided(ask: () => Promise<ExchangeOrderState | null>): Promise<ExchangeOrderState | null>;
  /** Ends the wait. */
  end(): void;
}

export class OrderWatch {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a state from the stream. */
  heard(state: ExchangeOrderState): void {
    for (const one of this.#waiting) {
      if (!one.isOf(state) || !one.isDecided(state)) continue;
      one.latest = state;
      one.decided?.(state);
    }
  }

  /** Begins to wait for a state, from now on. */
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
