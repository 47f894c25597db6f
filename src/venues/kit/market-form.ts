/**
 * The part of live prices that differs between markets and exchanges: the questions, the streams and how
 * their answers are read.
 */
import type { Instrument } from '../../domain/instrument.ts';
import type { Candle } from '../../domain/rows.ts';
import type { FundingPayment, LiveTick } from '../../market/market-data.ts';
import type { CallResult, CallTerms, Dialect, Parameters } from './caller.ts';
import type { DepthNews } from './depth-book.ts';
import type { LineGate } from './line.ts';
import type { StreamDialect, StreamLimits } from './market-streams.ts';
import type { Message } from './messages.ts';
import type { RequestForm } from './requests.ts';

/** A message of a stream about a symbol. */
export type MarketEvent =
  | {
      readonly kind: 'trades';
      readonly symbol: string;
      /**
       * In the order in which they were made. `id`: the same if another socket sends the trade again; numeric
       * ids rise with each trade.
       */
      readonly trades: readonly (Omit<LiveTick, 'symbol'> & { readonly id: number | string })[];
    }
  | {
      readonly kind: 'mark';
      readonly symbol: string;
      /** Null: the message has no time, as where funding comes alone. */
      readonly time: number | null;
      /** Undefined: unchanged. */
      readonly price?: string;
      /** Null: there is no funding. */
      readonly funding?: { readonly rate?: string; readonly at?: number } | null;
    }
  /** A candle that will not change any more; `interval` is the exchange's name for it. */
  | { readonly kind: 'closed'; readonly symbol: string; readonly interval: string; readonly candle: Candle };

/** A question and how its answer is read. */
export interface MarketQuestion<T> {
  readonly form: RequestForm;
  readonly parameters: Parameters;
  readonly read: (text: string) => Message<T>;
}

/** Asks a question; null: it failed, which is reported once a minute. */
export type MarketAsk = <T>(question: MarketQuestion<T>, terms?: CallTerms) => Promise<T | null>;

export type Prices = readonly (readonly [symbol: string, price: string])[];

/** Where streams come from. */
export interface StreamPlace {
  /** The name of the endpoint whose address is used. */
  readonly endpoint: string;
  /** The path after the address; left out: none. */
  readonly path?: string;
  readonly limits: StreamLimits;
}

/** Streams of one address. */
export interface StreamRoot extends StreamPlace {
  readonly streams: StreamDialect<MarketEvent>;
  /** The names of a symbol's streams, including its candles of these intervals. */
  streamsOf(symbol: string, intervals: readonly string[]): readonly string[];
}

/** How one market of an exchange is read. */
export interface MarketForm {
  /** All requests that may be sent. */
  readonly requests: readonly RequestForm[];
  readonly dialect: Dialect;
  /** The first one sends trades and mark prices. */
  readonly roots: readonly [StreamRoot, ...StreamRoot[]];
  /** What is known about bans of the sockets' addresses; left out: nothing, and every socket is tried. */
  readonly gate?: LineGate;
  /** Waits until a socket may be opened; left out: at once. */
  readonly turn?: (address: string) => Promise<string>;
  /** When the exchange announces the end of one root's sockets, all roots change theirs. */
  readonly endTogether?: true;
  /** Mark prices have stopped if none comes for this long, ms; null: the market has none. */
  readonly markWithinMs: number | null;
  /** The candle frames, ms, and the exchange's names for them. */
  readonly frames: ReadonlyMap<number, string>;
  /**
   * The depth, on sockets of its own; left out: the exchange sends none. `streamOf` null: none for that
   * symbol.
   */
  readonly depth?: StreamPlace & {
    readonly streamOf: (symbol: string) => string | null;
    readonly streams: StreamDialect<DepthNews>;
  };
  /**
   * Lists that must be read before anything else is asked, and again every `everyMs`, ms. `read` returns the
   * reason of a failure; null: they were read.
   */
  readonly lists?: { readonly everyMs: number; read(ask: MarketAsk, market: string): Promise<string | null> };
  /** Why a symbol has no prices; null: it has. Left out: all symbols have. */
  readonly missing?: (symbol: string) => string | null;
  /** Asks for the exchange's time, Unix ms. */
  readonly time: MarketQuestion<number>;
  /** Returns candles, oldest first, from <= open time < to; it may return only the first ones. */
  candles(
    ask: MarketAsk,
    symbol: string,
    interval: string,
    span: { from: number; to: number; frameMs: number },
  ): Promise<readonly Candle[] | null>;
  /** Asks for the last price of one symbol, or of all if none is given. */
  prices(symbol?: string): MarketQuestion<Prices>;
  instruments(
    ask: MarketAsk,
    exchange: string,
  ): Promise<{ readonly instruments: readonly Instrument[]; readonly problems: readonly string[] } | null>;
  /** Returns funding payments, oldest first. */
  funding?(
    ask: MarketAsk,
    symbol: string,
    from: number,
    to: number,
  ): Promise<readonly FundingPayment[] | null>;
  /** Says in words why there is no usable answer; null: there is one. */
  problemOf(called: CallResult): string | null;
}
