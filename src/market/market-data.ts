/**
 * The port of a live market: an exchange's own prices and candles, pushed as they come. Where `Feed` is asked for its next
 * tick, this one tells. Implementations never throw for what an exchange may say: a question that fails is null.
 */

import type { Depth } from '../domain/depth.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { Candle } from '../domain/rows.ts';

/** One trade, or several that nobody needs apart. Decimal strings; `volume` base units. */
export interface LiveTick {
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
  /** When it was made, Unix ms, and what who took it did: of a trade that the exchange has told as one. Left out: it has not. */
  readonly time?: number;
  readonly side?: 'BUY' | 'SELL';
}

/** A payment of funding of a contract: `rate` above zero: longs pay. Decimal strings. */
export interface FundingPayment {
  /** Unix ms. */
  readonly at: number;
  readonly rate: string;
  /** At which mark it was paid; null: it is not told. */
  readonly mark: string | null;
}

/** Called in the exchange's order. */
export interface MarketSink {
  /** In the order of the trades. */
  ticks(ticks: readonly LiveTick[]): void;
  /** Of a contract. `funding`: the rate as it stands, and when it is paid next, Unix ms; left out: it is not told. */
  mark(symbol: string, price: string, funding?: { readonly rate: string; readonly at: number }): void;
  /** A candle of a watched frame will not change any more: the exchange's own word. */
  closed(symbol: string, frameMs: number, candle: Candle): void;
  /**
   * Whether prices of a symbol arrive: why they do not, or null when they do again. A quiet symbol on a stream that lives is
   * not stale. An empty symbol stands for all.
   */
  stale(symbol: string, why: string | null): void;
  /** Trades or closed candles may be missing: of a symbol, or of all where it is empty. */
  gap(symbol: string): void;
  /** Of a symbol whose depth is watched: what it is now; null: it is not known any more. Left out: nobody looks at depths. */
  depth?(symbol: string, depth: Depth | null): void;
}

export interface CandleQuestion {
  readonly symbol: string;
  /** One of `frames`. */
  readonly frameMs: number;
  /** Open times from <= time < to, Unix ms. */
  readonly from: number;
  readonly to: number;
  /** Nobody waits for it: it uses at most a third of what the exchange lets be asked. */
  readonly isPatient?: true;
}

export interface MarketData {
  /** `binance-spot`: what accounts name as theirs. */
  readonly market: string;
  /** Frames of its candles, ms, all aligned to the Unix epoch; a minute is one of them. */
  readonly frames: readonly number[];
  /** Connects; resolves when it can be asked. Rejects where it cannot now: it is opened again. */
  open(sink: MarketSink): Promise<void>;
  close(): Promise<void>;
  /** The exchange's time now, as well as it is known, Unix ms: a candle is over by it, whatever clock the desk has. */
  now(): number;
  /** Closed candles, oldest first, the first ones where there are too many for an answer; null: the question failed. */
  candles(question: CandleQuestion): Promise<readonly Candle[] | null>;
  /** Last prices of all there is; null: the question failed. */
  prices(): Promise<readonly (readonly [symbol: string, price: string])[] | null>;
  /**
   * What is traded, for a paper account named `exchange` that mirrors this market; null: the question failed. Left out: it cannot be
   * mirrored.
   */
  instruments?(exchange: string): Promise<readonly Instrument[] | null>;
  /** Payments of funding of the past, `from` <= time < `to`, oldest first; null: the question failed. Left out: there are none. */
  funding?(symbol: string, from: number, to: number): Promise<readonly FundingPayment[] | null>;
  /** What is to be told from now on, and nothing else: the frames of each symbol, none where only its ticks are wanted. */
  watch(wanted: ReadonlyMap<string, readonly number[]>): void;
  /** Symbols whose depth is to be told from now on, of those that are watched. Left out: the market tells none. */
  watchDepth?(symbols: ReadonlySet<string>): void;
}
