/**
 * Live prices of Bybit, for the spot market or perpetual contracts: trades, candles closed by the exchange's
 * own `confirm`, mark prices and funding of contracts from their tickers (DOC websocket/public/).
 */
import type { FundingPayment } from '../../../market/market-data.ts';
import { INSTRUMENT_LIST } from '../../kit/bounds.ts';
import type { CallResult } from '../../kit/caller.ts';
import { LiveMarket, type LiveMarketOptions } from '../../kit/live-market.ts';
import type { MarketAsk, MarketForm } from '../../kit/market-form.ts';
import type { Category } from '../category.ts';
import { bybitDialect } from '../dialect.ts';
import { instrumentsOf } from '../instruments.ts';
import { readInstrumentPage, readTime } from '../messages.ts';
import { successOf } from '../questions.ts';
import { troubleOf } from '../trouble.ts';
import { depthTopic, readDepth } from './depth.ts';
import { readFunding, readKlines, readPrices, readStream } from './messages.ts';
import { BYBIT_MARKET, BYBIT_MARKET_REQUESTS } from './requests.ts';

const MINUTE_MS = 60_000;
/**
 * The frames whose candles start at multiples of their length since the Unix epoch (DOC enum `interval`);
 * weeks begin on Mondays, and months have no fixed length.
 */
const FRAMES: ReadonlyMap<number, string> = new Map([
  [MINUTE_MS, '1'],
  [3 * MINUTE_MS, '3'],
  [5 * MINUTE_MS, '5'],
  [15 * MINUTE_MS, '15'],
  [30 * MINUTE_MS, '30'],
  [60 * MINUTE_MS, '60'],
  [120 * MINUTE_MS, '120'],
  [240 * MINUTE_MS, '240'],
  [360 * MINUTE_MS, '360'],
  [720 * MINUTE_MS, '720'],
  [1_440 * MINUTE_MS, 'D'],
]);
/** Candles in one answer. */
const PAGE = 1_000;
/** Payments in one answer, and the largest number of answers asked for. */
const PAYMENTS = 200;
const PAYMENT_PAGES = 20;
/** The largest number of pages of instruments. */
const INSTRUMENT_PAGES = 20;

const PING = { everyMs: 20_000, text: JSON.stringify({ req_id: 'ping', op: 'ping' }) } as const;

/** How topics of prices and of depth are subscribed to. */
const TALK = {
  subscription: (id: number, on: boolean, args: readonly string[]) =>
    JSON.stringify({ req_id: String(id), op: on ? 'subscribe' : 'unsubscribe', args }),
  ping: PING,
};

/** DOC: 10 args per request on spot; on linear only a limit of 21,000 characters per socket. */
const LIMITS = { messageEveryMs: 100, silenceMs: 45_000, rotateMs: 23 * 3_600_000 } as const;

function formOf(category: Category): MarketForm {
  const isSpot = category === 'spot';
  const place = {
    endpoint: `${category}-stream`,
    limits: isSpot ? { ...LIMITS, perSocket: 200, batch: 10 } : { ...LIMITS, perSocket: 400, batch: 100 },
  };
  return {
    requests: BYBIT_MARKET_REQUESTS,
    dialect: bybitDialect(),
    roots: [
      {
        ...place,
        streams: { ...TALK, read: readStream },
        streamsOf: (symbol, intervals) => [
          `publicTrade.${symbol}`,
          ...(isSpot ? [] : [`tickers.${symbol}`]),
          ...intervals.map((interval) => `kline.${interval}.${symbol}`),
        ],
      },
    ],
    depth: { ...place, streamOf: depthTopic, streams: { ...TALK, read: readDepth } },
    // A ticker is sent when one of its fields has changed, which is rare for a quiet contract.
    markWithinMs: isSpot ? null : 60_000,
    frames: FRAMES,
    time: {
      form: BYBIT_MARKET.time,
      parameters: {},
      read: (text) => {
        const read = readTime(text);
        if (!read.ok) return read;
        return { ok: true, value: Number(BigInt(read.value.result.timeNano) / 1_000_000n) };
      },
    },
    async candles(ask, symbol, interval, { from, to, frameMs }) {
      // The newest come first: if one answer cannot hold the whole span, the first candles are asked for.
      const end = Math.min(to - 1, from + PAGE * frameMs - 1);
      const parameters = {
        category,
        symbol,
        interval,
        start: String(from),
        end: String(end),
        limit: String(PAGE),
      };
      return ask({ form: BYBIT_MARKET.candles, parameters, read: readKlines });
    },
    prices: (symbol) => ({
      form: BYBIT_MARKET.prices,
      parameters: { category, ...(symbol === undefined ? {} : { symbol }) },
      read: readPrices,
    }),
    instruments: async (ask, exchange) => {
      const rows = await allInstruments(ask, category);
      return rows && instrumentsOf(rows, category, exchange);
    },
    ...(isSpot ? {} : { funding }),
    problemOf: (called: CallResult) => (successOf(called) === null ? troubleOf(called) : null),
  };
}

async function allInstruments(ask: MarketAsk, category: Category): Promise<readonly unknown[] | null> {
  const rows: unknown[] = [];
  const terms = { bytesMax: INSTRUMENT_LIST.length, timeoutMs: 30_000 };
  let cursor = '';
  for (let pages = 0; pages < INSTRUMENT_PAGES; pages++) {
    const parameters = {
      category,
      ...(category === 'spot' ? {} : { limit: '1000' }),
      ...(cursor === '' ? {} : { cursor }),
    };
    const page = await ask({ form: BYBIT_MARKET.instruments, parameters, read: readInstrumentPage }, terms);
    if (!page) return null;
    rows.push(...page.result.list);
    const next = page.result.nextPageCursor ?? '';
    if (next === '' || next === cursor || page.result.list.length === 0) return rows;
    cursor = next;
  }
  return null;
}

/**
 * Reads funding payments; the newest come first, so earlier ones are asked for until the span is complete.
 */
async function funding(
  ask: MarketAsk,
  symbol: string,
  from: number,
  to: number,
): Promise<readonly FundingPayment[] | null> {
  let all: FundingPayment[] = [];
  let end = to - 1;
  for (let pages = 0; pages < PAYMENT_PAGES && end >= from; pages++) {
    const parameters = {
      category: 'linear',
      symbol,
      startTime: String(from),
      endTime: String(end),
      limit: String(PAYMENTS),
    };
    const rows = await ask({ form: BYBIT_MARKET.funding, parameters, read: readFunding });
    if (!rows) return null;
    all = [...rows, ...all];
    const [first] = rows;
    if (!first || rows.length < PAYMENTS) break;
    end = first.at - 1;
  }
  return all.filter(({ at }) => at >= from && at < to);
}

export function bybitMarket(category: Category, options: Omit<LiveMarketOptions, 'form'>): LiveMarket {
  return new LiveMarket({ ...options, form: formOf(category) });
}
