/**
 * A paper account whose prices are those of a live market: what it asks of that market, and the orders that wait for its prices. An
 * order is matched at prices that are told now, never at old ones: until they come it has not left.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { SubmitOutcome } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Dispatch } from '../venue.ts';

/** A payment of funding of the past. Decimal strings; `mark` null: not told. */
export interface PastFunding {
  /** Unix ms. */
  readonly at: number;
  readonly rate: string;
  readonly mark: string | null;
}

/** Funding as it stands: the rate that is paid next, and when, Unix ms. */
export interface NextFunding {
  readonly rate: string;
  readonly at: number;
}

export interface Mirror {
  /** The market's name: the account's own. */
  readonly market: string;
  /** What is traded there; null: it could not be asked for. */
  instruments(): Promise<readonly Instrument[] | null>;
  /** The account is open and trades these. */
  opened(list: readonly Instrument[]): void;
  /** What was traded when last connected: orders and positions may be left in what is not any more. */
  readonly before: readonly Instrument[];
  /** Prices of the symbol are told now, and one has come. */
  isFresh(symbol: string): boolean;
  /** They have not come for a while and nobody knows when they will. */
  isBroken(symbol: string): boolean;
  /** They are to be told from now on: somebody waits for them. */
  want(symbol: string): void;
  /** Payments of funding, `from` <= time < `to`, oldest first; null: they could not be asked for. */
  funding(symbol: string, from: number, to: number): Promise<readonly PastFunding[] | null>;
}

/** Where whoever asks gives no time, ms. */
const WAIT_MS = 10_000;

interface Waiting {
  readonly symbol: string;
  readonly leave: () => void;
}

/** Orders that wait for the first price of their symbol, in their order. */
export class PriceGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  readonly #timers = new Set<Cancelable>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `send`: it leaves. What has no price in time was never sent. */
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

  /** A price of it has come. */
  came(symbol: string): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of [...this.#waiting]) if (waiting.symbol === symbol) waiting.leave();
  }

  /** What waits is never sent, and nobody is told. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#waiting.clear();
  }
}
