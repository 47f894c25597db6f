/**
 * The requests for Binance's public prices, spot and USD-M futures, as data. None is signed or names a key.
 * Sources: binance-spot-api-docs rest-api.md ("Market data endpoints"); USD-M "Market Data Endpoints".
 */
import type { BudgetRow, Cost } from '../../kit/budget.ts';
import type { Parameters } from '../../kit/caller.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { FUTURES_WEIGHT } from '../futures/budgets.ts';
import { SPOT_WEIGHT } from '../spot/budgets.ts';

const SPOT_DOCS = 'binance-spot-api-docs rest-api.md';
const FUTURES_DOCS = 'USD-M "Market Data Endpoints"';

/** The requests of one market. */
export interface MarketForms {
  readonly time: RequestForm;
  readonly instruments: RequestForm;
  readonly candles: RequestForm;
  readonly prices: RequestForm;
  readonly funding: RequestForm | null;
}

type Given = Pick<RequestForm, 'name' | 'path' | 'parameters' | 'weight'> & {
  readonly amount: (parameters: Parameters) => number;
};

function form(endpoint: string, row: BudgetRow, source: string, { amount, ...rest }: Given): RequestForm {
  return {
    ...rest,
    endpoint,
    method: 'GET',
    security: 'none',
    source,
    costs: (parameters): Cost[] => [{ row, of: '', amount: amount(parameters) }],
  };
}

const spot = (given: Given) => form('spot-rest', SPOT_WEIGHT, SPOT_DOCS, given);
const futures = (given: Given) => form('futures-rest', FUTURES_WEIGHT, FUTURES_DOCS, given);

const CANDLES = ['symbol', 'interval', 'startTime', 'endTime', 'limit'];

export const SPOT_FORMS: MarketForms = {
  time: spot({
    name: 'the time',
    path: '/api/v3/time',
    parameters: [],
    weight: 'weight 1',
    amount: () => 1,
  }),
  instruments: spot({
    name: 'what is traded',
    path: '/api/v3/exchangeInfo',
    parameters: [],
    weight: 'weight 20',
    amount: () => 20,
  }),
  candles: spot({
    name: 'candles',
    path: '/api/v3/klines',
    parameters: CANDLES,
    weight: 'weight 2',
    amount: () => 2,
  }),
  prices: spot({
    name: 'last prices',
    path: '/api/v3/ticker/price',
    parameters: ['symbol'],
    weight: 'weight 2 of one symbol, 4 of all',
    amount: ({ symbol }) => (symbol === undefined ? 4 : 2),
  }),
  funding: null,
};

export const FUTURES_FORMS: MarketForms = {
  time: futures({
    name: 'the time',
    path: '/fapi/v1/time',
    parameters: [],
    weight: 'weight 1',
    amount: () => 1,
  }),
  instruments: futures({
    name: 'what is traded',
    path: '/fapi/v1/exchangeInfo',
    parameters: [],
    weight: 'weight 1',
    amount: () => 1,
  }),
  candles: futures({
    name: 'candles',
    path: '/fapi/v1/klines',
    parameters: CANDLES,
    weight: 'weight 1 to 10 by the limit',
    amount: ({ limit = '500' }) => candleWeight(Number(limit)),
  }),
  prices: futures({
    name: 'last prices',
    path: '/fapi/v2/ticker/price',
    parameters: ['symbol'],
    weight: 'weight 1 of one symbol, 2 of all',
    amount: ({ symbol }) => (symbol === undefined ? 2 : 1),
  }),
  // A limit apart from the weight: 500 requests in 5 min, shared with fundingInfo; the few made here are far
  // from it.
  funding: futures({
    name: 'funding rates of the past',
    path: '/fapi/v1/fundingRate',
    parameters: ['symbol', 'startTime', 'endTime', 'limit'],
    weight: 'no weight, 500 in 5 min',
    amount: () => 1,
  }),
};

function candleWeight(limit: number): number {
  if (limit < 100) return 1;
  if (limit < 500) return 2;
  return limit <= 1_000 ? 5 : 10;
}

/** All market requests. */
export const MARKET_REQUESTS: readonly RequestForm[] = [SPOT_FORMS, FUTURES_FORMS].flatMap(
  ({ time, instruments, candles, prices, funding }) => [
    time,
    instruments,
    candles,
    prices,
    ...(funding ? [funding] : []),
  ],
);
