/** Questions about public prices of Bybit (DOC market/), which count only for the address. */
import type { RequestForm } from '../../kit/requests.ts';
import { ONE_REQUEST } from '../budgets.ts';
import { BYBIT } from '../requests.ts';

function form(name: string, path: string, parameters: readonly string[], source: string): RequestForm {
  return {
    name,
    path,
    parameters,
    endpoint: 'rest',
    method: 'GET',
    security: 'none',
    weight: '1 request of the address',
    costs: () => ONE_REQUEST,
    source: `DOC ${source}`,
  };
}

export const BYBIT_MARKET = {
  time: BYBIT.spot.time,
  instruments: BYBIT.spot.instruments,
  candles: form(
    'candles',
    '/v5/market/kline',
    ['category', 'symbol', 'interval', 'start', 'end', 'limit'],
    'market/kline',
  ),
  prices: form('last prices', '/v5/market/tickers', ['category', 'symbol'], 'market/tickers'),
  funding: form(
    'funding rates of the past',
    '/v5/market/funding/history',
    ['category', 'symbol', 'startTime', 'endTime', 'limit'],
    'market/history-fund-rate',
  ),
} as const satisfies Readonly<Record<string, RequestForm>>;

export const BYBIT_MARKET_REQUESTS: readonly RequestForm[] = Object.values(BYBIT_MARKET);
