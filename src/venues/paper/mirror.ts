/**
 * A paper account that uses the prices of a live market: what it asks of that market, and the orders that
 * wait for its prices. An order is matched at current prices only, never at old ones: until they come it is
 * not sent.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { SubmitOutcome } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Dispatch } from '../venue.ts';

/** A funding payment in the past. Decimal strings; `mark` null: not known. */
export interface PastFunding {
  /** Unix ms. */
  readonly at: number;
  readonly rate: string;
  readonly mark: string | null;
}

/** The next funding: the rate that will be paid, and when, Unix ms. */
export interface NextFunding {
  readonly rate: string;
  readonly at: number;
}

export interface Mirror {
  /** The market's name, which is also the account's market. */
  readonly market: string;
  /** Returns the market's instruments; null: they could not be read. */
  instruments(): Promise<readonly Instrument[] | null>;
  /** Called when the account is open and trades these instruments. */
  opened(list: readonly Instrument[]): void;
  /**
   * The instruments at the last connection: orders and positions may be left on some that are not traded any
   * more.
   */
  readonly before: readonly Instrument[];
  /** Prices of the symbol are arriving, and at least one has come. */
  isFresh(symbol: string): boolean;
  /** Prices of the symbol have not come for a while, and nobody knows when they will. */
  isBroken(symbol: string): boolean;
  /** Requests prices of the symbol from now on, since somebody waits for them. */
  want(symbol: string): void;
  /** Returns funding payments, `from` <= time < `to`, oldest first; null: they could not be read. */
  funding(symbol: string, from: number, to: number): Promise<readonly PastFunding[] | null>;
}

/** The timeout where the caller gives none, ms. */
const WAIT_MS = 10_000;

interface Waiting {
  readonly symbol: string;
  readonly leave: () => void;
}

/** Orders that wait for the first price of their symbol, in order. */
export class PriceGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  readonly #timers = new Set<Cancelable>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets an order wait for a price, then calls `send`. An order that gets no price in time was never sent.
   */
  wait(
    symbol: string,
    dispatch: Dispatch | undefined,
    send: () => Promise<SubmitOutcome>,
  ): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const until = dispatch?.waitUntil ?? this.#clock.monotonic() + WAIT_MS;
      let timer: Cancelable | null = null;
      const end = () => {
        timer?.cancel();
        if (timer) this.#timers.delete(timer);
        return this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        symbol,
        leave: () => {
          if (!end()) return;
          dispatch?.leaves();
          send().then(resolve, (error: unknown) => resolve({ kind: 'unknown', cause: String(error) }));
        },
      };
      this.#waiting.add(waiting);
      if (Number.isFinite(until)) {
        timer = this.#clock.after(Math.max(0, until - this.#clock.monotonic()), () => {
          const message = `not sent: no price of ${symbol} has come; try again later`;
          if (end()) resolve({ kind: 'rejected', reason: 'BUDGET', code: 'NO_PRICES', message });
        });
        this.#timers.add(timer);
      }
      dispatch?.onWaits(() => {
        if (end()) resolve({ kind: 'withdrawn' });
      });
    });
  }

  /** Sends the waiting orders of a symbol, since a price has come. */
  came(symbol: string): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of [...this.#waiting]) if (waiting.symbol === symbol) waiting.leave();
  }

  /** Drops all waiting orders without sending them or telling anybody. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#waiting.clear();
  }
}
