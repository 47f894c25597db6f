/**
 * Live prices of Binance, for the spot market or the perpetual contracts: trades as `aggTrade`, candles
 * closed by the exchange's own word, marks and funding of contracts once a second. What differs between the
 * two markets is data.
 */
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import type { BudgetRow } from '../../kit/budget.ts';
import type { CallResult } from '../../kit/caller.ts';
import { LiveMarket, type LiveMarketOptions } from '../../kit/live-market.ts';
import type { MarketForm } from '../../kit/market-form.ts';
import type { StreamLimits } from '../../kit/market-streams.ts';
import type { Message } from '../../kit/messages.ts';
import { binanceDialect, gateOf } from '../dialect.ts';
import { FUTURES_WEIGHT } from '../futures/budgets.ts';
import { type BinanceInstruments, readFuturesInstruments, readSpotInstruments } from '../instruments.ts';
import { SPOT_WEIGHT } from '../spot/budgets.ts';
import { depthStream, inStreams, readDepth } from './depth.ts';
import { readFunding, readKlines, readPrices, readStream, readTime } from './messages.ts';
import { FUTURES_FORMS, type MarketForms, SPOT_FORMS } from './requests.ts';

type Kind = 'spot' | 'futures';

/** What differs between the two markets. */
interface Part {
  readonly forms: MarketForms;
  /** Request weight of the address, shared with the accounts there. */
  readonly weight: BudgetRow;
  /** Endpoint of the streams. */
  readonly streams: string;
  readonly depth: string;
  readonly hasMarks: boolean;
  readonly limits: StreamLimits;
  readonly read: (text: string, exchange: string) => Message<BinanceInstruments>;
}

/** A socket is replaced every day, an hour before the exchange ends it. */
const LIMITS = { batch: 100, rotateMs: 23 * 3_600_000 } as const;

const PARTS: Readonly<Record<Kind, Part>> = {
  spot: {
    forms: SPOT_FORMS,
    weight: SPOT_WEIGHT,
    streams: 'spot-stream',
    depth: 'spot-stream',
    hasMarks: false,
    // The exchange allows 1,024 streams and 5 messages a second, pongs included, and pings every 20 s
    // (web-socket-streams.md).
    limits: { ...LIMITS, perSocket: 1_024, messageEveryMs: 300, silenceMs: 30_000 },
    read: readSpotInstruments,
  },
  futures: {
    forms: FUTURES_FORMS,
    weight: FUTURES_WEIGHT,
    streams: 'futures-market',
    depth: 'futures-public',
    hasMarks: true,
    // The exchange allows 1,024 streams, recommends 200, and allows 10 messages a second; each symbol's mark
    // comes every second.
    limits: { ...LIMITS, perSocket: 200, messageEveryMs: 150, silenceMs: 15_000 },
    read: readFuturesInstruments,
  },
};

const MINUTE_MS = 60_000;
/**
 * Candle intervals that begin with the Unix epoch. Left out: weeks begin on Mondays, and months vary in
 * length.
 */
const FRAMES: ReadonlyMap<number, string> = new Map([
  [MINUTE_MS, '1m'],
  [3 * MINUTE_MS, '3m'],
  [5 * MINUTE_MS, '5m'],
  [15 * MINUTE_MS, '15m'],
  [30 * MINUTE_MS, '30m'],
  [60 * MINUTE_MS, '1h'],
  [120 * MINUTE_MS, '2h'],
  [240 * MINUTE_MS, '4h'],
  [360 * MINUTE_MS, '6h'],
  [480 * MINUTE_MS, '8h'],
  [720 * MINUTE_MS, '12h'],
  [1_440 * MINUTE_MS, '1d'],
]);
/** Most candles in one answer. */
const PAGE = 1_000;
/** Marks come once a second; after this long without one they count as stopped, ms. */
const MARK_WITHIN_MS = 10_000;

export interface BinanceMarketOptions extends Omit<LiveMarketOptions, 'form'> {
  readonly kind: Kind;
  /** Limits that replace the market's own, as in tests. */
  readonly limits?: Partial<StreamLimits>;
}

/** The message that starts or ends streams, of prices and of depth. */
const subscription = (id: number, on: boolean, params: readonly string[]) =>
  JSON.stringify({ method: on ? 'SUBSCRIBE' : 'UNSUBSCRIBE', params, id });

function formOf({ kind, limits: set, way }: BinanceMarketOptions): MarketForm {
  const { forms, weight, streams, depth, hasMarks, limits: own, read } = PARTS[kind];
  const { funding } = forms;
  const limits = { ...own, ...set };
  return {
    requests: [forms.time, forms.instruments, forms.candles, forms.prices, ...(funding ? [funding] : [])],
    dialect: binanceDialect({ weight, orders: {} }),
    roots: [
      {
        endpoint: streams,
        path: '/ws',
        limits,
        streams: { subscription, read: readStream },
        streamsOf(symbol, intervals) {
          const small = inStreams(symbol);
          return [
            `${small}@aggTrade`,
            ...(hasMarks ? [`${small}@markPrice@1s`] : []),
            ...intervals.map((interval) => `${small}@kline_${interval}`),
          ];
        },
      },
    ],
    gate: gateOf(way),
    depth: {
      endpoint: depth,
      path: '/stream',
      limits,
      streamOf: depthStream,
      streams: { subscription, read: readDepth },
    },
    markWithinMs: hasMarks ? MARK_WITHIN_MS : null,
    frames: FRAMES,
    time: { form: forms.time, parameters: {}, read: readTime },
    async candles(ask, symbol, interval, { from, to, frameMs }) {
      const limit = String(Math.min(PAGE, Math.max(1, Math.ceil((to - from) / frameMs))));
      const parameters = { symbol, interval, startTime: String(from), endTime: String(to - 1), limit };
      return ask({ form: forms.candles, parameters, read: readKlines });
    },
    prices: (symbol) => ({
      form: forms.prices,
      parameters: { ...(symbol === undefined ? {} : { symbol }) },
      read: readPrices,
    }),
    instruments: (ask, exchange) =>
      ask(
        { form: forms.instruments, parameters: {}, read: (text) => read(text, exchange) },
        { bytesMax: INSTRUMENT_LIST.length, timeoutMs: 30_000 },
      ),
    ...(funding
      ? {
          funding(ask, symbol, from, to) {
            const span = { startTime: String(from), endTime: String(to - 1) };
            return ask({ form: funding, parameters: { symbol, ...span, limit: '1000' }, read: readFunding });
          },
        }
      : {}),
    problemOf: (called: CallResult) =>
      called.kind === 'answer' && called.status !== 200
        ? `it was answered ${called.status}: ${called.text.slice(0, 120)}`
        : null,
  };
}

export function binanceMarket(options: BinanceMarketOptions): LiveMarket {
  return new LiveMarket({ ...options, form: formOf(options) });
}
