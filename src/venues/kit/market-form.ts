/** What sets the live prices of one market of an exchange off from those of another: its questions, its streams and how they read. */
import type { Instrument } from '../../domain/instrument.ts';
import type { Candle } from '../../domain/rows.ts';
import type { FundingPayment, LiveTick } from '../../market/market-data.ts';
import type { Called, CallTerms, Dialect, Parameters } from './caller.ts';
import type { DepthNews } from './depth-book.ts';
import type { LineGate } from './line.ts';
import type { StreamDialect, StreamLimits } from './market-streams.ts';
import type { Message } from './messages.ts';
import type { RequestForm } from './requests.ts';

/** What a stream tells of a symbol. */
export type MarketEvent =
  | {
      readonly kind: 'trades';
      readonly symbol: string;
      /** In the order in which they were made; `id`: told again by another socket it is the same; a number rises with each trade. */
      readonly trades: readonly (Omit<LiveTick, 'symbol'> & { readonly id: number | string })[];
    }
  | {
      readonly kind: 'mark';
      readonly symbol: string;
      /** Null: it is not told, as where funding comes alone. */
      readonly time: number | null;
      /** Undefined: as it was. */
      readonly price?: string;
      /** Null: there is none. */
      readonly funding?: { readonly rate?: string; readonly at?: number } | null;
    }
  /** A candle that will not change any more; `interval` as the exchange calls it. */
  | { readonly kind: 'closed'; readonly symbol: string; readonly interval: string; readonly candle: Candle };

/** A question with how its answer reads. */
export interface MarketQuestion<T> {
  readonly form: RequestForm;
  readonly parameters: Parameters;
  readonly read: (text: string) => Message<T>;
}

/** Null: it failed, which is told once a minute. */
export type MarketAsk = <T>(question: MarketQuestion<T>, terms?: CallTerms) => Promise<T | null>;

export type Prices = readonly (readonly [symbol: string, price: string])[];

/** Where streams come from. */
export interface StreamPlace {
  /** Name of its address. */
  readonly endpoint: string;
  /** Behind it; left out: nothing. */
  readonly path?: string;
  readonly limits: StreamLimits;
}

/** Streams of one address. */
export interface StreamRoot extends StreamPlace {
  readonly streams: StreamDialect<MarketEvent>;
  /** Names of the streams of a symbol, with its candles of these intervals. */
  streamsOf(symbol: string, intervals: readonly string[]): readonly string[];
}

/** How one exchange has one of its markets. */
export interface MarketForm {
  /** All that may be asked. */
  readonly requests: readonly RequestForm[];
  readonly dialect: Dialect;
  /** The first one tells trades and marks. */
  readonly roots: readonly [StreamRoot, ...StreamRoot[]];
  /** What is known of the addresses of its sockets; left out: nothing, and every socket is tried. */
  readonly gate?: LineGate;
  /** Waits until a socket may be opened; left out: at once. */
  readonly turn?: (address: string) => Promise<string>;
  /** A root that is about to end is all of them. */
  readonly endTogether?: true;
  /** Without a mark for so long they have stopped, ms; null: the market has none. */
  readonly markWithinMs: number | null;
  /** Frames of its candles, ms, and what they are called. */
  readonly frames: ReadonlyMap<number, string>;
  /** Its depth, on sockets of its own; left out: it tells none. `streamOf` null: none of that symbol. */
  readonly depth?: StreamPlace & {
    readonly streamOf: (symbol: string) => string | null;
    readonly streams: StreamDialect<DepthNews>;
  };
  /** What is to be known before anything is asked for, and again after so long, ms. Why it could not be; null: it is. */
  readonly lists?: { readonly everyMs: number; read(ask: MarketAsk, market: string): Promise<string | null> };
  /** Why there are no prices of a symbol; null: there are. Left out: there are of all. */
  readonly missing?: (symbol: string) => string | null;
  /** Unix ms. */
  readonly time: MarketQuestion<number>;
  /** Oldest first, from <= open time < to; it may tell the first ones only. */
  candles(
    ask: MarketAsk,
    symbol: string,
    interval: string,
    span: { from: number; to: number; frameMs: number },
  ): Promise<readonly Candle[] | null>;
  /** Of one symbol, or of all where there is none. */
  prices(symbol?: string): MarketQuestion<Prices>;
  instruments(
    ask: MarketAsk,
    exchange: string,
  ): Promise<{ readonly instruments: readonly Instrument[]; readonly problems: readonly string[] } | null>;
  /** Oldest first. */
  funding?(
    ask: MarketAsk,
    symbol: string,
    from: number,
    to: number,
  ): Promise<readonly FundingPayment[] | null>;
  /** Why an answer that cannot be read is none, in words. */
  problemOf(called: Called): string | null;
}
