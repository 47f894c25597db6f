/**
 * Live prices of OKX, for the spot market or the perpetual contracts: trades, marks and funding on the public
 * socket, candles closed by the exchange's own word on the business one. OKX uses its own names and counts
 * swaps in contracts: `Listed` converts both.
 */
import type { Environment } from '../../../domain/connection.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import type { CallResult } from '../../kit/caller.ts';
import { LiveMarket, type LiveMarketOptions } from '../../kit/live-market.ts';
import type { MarketAsk, MarketEvent, MarketForm } from '../../kit/market-form.ts';
import type { StreamItem, StreamLimits } from '../../kit/market-streams.ts';
import { INST_TYPE, type OkxMarketKind } from '../account-given.ts';
import { turnToConnect } from '../budgets.ts';
import { okxDialect } from '../dialect.ts';
import { Listed, quantityOf, readInstruments } from '../instruments.ts';
import { readTime } from '../messages.ts';
import { OKX_PRICE_REQUESTS, OKX_PRICES } from '../requests.ts';
import { troubleOf } from '../trouble.ts';
import { depthChannel, readDepth } from './depth.ts';
import {
  channelKey,
  type PriceEvent,
  type RawCandle,
  readCandles,
  readFunding,
  readPrices,
  readTickers,
} from './messages.ts';

const MINUTE_MS = 60_000;
/**
 * Candle intervals that begin with the Unix epoch. From six hours on those of UTC, since the plain ones begin
 * in UTC+8 (OD Candlesticks).
 */
const BARS: ReadonlyMap<number, string> = new Map([
  [MINUTE_MS, '1m'],
  [3 * MINUTE_MS, '3m'],
  [5 * MINUTE_MS, '5m'],
  [15 * MINUTE_MS, '15m'],
  [30 * MINUTE_MS, '30m'],
  [60 * MINUTE_MS, '1H'],
  [120 * MINUTE_MS, '2H'],
  [240 * MINUTE_MS, '4H'],
  [360 * MINUTE_MS, '6Hutc'],
  [720 * MINUTE_MS, '12Hutc'],
  [1_440 * MINUTE_MS, '1Dutc'],
]);
/** Most candles in one answer, and how many candles back the quick list goes. */
const PAGE = 300;
const RECENT = 1_400;
/**
 * A mark comes every 10 s even if it does not move; after this long without one they count as stopped, ms.
 */
const MARK_WITHIN_MS = 25_000;
const LISTS_EVERY_MS = 3_600_000;

/**
 * OD Connect, Subscribe: subscriptions together below 64 KB and 480 an hour per socket; a silent socket is
 * cut after 30 s.
 */
const LIMITS: StreamLimits = {
  perSocket: 200,
  batch: 50,
  messageEveryMs: 250,
  silenceMs: 35_000,
  rotateMs: 23 * 3_600_000,
  requests: 400,
};

/** The message that starts or ends channels, of prices and of depth. */
const TALK = {
  subscription(id: number, on: boolean, channels: readonly string[]): string {
    const args = channels.map((key) => {
      const [channel = '', instId = ''] = key.split(' ');
      return { channel, instId };
    });
    return JSON.stringify({ id: String(id), op: on ? 'subscribe' : 'unsubscribe', args });
  },
  ping: { everyMs: 15_000, text: 'ping' },
};

export interface OkxMarketOptions extends Omit<LiveMarketOptions, 'form'> {
  readonly kind: OkxMarketKind;
  readonly environment: Environment;
  /** Limits that replace the usual ones, as in tests. */
  readonly limits?: Partial<StreamLimits>;
}

function formOf({ kind, environment, way, limits: set }: OkxMarketOptions, now: () => number): MarketForm {
  const listed = new Listed();
  const isSpot = kind === 'spot';
  const limits = { ...LIMITS, ...set };
  const nameOf = (symbol: string) => listed.of(symbol)?.instId;
  const channels = (symbol: string, names: readonly string[]): string[] => {
    const instId = nameOf(symbol);
    return instId === undefined ? [] : names.map((name) => channelKey(name, instId));
  };
  const streams = {
    ...TALK,
    read(text: string) {
      const read = readPrices(text, isSpot);
      return read.ok
        ? { ok: true as const, value: read.value.map((event) => toldOf(event, listed, now)) }
        : read;
    },
  };
  const readLists = async (ask: MarketAsk, exchange: string) => {
    const read = await ask(
      {
        form: OKX_PRICES.instruments,
        parameters: { instType: INST_TYPE[kind] },
        read: (text) => readInstruments(text, exchange, kind),
      },
      { bytesMax: INSTRUMENT_LIST.length, timeoutMs: 30_000 },
    );
    if (read) listed.replace(read);
    return read;
  };
  return {
    requests: OKX_PRICE_REQUESTS,
    dialect: okxDialect(environment),
    roots: [
      {
        endpoint: 'public-stream',
        limits,
        streams,
        streamsOf: (symbol) =>
          channels(symbol, isSpot ? ['trades'] : ['trades', 'mark-price', 'funding-rate']),
      },
      {
        endpoint: 'business-stream',
        limits,
        streams,
        streamsOf: (symbol, bars) =>
          channels(
            symbol,
            bars.map((bar) => `candle${bar}`),
          ),
      },
    ],
    turn: (address) => turnToConnect(way, address),
    endTogether: true,
    depth: {
      endpoint: 'public-stream',
      limits,
      streamOf(symbol) {
        const instId = nameOf(symbol);
        return instId === undefined ? null : depthChannel(instId);
      },
      streams: { ...TALK, read: (text) => readDepth(text, (instId) => listed.named(instId)) },
    },
    lists: {
      everyMs: LISTS_EVERY_MS,
      read: async (ask, market) =>
        (await readLists(ask, market)) ? null : 'what is traded could not be read',
    },
    missing: (symbol) => (listed.of(symbol) ? null : 'OKX does not list it here'),
    markWithinMs: isSpot ? null : MARK_WITHIN_MS,
    frames: BARS,
    time: {
      form: OKX_PRICES.time,
      parameters: {},
      read(text) {
        const read = readTime(text);
        if (!read.ok) return read;
        const [row] = read.value.data;
        return row ? { ok: true, value: Number(row.ts) } : { ok: false, problem: 'its time is not told' };
      },
    },
    async candles(ask, symbol, bar, { from, to, frameMs }) {
      const instId = nameOf(symbol);
      if (instId === undefined) return [];
      // The first candles: answers go backwards from `after`.
      const until = Math.min(to, from + PAGE * frameMs);
      const limit = Math.min(PAGE, Math.max(1, Math.ceil((until - from) / frameMs)));
      const rows = await ask({
        form: from > now() - RECENT * frameMs ? OKX_PRICES.candles : OKX_PRICES.olderCandles,
        parameters: { instId, bar, after: String(until), limit: String(limit) },
        read: (text) => readCandles(text, isSpot),
      });
      return rows?.filter(({ time }) => time < until).map((row) => plainCandle(row)) ?? null;
    },
    prices: () => ({
      form: OKX_PRICES.prices,
      parameters: { instType: INST_TYPE[kind] },
      read(text) {
        const read = readTickers(text);
        if (!read.ok) return read;
        const value = read.value.flatMap(([instId, price]) => {
          const symbol = listed.named(instId)?.instrument.symbol;
          return symbol === undefined ? [] : [[symbol, price] as const];
        });
        return { ok: true, value };
      },
    }),
    async instruments(ask, exchange) {
      const read = await readLists(ask, exchange);
      return read && { instruments: listed.instruments, problems: read.problems };
    },
    ...(isSpot
      ? {}
      : {
          async funding(ask, symbol, from, to) {
            const instId = nameOf(symbol);
            if (instId === undefined) return null;
            const parameters = { instId, after: String(to), limit: '400' };
            const rows = await ask({ form: OKX_PRICES.funding, parameters, read: readFunding });
            return rows?.filter(({ at }) => at >= from && at < to) ?? null;
          },
        }),
    problemOf,
  };
}

/** Converts an event to the symbol of its instrument; events of unlisted instruments are dropped. */
function toldOf(event: PriceEvent, listed: Listed, now: () => number): StreamItem<MarketEvent> {
  if ('channel' in event) return { kind: event.kind, stream: event.channel };
  if (!('instId' in event)) return event;
  const listing = listed.named(event.instId);
  if (!listing) return { kind: 'other' };
  const { symbol } = listing.instrument;
  const told = (of: MarketEvent): StreamItem<MarketEvent> => ({ kind: 'event', event: of });
  switch (event.kind) {
    case 'trade': {
      const { kind: _, instId: __, size, ...trade } = event;
      return told({ kind: 'trades', symbol, trades: [{ ...trade, volume: quantityOf(listing, size) }] });
    }
    case 'mark':
      return told({ kind: 'mark', symbol, time: event.time, price: event.price });
    case 'funding': {
      // While a payment is being made its time is over: the next one is used.
      const at = event.at > now() ? event.at : (event.next ?? event.at);
      return told({ kind: 'mark', symbol, time: null, funding: { rate: event.rate, at } });
    }
    case 'closed':
      return told({ kind: 'closed', symbol, interval: event.bar, candle: plainCandle(event.candle) });
  }
}

function plainCandle({ time, open, high, low, close, volume }: RawCandle) {
  return { time, open, high, low, close, volume };
}

/**
 * The refusal in an answer, in words. Null: it is not refused, or no answer; a successful one that cannot be
 * read is reported as unreadable.
 */
function problemOf(called: CallResult): string | null {
  if (called.kind !== 'answer') return null;
  return called.status === 200 && called.text.includes('"code":"0"') ? null : troubleOf(called);
}

export function okxMarket(options: OkxMarketOptions): LiveMarket {
  const market: LiveMarket = new LiveMarket({ ...options, form: formOf(options, () => market.now()) });
  return market;
}
