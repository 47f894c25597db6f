/**
 * The port of a live market: an exchange's own prices and candles, pushed as they arrive. A `Feed` is pulled
 * for its next tick; this one pushes. Implementations never throw whatever an exchange sends: a failed
 * request returns null.
 */

import type { Depth } from '../domain/depth.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { Candle } from '../domain/rows.ts';

/** One trade, or several that need no distinction. Decimal strings; `volume` in base units. */
export interface LiveTick {
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
  /**
   * Time of the trade, Unix ms, and the side of its taker, for a trade that the exchange has reported singly.
   * Left out: it has not.
   */
  readonly time?: number;
  readonly side?: 'BUY' | 'SELL';
}

/** A funding payment of a contract: `rate` above zero: longs pay. Decimal strings. */
export interface FundingPayment {
  /** Unix ms. */
  readonly at: number;
  readonly rate: string;
  /** The mark price at which it was paid; null: not reported. */
  readonly mark: string | null;
}

/** Receives the market's data. Called in the exchange's order. */
export interface MarketSink {
  /** Receives ticks, in the order of the trades. */
  ticks(ticks: readonly LiveTick[]): void;
  /**
   * Receives the mark price of a contract. `funding`: the present rate, and the time of the next payment,
   * Unix ms; left out: not reported.
   */
  mark(symbol: string, price: string, funding?: { readonly rate: string; readonly at: number }): void;
  /** Receives a candle of a watched frame that the exchange has declared final. */
  closed(symbol: string, frameMs: number, candle: Candle): void;
  /**
   * Receives whether prices of a symbol arrive: the reason why not, or null when they do again. A quiet
   * symbol on a working stream is not stale. The empty symbol: all symbols.
   */
  stale(symbol: string, why: string | null): void;
  /** Notes that trades or closed candles may be missing, for a symbol, or for all where it is empty. */
  gap(symbol: string): void;
  /** Receives the depth of a watched symbol; null: not known any more. Left out: depths are not needed. */
  depth?(symbol: string, depth: Depth | null): void;
}

export interface CandleQuestion {
  readonly symbol: string;
  /** One of `frames`. */
  readonly frameMs: number;
  /** Open times from <= time < to, Unix ms. */
  readonly from: number;
  readonly to: number;
  /** Nobody waits for the result: the request uses at most a third of the exchange's budget. */
  readonly isPatient?: true;
}

export interface MarketData {
  /** `binance-spot`: the name by which accounts refer to it. */
  readonly market: string;
  /** Frames of its candles, ms, all aligned to the Unix epoch; a minute is one of them. */
  readonly frames: readonly number[];
  /** Connects; resolves when requests can be sent. Rejects where it cannot now: it is opened again. */
  open(sink: MarketSink): Promise<void>;
  close(): Promise<void>;
  /**
   * Returns the exchange's time now, as well as it is known, Unix ms: it decides when a candle is over,
   * whatever clock the desk has.
   */
  now(): number;
  /**
   * Returns closed candles, oldest first, only the first ones where there are too many for one response;
   * null: the request failed.
   */
  candles(question: CandleQuestion): Promise<readonly Candle[] | null>;
  /** Returns the last prices of all symbols; null: the request failed. */
  prices(): Promise<readonly (readonly [symbol: string, price: string])[] | null>;
  /**
   * Returns the traded instruments, for a paper account named `exchange` that mirrors this market; null: the
   * request failed. Left out: it cannot be mirrored.
   */
  instruments?(exchange: string): Promise<readonly Instrument[] | null>;
  /**
   * Returns past funding payments, `from` <= time < `to`, oldest first; null: the request failed. Left out:
   * the market has none.
   */
  funding?(symbol: string, from: number, to: number): Promise<readonly FundingPayment[] | null>;
  /**
   * Sets what is pushed from now on, and nothing else: the frames of each symbol, none where only its ticks
   * are wanted.
   */
  watch(wanted: ReadonlyMap<string, readonly number[]>): void;
  /**
   * Sets the symbols, among those watched, whose depth is pushed from now on. Left out: the market pushes
   * none.
   */
  watchDepth?(symbols: ReadonlySet<string>): void;
}
