/** Market data and public data over REST. Sources: the pages of OKX v5 "Market Data" and "Public Data". */
import { str } from '../../../src/domain/decimal.ts';
import { tiersOf } from './account.ts';
import { barList } from './bars.ts';
import { familyOf, instrumentRow } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import { booksRow, fundingRow, limitRow, markRow, statusRow, tickerRow, tradeRow } from './market-rows.ts';
import { newestFirst, wordsOf } from './paging.ts';
import { missing, type Params, wrong } from './params.ts';
import { type Endpoint, type InstType, Refusal } from './wire.ts';

const TYPES = ['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION', 'EVENTS'] as const;
const EIGHT_HOURS = 28_800_000;

export interface Maintenance {
  readonly begin: number;
  readonly end: number;
  readonly state: 'scheduled' | 'ongoing' | 'completed' | 'canceled';
  /** 0 WebSocket, 5 trading service. */
  readonly serviceType: string;
}

export function publicEndpoints(
  market: OkxMarket,
  now: () => number,
  maintenance: () => readonly Maintenance[],
): Endpoint[] {
  const open = { method: 'GET', permission: 'public' } as const;
  const one = (params: Params): Instrument => market.of(params.required('instId'));
  const chosen = (params: Params): Instrument[] => {
    const instType = params.oneOf('instType', TYPES);
    const [family, instId] = [params.text('instFamily'), params.text('instId')];
    return market
      .ofType(instType as InstType)
      .filter(
        ({ spec }) =>
          (family === '' || familyOf(spec) === family) && (instId === '' || spec.symbol === instId),
      );
  };
  return [
    {
      ...open,
      path: '/api/v5/public/time',
      parameters: '',
      limit: [10, 2000],
      rule: 'ip',
      source: 'Public Data "Get system time"',
      handle: () => [{ ts: String(now()) }],
    },
    {
      ...open,
      path: '/api/v5/public/instruments',
      parameters: 'instType! seriesId instFamily instId',
      limit: [20, 2000],
      rule: 'ip+type',
      source: 'Public Data "Get instruments"',
      handle: ({ params }) => {
        if (params.text('instType') === 'OPTION' && !params.has('instFamily')) throw missing('instFamily');
        return chosen(params).map(({ spec }) => instrumentRow(spec));
      },
    },
    {
      ...open,
      path: '/api/v5/public/mark-price',
      parameters: 'instType! instFamily instId',
      limit: [10, 2000],
      rule: 'ip+inst',
      source: 'Public Data "Get mark price"',
      handle: ({ params }) => {
        if (params.text('instType') === 'SPOT') throw wrong('instType');
        return chosen(params).map((m) => markRow(m, now()));
      },
    },
    {
      ...open,
      path: '/api/v5/public/funding-rate',
      parameters: 'instId!',
      limit: [10, 2000],
      rule: 'ip+inst',
      source: 'Public Data "Get funding rate"',
      handle: ({ params }) => {
        if (params.text('instId') === 'ANY') return market.ofType('SWAP').map((m) => fundingRow(m, now()));
        const m = one(params);
        if (m.spec.instType !== 'SWAP') throw wrong('instId');
        return [fundingRow(m, now())];
      },
    },
    {
      ...open,
      path: '/api/v5/public/funding-rate-history',
      parameters: 'instId! before after limit',
      limit: [10, 2000],
      rule: 'ip+inst',
      source: 'Public Data "Get funding rate history"',
      handle: ({ params }) => {
        const m = one(params);
        if (m.spec.instType !== 'SWAP') throw wrong('instId');
        const times = Array.from({ length: 270 }, (_, i) => m.nextFunding - (270 - i) * EIGHT_HOURS);
        return newestFirst(times, params, String, () => true, 400).map((time) => ({
          formulaType: 'noRate',
          fundingRate: str(m.fundingRate),
          fundingTime: String(time),
          instId: m.spec.symbol,
          instType: 'SWAP',
          method: 'current_period',
          realizedRate: str(m.fundingRate),
        }));
      },
    },
    {
      ...open,
      path: '/api/v5/public/price-limit',
      parameters: 'instId!',
      limit: [20, 2000],
      rule: 'ip',
      source: 'Public Data "Get limit price"',
      handle: ({ params }) => {
        const m = one(params);
        return [{ instType: m.spec.instType, ...limitRow(m, market, now()) }];
      },
    },
    {
      ...open,
      path: '/api/v5/public/position-tiers',
      parameters: 'instType! tdMode! instFamily instId ccy tier',
      limit: [10, 2000],
      rule: 'ip',
      source: 'Public Data "Get position tiers"',
      handle: ({ params }) => tierRows(params),
    },
    {
      ...open,
      path: '/api/v5/market/tickers',
      parameters: 'instType! instFamily',
      limit: [20, 2000],
      rule: 'ip',
      source: 'Market Data "Tickers"',
      handle: ({ params }) => chosen(params).map((m) => tickerRow(m, market, now())),
    },
    {
      ...open,
      path: '/api/v5/market/ticker',
      parameters: 'instId!',
      limit: [20, 2000],
      rule: 'ip',
      source: 'Market Data "Ticker"',
      handle: ({ params }) => [tickerRow(one(params), market, now())],
    },
    {
      ...open,
      path: '/api/v5/market/books',
      parameters: 'instId! sz',
      limit: [40, 2000],
      rule: 'ip',
      source: 'Market Data "Order book"',
      handle: ({ params }) => {
        const depth = params.whole('sz') ?? 1;
        if (depth < 1 || depth > 400) throw wrong('sz');
        return [booksRow(one(params), market, depth, now())];
      },
    },
    {
      ...open,
      path: '/api/v5/market/trades',
      parameters: 'instId! limit',
      limit: [100, 2000],
      rule: 'ip',
      source: 'Market Data "Trades"',
      handle: ({ params }) => one(params).prints.slice(-params.limit(500, 100)).reverse().map(tradeRow),
    },
    {
      ...open,
      path: '/api/v5/market/candles',
      parameters: 'instId! bar after before limit adjust',
      limit: [40, 2000],
      rule: 'ip',
      source: 'Market Data "Candlesticks"',
      handle: ({ params }) => barList(one(params), params, now(), 1440, 300),
    },
    {
      ...open,
      path: '/api/v5/market/history-candles',
      parameters: 'instId! bar after before limit adjust',
      limit: [20, 2000],
      rule: 'ip',
      source: 'Market Data "Candlesticks history"',
      handle: ({ params }) => barList(one(params), params, now(), 10_000_000, 300, true),
    },
    {
      ...open,
      path: '/api/v5/market/index-tickers',
      parameters: 'quoteCcy instId',
      limit: [20, 2000],
      rule: 'ip',
      source: 'Public Data "Get index tickers"',
      handle: ({ params }) => {
        const [quote, instId] = [params.text('quoteCcy'), params.text('instId')];
        if (quote === '' && instId === '')
          throw new Refusal('50015', 'Either parameter quoteCcy or instId is required', 400);
        return market
          .ofType('SWAP')
          .filter(({ spec }) => (instId === '' ? spec.quote === quote : familyOf(spec) === instId))
          .map((m) => ({
            instId: familyOf(m.spec),
            idxPx: str(m.index),
            high24h: str(m.index),
            low24h: str(m.index),
            open24h: str(m.index),
            sodUtc0: str(m.index),
            sodUtc8: str(m.index),
            ts: String(now()),
          }));
      },
    },
    {
      ...open,
      path: '/api/v5/system/status',
      parameters: 'state',
      limit: [1, 5000],
      rule: 'ip',
      source: '"Status"',
      handle: ({ params }) => {
        const state = params.oneOf('state', ['scheduled', 'ongoing', 'pre_open', 'completed', 'canceled']);
        return maintenance()
          .filter((one) =>
            state === '' ? one.state === 'scheduled' || one.state === 'ongoing' : one.state === state,
          )
          .map(statusRow);
      },
    },
  ];

  function tierRows(params: Params): Record<string, unknown>[] {
    const instType = params.oneOf('instType', ['MARGIN', 'SWAP', 'FUTURES', 'OPTION']);
    params.oneOf('tdMode', ['cross', 'isolated']);
    const families = wordsOf(params, 'instFamily');
    if (instType === 'SWAP' && !families) throw missing('instFamily');
    if (families && families.size > 5) throw wrong('instFamily');
    const tier = params.whole('tier');
    return market
      .ofType(instType as InstType)
      .filter(({ spec }) => families?.has(familyOf(spec)))
      .flatMap(({ spec }) =>
        tiersOf(spec.maxLever)
          .filter((rung) => tier === null || rung.tier === tier)
          .map((rung) => ({
            baseMaxLoan: '',
            imr: rung.imr,
            instFamily: familyOf(spec),
            instId: '',
            maxLever: rung.maxLever,
            maxSz: String(rung.maxSz),
            minSz: String(rung.minSz),
            mmr: rung.mmr,
            optMgnFactor: '0',
            quoteMaxLoan: '',
            tier: String(rung.tier),
            uly: familyOf(spec),
          })),
      );
  }
}
