/**
 * Market data over REST, spot and futures. Sources: binance-spot-api-docs rest-api.md, USD-M "Market Data
 * Endpoints".
 */
import { type Dec, div, fixed, mul, ZERO } from '../../../src/domain/decimal.ts';
import { type Candle, FRAMES } from '../kit/candles.ts';
import type { Market, SymbolMarket } from './market.ts';
import { invalid, type Params } from './params.ts';
import { chosen } from './spot/endpoints.ts';
import type { Endpoint, Kind } from './wire.ts';

const SOURCES: Readonly<Record<Kind, string>> = {
  spot: 'binance-spot-api-docs rest-api.md',
  futures: 'USD-M "Market Data Endpoints"',
};

export function publicEndpoints(market: Market, now: () => number): Endpoint[] {
  const { kind } = market;
  const root = kind === 'spot' ? '/api/v3' : '/fapi/v1';
  const isSpot = kind === 'spot';
  const open = { method: 'GET', security: 'none', source: SOURCES[kind] } as const;
  const price = (m: SymbolMarket, value: Dec) => market.priceText(m, value);
  const qty = (m: SymbolMarket, value: Dec) => market.qtyText(m, value);
  const perSymbol = (params: Params, row: (m: SymbolMarket) => unknown) => {
    const rows = chosen(params, market).map((symbol) => row(market.of(symbol)));
    return params.has('symbol') ? rows[0] : rows;
  };
  return [
    {
      ...open,
      path: `${root}/klines`,
      parameters: 'symbol! interval! startTime endTime timeZone limit',
      weight: (params) => (isSpot ? 2 : klineWeight(params)),
      handle: ({ params }) => {
        const m = market.of(params.required('symbol'));
        const interval = params.required('interval');
        if (!(interval in FRAMES) || (!isSpot && interval === '1s')) throw invalid('interval');
        const limit = params.limit(500, isSpot ? 1000 : 1500);
        return m.candles
          .list(interval, params.integer('startTime'), params.integer('endTime'), limit, now())
          .map((candle) =>
            klineRow(
              candle,
              (value) => price(m, value),
              (value) => qty(m, value),
            ),
          );
      },
    },
    {
      ...open,
      path: isSpot ? '/api/v3/ticker/price' : '/fapi/v2/ticker/price',
      parameters: isSpot ? 'symbol symbols symbolStatus' : 'symbol',
      weight: (params) => (isSpot ? (params.has('symbol') ? 2 : 4) : params.has('symbol') ? 1 : 2),
      handle: ({ params }) =>
        perSymbol(params, (m) => ({
          symbol: m.spec.symbol,
          price: price(m, m.last),
          ...(isSpot ? {} : { time: m.time }),
        })),
    },
    ...(isSpot
      ? []
      : [
          {
            ...open,
            path: '/fapi/v1/ticker/price',
            parameters: 'symbol',
            weight: () => 1,
            handle: ({ params }: { params: Params }) =>
              perSymbol(params, (m) => ({ symbol: m.spec.symbol, price: price(m, m.last), time: m.time })),
          } satisfies Endpoint,
        ]),
    {
      ...open,
      path: `${root}/ticker/bookTicker`,
      parameters: isSpot ? 'symbol symbols symbolStatus' : 'symbol',
      weight: (params) => (params.has('symbol') ? 2 : isSpot ? 4 : 5),
      handle: ({ params }) => perSymbol(params, (m) => bookRow(m)),
    },
    {
      ...open,
      path: `${root}/ticker/24hr`,
      parameters: isSpot ? 'symbol symbols type symbolStatus' : 'symbol',
      weight: (params) => (params.has('symbol') ? (isSpot ? 2 : 1) : isSpot ? 80 : 40),
      handle: ({ params }) => perSymbol(params, (m) => dayRow(m)),
    },
    {
      ...open,
      path: `${root}/depth`,
      parameters: 'symbol! limit symbolStatus',
      weight: () => 5,
      handle: ({ params }) => {
        const m = market.of(params.required('symbol'));
        const limit = params.limit(100, 5000);
        return {
          lastUpdateId: m.updateId,
          ...(isSpot ? {} : { E: now(), T: m.time }),
          bids: levels(market, m, 'SELL', limit),
          asks: levels(market, m, 'BUY', limit),
        };
      },
    },
    {
      ...open,
      path: `${root}/aggTrades`,
      parameters: 'symbol! fromId startTime endTime limit',
      weight: () => (isSpot ? 4 : 20),
      handle: ({ params }) => {
        const m = market.of(params.required('symbol'));
        const fromId = params.integer('fromId') ?? 0;
        const start = params.integer('startTime') ?? 0;
        const end = params.integer('endTime') ?? Number.POSITIVE_INFINITY;
        const rows = m.prints.filter(({ id, time }) => id >= fromId && time >= start && time <= end);
        const limit = params.limit(500, 1000);
        const part =
          params.has('fromId') || params.has('startTime') ? rows.slice(0, limit) : rows.slice(-limit);
        return part.map((print) => ({
          a: print.id,
          p: price(m, print.price),
          q: qty(m, print.qty),
          f: print.id,
          l: print.id,
          T: print.time,
          m: print.buyerIsMaker,
          ...(isSpot ? { M: true } : {}),
        }));
      },
    },
    {
      ...open,
      path: `${root}/trades`,
      parameters: 'symbol! limit',
      weight: () => (isSpot ? 25 : 5),
      handle: ({ params }) => {
        const m = market.of(params.required('symbol'));
        return m.prints.slice(-params.limit(500, 1000)).map((print) => ({
          id: print.id,
          price: price(m, print.price),
          qty: qty(m, print.qty),
          quoteQty: price(m, mul(print.price, print.qty)),
          time: print.time,
          isBuyerMaker: print.buyerIsMaker,
          ...(isSpot ? { isBestMatch: true } : {}),
        }));
      },
    },
  ];

  function bookRow(m: SymbolMarket): Record<string, unknown> {
    const bid = market.quotes(m, 'SELL')[0];
    const ask = market.quotes(m, 'BUY')[0];
    return {
      symbol: m.spec.symbol,
      bidPrice: price(m, bid?.price ?? ZERO),
      bidQty: qty(m, bid?.qty ?? ZERO),
      askPrice: price(m, ask?.price ?? ZERO),
      askQty: qty(m, ask?.qty ?? ZERO),
      ...(isSpot ? {} : { time: m.time, lastUpdateId: m.updateId }),
    };
  }

  function dayRow(m: SymbolMarket): Record<string, unknown> {
    const time = now();
    const day = m.candles.list('1h', time - 86_400_000, null, 25, time);
    const first = day[0] as Candle;
    const high = day.reduce((best, { high: h }) => (h > best ? h : best), first.high);
    const low = day.reduce((best, { low: l }) => (l < best ? l : best), first.low);
    const volume = day.reduce((sum, candle) => sum + candle.volume, ZERO);
    const quoteVolume = day.reduce((sum, candle) => sum + candle.quote, ZERO);
    const change = m.last - first.open;
    return {
      symbol: m.spec.symbol,
      priceChange: price(m, change),
      priceChangePercent: fixed(div(change, first.open) * 100n, 3),
      weightedAvgPrice: price(m, volume > ZERO ? div(quoteVolume, volume) : m.last),
      ...(isSpot ? { prevClosePrice: price(m, first.open) } : {}),
      lastPrice: price(m, m.last),
      lastQty: qty(m, m.prints.at(-1)?.qty ?? ZERO),
      ...(isSpot ? withoutSymbol(bookRow(m)) : {}),
      openPrice: price(m, first.open),
      highPrice: price(m, high),
      lowPrice: price(m, low),
      volume: qty(m, volume),
      quoteVolume: fixed(quoteVolume, isSpot ? 8 : 2),
      openTime: time - 86_400_000,
      closeTime: time,
      firstId: m.prints[0]?.id ?? -1,
      lastId: m.prints.at(-1)?.id ?? -1,
      count: day.reduce((sum, candle) => sum + candle.trades, 0),
    };
  }
}

function withoutSymbol({ symbol: _, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

function klineWeight(params: Params): number {
  const limit = params.integer('limit') ?? 500;
  return limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1000 ? 5 : 10;
}

export function klineRow(
  candle: Candle,
  price: (value: Dec) => string,
  qty: (value: Dec) => string,
): unknown[] {
  return [
    candle.openTime,
    price(candle.open),
    price(candle.high),
    price(candle.low),
    price(candle.close),
    qty(candle.volume),
    candle.closeTime,
    fixed(candle.quote, 8),
    candle.trades,
    qty(candle.takerBase),
    fixed(candle.takerQuote, 8),
    '0',
  ];
}

/** Levels as `[price, quantity]`, best first. */
export function levels(
  market: Market,
  m: SymbolMarket,
  takerSide: 'BUY' | 'SELL',
  limit: number,
): string[][] {
  return market
    .quotes(m, takerSide)
    .slice(0, limit)
    .map((quote) => [market.priceText(m, quote.price), market.qtyText(m, quote.qty)]);
}
