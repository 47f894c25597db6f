/**
 * Market data over REST. Sources: market/time.mdx, instrument.mdx, kline.mdx, mark-kline.mdx, tickers.mdx,
 * orderbook.mdx, recent-trade.mdx, history-fund-rate.mdx, risk-limit.mdx, order-price-limit.mdx;
 * system-status.mdx.
 */
import { type Dec, dec, div, fixed, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Candle, frameStart } from '../kit/candles.ts';
import type { Market, SymbolMarket } from './market.ts';
import { bad, type Params } from './params.ts';
import { bandOf } from './rules.ts';
import { linearRow, spotRow, tiersOf } from './symbols.ts';
import { type Category, type Endpoint, Refusal } from './wire.ts';

/** Bybit's names of intervals. Months are left out. */
export const FRAME_OF: Readonly<Record<string, string>> = {
  '1': '1m',
  '3': '3m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '120': '2h',
  '240': '4h',
  '360': '6h',
  '720': '12h',
  D: '1d',
  W: '1w',
};

/** Fields of dated futures; empty for perpetual ones. */
const DELIVERY = {
  predictedDeliveryPrice: '',
  basisRate: '',
  deliveryFeeRate: '',
  deliveryTime: '0',
  basis: '',
  basisRateYear: '',
};

const TIER_SYMBOLS_A_PAGE = 15;
const EIGHT_HOURS = 28_800_000;

export interface PublicOptions {
  readonly markets: Readonly<Record<Category, Market>>;
  readonly now: () => number;
  /** Most rows of `instruments-info` on a page. */
  readonly instrumentsPage: number;
}

export function publicEndpoints({ markets, now, instrumentsPage }: PublicOptions): Endpoint[] {
  const open = { method: 'GET', security: 'none' } as const;
  const nothing = (params: Params) => ({ category: params.text('category'), list: [], nextPageCursor: '' });
  const symbolOf = (params: Params, category: Category) => markets[category].of(params.required('symbol'));
  return [
    {
      ...open,
      path: '/v5/market/time',
      parameters: '',
      source: 'market/time.mdx',
      handle: () => ({ timeSecond: String(Math.floor(now() / 1000)), timeNano: `${now()}000000` }),
    },
    {
      ...open,
      path: '/v5/system/status',
      parameters: 'id state',
      source: 'system-status.mdx',
      handle: () => ({ list: [] }),
    },
    {
      ...open,
      path: '/v5/market/instruments-info',
      parameters: 'category! symbol symbolType status baseCoin limit:i cursor',
      source: 'market/instrument.mdx',
      handle: ({ params }) => {
        const category = params.category();
        if (category === null) return nothing(params);
        const status = params.text('status') ?? 'Trading';
        const wanted = [...markets[category].symbols.values()].filter(
          ({ spec }) =>
            (spec.status ?? 'Trading') === status &&
            (params.text('symbol') ?? spec.symbol) === spec.symbol &&
            (params.text('baseCoin') ?? spec.base) === spec.base,
        );
        if (params.has('symbol') && !markets[category].symbols.has(params.required('symbol')))
          throw bad('symbol invalid');
        if (category === 'spot') return { category, list: wanted.map(({ spec }) => spotRow(spec)) };
        const { rows, next } = paged(params, wanted, params.limit(500, instrumentsPage));
        return { category, list: rows.map(({ spec }) => linearRow(spec)), nextPageCursor: next };
      },
    },
    {
      ...open,
      path: '/v5/market/kline',
      parameters: 'category symbol! interval! start:i end:i limit:i',
      source: 'market/kline.mdx',
      handle: ({ params }) => {
        const category = params.category('linear');
        if (category === null) return nothing(params);
        const market = markets[category];
        const m = symbolOf(params, category);
        return {
          category,
          symbol: m.spec.symbol,
          list: candles(params, m).map((candle) => [
            String(candle.openTime),
            ...[candle.open, candle.high, candle.low, candle.close].map((price) =>
              market.priceText(m, price),
            ),
            str(candle.volume),
            str(candle.quote),
          ]),
        };
      },
    },
    {
      ...open,
      path: '/v5/market/mark-price-kline',
      parameters: 'category symbol! interval! start:i end:i limit:i',
      source: 'market/mark-kline.mdx',
      handle: ({ params }) => {
        const m = symbolOf(params, 'linear');
        return {
          category: 'linear',
          symbol: m.spec.symbol,
          list: candles(params, m).map(({ openTime, open: first, high, low, close }) => [
            String(openTime),
            ...[first, high, low, close].map((price) => markets.linear.priceText(m, price)),
          ]),
        };
      },
    },
    {
      ...open,
      path: '/v5/market/tickers',
      parameters: 'category! symbol baseCoin expDate',
      source: 'market/tickers.mdx',
      handle: ({ params }) => {
        const category = params.category();
        if (category === null) return nothing(params);
        const list = params.has('symbol')
          ? [symbolOf(params, category)]
          : [...markets[category].symbols.values()];
        return {
          category,
          list: list.map((m) => ({
            ...tickerRow(markets[category], m, now()),
            ...(category === 'linear' ? DELIVERY : {}),
          })),
        };
      },
    },
    {
      ...open,
      path: '/v5/market/orderbook',
      parameters: 'category! symbol! limit:i',
      source: 'market/orderbook.mdx',
      handle: ({ params }) => {
        const category = params.traded();
        const m = symbolOf(params, category);
        return {
          ...bookRow(markets[category], m, params.limit(category === 'spot' ? 1 : 25, 200)),
          ts: now(),
          cts: m.time,
        };
      },
    },
    {
      ...open,
      path: '/v5/market/recent-trade',
      parameters: 'category! symbol baseCoin optionType limit:i',
      source: 'market/recent-trade.mdx',
      handle: ({ params }) => {
        const category = params.traded();
        const m = symbolOf(params, category);
        const limit = category === 'spot' ? params.limit(60, 60) : params.limit(500, 1000);
        return {
          category,
          list: m.prints
            .slice(-limit)
            .reverse()
            .map((print) => ({
              execId: String(print.id),
              symbol: print.symbol,
              price: markets[category].priceText(m, print.price),
              size: str(print.qty),
              side: print.buyerIsMaker ? 'Sell' : 'Buy',
              time: String(print.time),
              isBlockTrade: false,
              isRPITrade: false,
              seq: String(print.id),
            })),
        };
      },
    },
    {
      ...open,
      path: '/v5/market/funding/history',
      parameters: 'category! symbol! startTime:i endTime:i limit:i',
      source: 'market/history-fund-rate.mdx',
      handle: ({ params }) => {
        if (params.category() !== 'linear') return nothing(params);
        const m = symbolOf(params, 'linear');
        const end = params.integer('endTime');
        const start = params.integer('startTime');
        // Passing only startTime returns an error (history-fund-rate.mdx).
        if (start !== null && end === null) throw bad('endTime is needed with startTime');
        const last = Math.floor(Math.min(end ?? now(), m.nextFunding - 1) / EIGHT_HOURS);
        const rows = Array.from({ length: params.limit(200, 200) }, (_, i) => (last - i) * EIGHT_HOURS);
        return {
          category: 'linear',
          list: rows
            .filter((time) => time >= (start ?? 0))
            .map((time) => ({
              symbol: m.spec.symbol,
              fundingRate: str(m.fundingRate),
              fundingRateTimestamp: String(time),
            })),
        };
      },
    },
    {
      ...open,
      path: '/v5/market/risk-limit',
      parameters: 'category! symbol cursor',
      source: 'market/risk-limit.mdx',
      handle: ({ params }) => {
        if (params.category() !== 'linear') return nothing(params);
        const all = params.has('symbol')
          ? [symbolOf(params, 'linear')]
          : [...markets.linear.symbols.values()];
        const { rows, next } = paged(params, all, TIER_SYMBOLS_A_PAGE);
        return {
          category: 'linear',
          list: rows.flatMap(({ spec }) =>
            tiersOf(spec).map((tier) => ({
              id: tier.id,
              symbol: spec.symbol,
              riskLimitValue: tier.limit,
              maintenanceMargin: tier.rate,
              initialMargin: str(div(dec('1'), dec(tier.maxLeverage))),
              isLowestRisk: tier.id === 1 ? 1 : 0,
              maxLeverage: tier.maxLeverage,
              mmDeduction: tier.deduction,
            })),
          ),
          nextPageCursor: next,
        };
      },
    },
    {
      ...open,
      path: '/v5/market/price-limit',
      parameters: 'category symbol!',
      source: 'market/order-price-limit.mdx',
      handle: ({ params }) => {
        const category = params.category('linear');
        if (category === null) throw bad('Illegal category');
        const m = symbolOf(params, category);
        const { buy, sell } = bandOf(m);
        const text = (price: Dec) => markets[category].priceText(m, price);
        return { symbol: m.spec.symbol, buyLmt: text(buy), sellLmt: text(sell), ts: String(now()) };
      },
    },
  ];

  /** Candles, newest first. */
  function candles(params: Params, m: SymbolMarket): Candle[] {
    const frame = FRAME_OF[params.required('interval')];
    if (frame === undefined) throw bad('Invalid period!');
    const limit = params.limit(200, 1000);
    const start = params.integer('start');
    const end = params.integer('end');
    const list = m.candles.list(frame, start, end, start === null ? limit : 100_000, now());
    // A range with both ends returns its newest candles.
    return (end === null && start !== null ? list.slice(0, limit) : list.slice(-limit)).reverse();
  }
}

/** A page of a list; the cursor is the index in it, in a form that must be encoded again when it is sent. */
export function paged<T>(params: Params, all: readonly T[], limit: number): { rows: T[]; next: string } {
  const cursor = params.text('cursor');
  let from = 0;
  if (cursor !== null) {
    const place = /^page_token%3D(\d{1,9})%26$/.exec(cursor)?.[1];
    if (place === undefined) throw new Refusal(10001, 'Request parameter error: invalid cursor');
    from = Number(place);
  }
  const rows = all.slice(from, from + limit);
  return { rows, next: from + limit < all.length ? `page_token%3D${from + limit}%26` : '' };
}

/** The bid and ask lists, best first. */
export function bookRow(market: Market, m: SymbolMarket, depth: number): Record<string, unknown> {
  const side = (taker: 'BUY' | 'SELL') =>
    market
      .quotes(m, taker)
      .slice(0, depth)
      .map(({ price, qty }) => [market.priceText(m, price), str(qty)]);
  return { s: m.spec.symbol, b: side('SELL'), a: side('BUY'), u: m.updateId, seq: m.updateId };
}

/** The row of a ticker. Spot over REST has bid and ask; linear also has mark, index and funding. */
export function tickerRow(market: Market, m: SymbolMarket, time: number): Record<string, unknown> {
  const price = (value: Dec) => market.priceText(m, value);
  const bid = market.quotes(m, 'SELL')[0];
  const ask = market.quotes(m, 'BUY')[0];
  const book = {
    bid1Price: price(bid?.price ?? ZERO),
    bid1Size: str(bid?.qty ?? ZERO),
    ask1Price: price(ask?.price ?? ZERO),
    ask1Size: str(ask?.qty ?? ZERO),
  };
  const row = { ...dayRow(market, m, time), ...book };
  if (market.category === 'spot') return { ...row, usdIndexPrice: price(m.index) };
  return { ...row, ...linearExtras(market, m, time) };
}

/** The additional fields of linear. Open interest is made up and always changes. */
export function linearExtras(market: Market, m: SymbolMarket, time: number): Record<string, unknown> {
  const interest = dec('68744') + dec('0.001') * BigInt(Math.floor(time / 1000) % 1000);
  return {
    markPrice: market.priceText(m, m.mark),
    indexPrice: market.priceText(m, m.index),
    prevPrice1h: market.priceText(m, m.last),
    openInterest: str(interest),
    openInterestValue: fixed(mul(interest, m.mark), 2),
    fundingRate: str(m.fundingRate),
    nextFundingTime: String(m.nextFunding),
    fundingIntervalHour: '8',
    fundingCap: '0.005',
    preOpenPrice: '',
    preQty: '',
    curPreListingPhase: '',
  };
}

export function dayRow(market: Market, m: SymbolMarket, time: number): Record<string, unknown> {
  const price = (value: Dec) => market.priceText(m, value);
  const day = m.candles.list('1h', frameStart('1h', time - 86_400_000), null, 25, time);
  const first = day[0] as Candle;
  return {
    symbol: m.spec.symbol,
    lastPrice: price(m.last),
    prevPrice24h: price(first.open),
    price24hPcnt: fixed(div(m.last - first.open, first.open), 6),
    highPrice24h: price(day.reduce((best, { high }) => (high > best ? high : best), first.high)),
    lowPrice24h: price(day.reduce((best, { low }) => (low < best ? low : best), first.low)),
    turnover24h: fixed(
      day.reduce((sum, { quote }) => sum + quote, ZERO),
      4,
    ),
    volume24h: str(day.reduce((sum, { volume }) => sum + volume, ZERO)),
  };
}
