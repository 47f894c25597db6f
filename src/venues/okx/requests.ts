/**
 * Every request that is sent to OKX, with its parameters and costs. OD: the official v5 documents
 * (2026-06-27), one page an endpoint. Requests for prices are not signed, all requests of an account are.
 */
import type { RequestForm } from '../kit/requests.ts';
import { ofAddress, ofInstrument, ofOrders, ofUser, type Uses } from './budgets.ts';

export interface OkxForm extends RequestForm {
  /** The body is a list: parameters have a line for each entry. */
  readonly isList?: true;
  /** The request carries `expTime`: if it arrives later it is refused ("Transaction timeouts"). */
  readonly expires?: true;
}

interface Row extends Uses {
  readonly name: string;
  readonly parameters?: readonly string[];
  readonly security?: RequestForm['security'];
  readonly isList?: true;
  readonly expires?: true;
  readonly page: string;
}

function form(method: RequestForm['method'], path: string, row: Row): OkxForm {
  const { page, parameters = [], security = 'signed', ...rest } = row;
  return { ...rest, endpoint: 'rest', method, path, parameters, security, source: `OD ${page}` };
}

function socket(endpoint: string, path: string, row: Omit<Row, keyof Uses>): OkxForm {
  const { name, parameters = [], security = 'none', page } = row;
  return {
    name,
    parameters,
    security,
    endpoint,
    method: 'WS',
    path,
    source: `OD ${page}`,
    weight: '3 sockets in 1 s an address, 480 an hour and socket',
    // Sockets count when they are opened (`budgets.ts`).
    costs: () => [],
  };
}

/** An order is named by its own number or by our id. */
const WHICH = ['instId', 'ordId', 'clOrdId'] as const;
const PAGED = ['after', 'limit'] as const;
const WINDOWED = ['begin', 'end', ...PAGED] as const;

export const OKX = {
  time: form('GET', '/api/v5/public/time', {
    name: 'the time',
    security: 'none',
    ...ofAddress('time 2 s', 10),
    page: 'Get system time',
  }),
  instruments: form('GET', '/api/v5/public/instruments', {
    name: 'what is traded',
    security: 'none',
    parameters: ['instType'],
    ...ofAddress('instruments 2 s', 20),
    page: 'Get instruments',
  }),
  tiers: form('GET', '/api/v5/public/position-tiers', {
    name: 'position tiers',
    security: 'none',
    parameters: ['instType', 'tdMode', 'instFamily'],
    ...ofAddress('tiers 2 s', 10),
    page: 'Get position tiers',
  }),
  marks: form('GET', '/api/v5/public/mark-price', {
    name: 'mark prices',
    security: 'none',
    parameters: ['instType', 'instId'],
    ...ofAddress('marks 2 s', 10),
    page: 'Get mark price',
  }),
  place: form('POST', '/api/v5/trade/order', {
    name: 'place an order',
    parameters: [
      'instId',
      'tdMode',
      'side',
      'posSide',
      'ordType',
      'sz',
      'px',
      'tgtCcy',
      'banAmend',
      'reduceOnly',
      'clOrdId',
      'tag',
    ],
    expires: true,
    ...ofInstrument('place 2 s', 60, true),
    page: 'Place order; Sub-account rate limit',
  }),
  placeAlgo: form('POST', '/api/v5/trade/order-algo', {
    name: 'place a conditional order',
    parameters: [
      'instId',
      'tdMode',
      'side',
      'posSide',
      'ordType',
      'sz',
      'tgtCcy',
      'closeFraction',
      'reduceOnly',
      'slTriggerPx',
      'slOrdPx',
      'slTriggerPxType',
      'tpTriggerPx',
      'tpOrdPx',
      'tpTriggerPxType',
      'callbackRatio',
      'activePx',
      'algoClOrdId',
      'tag',
    ],
    ...ofInstrument('place conditional 2 s', 20),
    page: 'Place algo order',
  }),
  amend: form('POST', '/api/v5/trade/amend-order', {
    name: 'change an order',
    parameters: [...WHICH, 'newSz', 'newPx', 'cxlOnFail'],
    expires: true,
    ...ofInstrument('amend 2 s', 60, true),
    page: 'Amend order; Sub-account rate limit',
  }),
  cancel: form('POST', '/api/v5/trade/cancel-order', {
    name: 'cancel an order',
    parameters: WHICH,
    ...ofInstrument('cancel 2 s', 60),
    page: 'Cancel order',
  }),
  cancelBatch: form('POST', '/api/v5/trade/cancel-batch-orders', {
    name: 'cancel orders, 20 at a time',
    parameters: ['instId', 'ordId'],
    isList: true,
    ...ofOrders('cancel batch 2 s', 300),
    page: 'Cancel multiple orders',
  }),
  cancelAlgos: form('POST', '/api/v5/trade/cancel-algos', {
    name: 'cancel conditional orders, 10 at a time',
    parameters: ['instId', 'algoId', 'algoClOrdId'],
    isList: true,
    ...ofInstrument('cancel conditional 2 s', 20),
    page: 'Cancel algo order',
  }),
  countdown: form('POST', '/api/v5/trade/cancel-all-after', {
    name: 'start, renew or end the countdown of an account',
    parameters: ['timeOut', 'tag'],
    ...ofUser('countdown 1 s', 1, 1_000),
    page: 'Cancel All After',
  }),
  order: form('GET', '/api/v5/trade/order', {
    name: 'an order',
    parameters: WHICH,
    ...ofInstrument('order 2 s', 60),
    page: 'Order details',
  }),
  algoOrder: form('GET', '/api/v5/trade/order-algo', {
    name: 'a conditional order',
    parameters: ['algoId', 'algoClOrdId'],
    ...ofUser('conditional order 2 s', 20),
    page: 'Algo order details',
  }),
  openOrders: form('GET', '/api/v5/trade/orders-pending', {
    name: 'open orders',
    parameters: ['instType', 'instId', ...PAGED],
    ...ofUser('open orders 2 s', 60),
    page: 'Order List',
  }),
  openAlgos: form('GET', '/api/v5/trade/orders-algo-pending', {
    name: 'open conditional orders',
    parameters: ['ordType', 'instType', 'instId', ...PAGED],
    ...ofUser('open conditional orders 2 s', 20),
    page: 'Algo order list',
  }),
  orderHistory: form('GET', '/api/v5/trade/orders-history', {
    name: 'orders that have ended',
    parameters: ['instType', 'instId', ...PAGED],
    ...ofUser('order history 2 s', 40),
    page: 'Order history (last 7 days)',
  }),
  fills: form('GET', '/api/v5/trade/fills', {
    name: 'executions of the last 3 days',
    parameters: ['instType', 'instId', 'ordId', ...WINDOWED],
    ...ofUser('fills 2 s', 60),
    page: 'Transaction details (last 3 days)',
  }),
  fillsHistory: form('GET', '/api/v5/trade/fills-history', {
    name: 'executions of the last 3 months',
    parameters: ['instType', 'instId', 'ordId', ...WINDOWED],
    ...ofUser('fills history 2 s', 10),
    page: 'Transaction details (last 3 months)',
  }),
  balance: form('GET', '/api/v5/account/balance', {
    name: 'balances',
    ...ofUser('balance 2 s', 10),
    page: 'Get balance',
  }),
  positions: form('GET', '/api/v5/account/positions', {
    name: 'positions',
    parameters: ['instType'],
    ...ofUser('positions 2 s', 10),
    page: 'Get positions',
  }),
  config: form('GET', '/api/v5/account/config', {
    name: 'who the account is, how it trades and what the key may do',
    ...ofUser('config 2 s', 5),
    page: 'Get account configuration',
  }),
  leverage: form('GET', '/api/v5/account/leverage-info', {
    name: 'leverage',
    parameters: ['instId', 'mgnMode'],
    ...ofUser('leverage 2 s', 20),
    page: 'Get leverage',
  }),
  setLeverage: form('POST', '/api/v5/account/set-leverage', {
    name: 'set the leverage of a contract',
    parameters: ['instId', 'lever', 'mgnMode'],
    ...ofUser('set leverage 2 s', 20),
    page: 'Set leverage',
  }),
  setHedgeMode: form('POST', '/api/v5/account/set-position-mode', {
    name: 'set hedge mode',
    parameters: ['posMode'],
    ...ofUser('set position mode 2 s', 5),
    page: 'Set position mode',
  }),
  fees: form('GET', '/api/v5/account/trade-fee', {
    name: 'fees',
    parameters: ['instType', 'instId', 'instFamily'],
    ...ofUser('fees 2 s', 5),
    page: 'Get fee rates',
  }),
  bills: form('GET', '/api/v5/account/bills', {
    name: 'changes of the wallet, of 7 days',
    parameters: WINDOWED,
    ...ofUser('bills 1 s', 5, 1_000),
    page: 'Get bills details (last 7 days)',
  }),
  billsArchive: form('GET', '/api/v5/account/bills-archive', {
    name: 'changes of the wallet, of 3 months',
    parameters: WINDOWED,
    ...ofUser('bills archive 2 s', 5),
    page: 'Get bills details (last 3 months)',
  }),
  smallBalances: form('GET', '/api/v5/trade/easy-convert-currency-list', {
    name: 'small balances that can be converted',
    ...ofUser('small balances 2 s', 1),
    page: 'Easy convert currency list; live only',
  }),
  convert: form('POST', '/api/v5/trade/easy-convert', {
    name: 'convert small balances',
    parameters: ['fromCcy', 'toCcy'],
    ...ofUser('convert 2 s', 1),
    page: 'Place easy convert; live only',
  }),
  login: socket('private-stream', 'login', {
    name: 'log in on a socket',
    security: 'signed',
    page: 'Login; Connect',
  }),
  subscribe: socket('private-stream', 'subscribe', {
    name: 'hear of the account: orders, account, what is left of it, positions',
    parameters: ['args'],
    page: 'Order channel; Account channel; Balance and position channel; Positions channel',
  }),
  subscribeAlgos: socket('business-stream', 'subscribe', {
    name: 'hear of conditional orders: orders-algo, algo-advance',
    parameters: ['args'],
    page: 'Algo orders channel; Advance algo orders channel',
  }),
} as const satisfies Readonly<Record<string, OkxForm>>;

/** The requests of an account, of either market. */
export const OKX_REQUESTS: readonly OkxForm[] = Object.values(OKX);

export const OKX_PRICES = {
  time: OKX.time,
  instruments: OKX.instruments,
  candles: form('GET', '/api/v5/market/candles', {
    name: 'candles, the last 1,440',
    security: 'none',
    parameters: ['instId', 'bar', ...PAGED],
    ...ofAddress('candles 2 s', 40),
    page: 'Candlesticks',
  }),
  olderCandles: form('GET', '/api/v5/market/history-candles', {
    name: 'candles, older ones',
    security: 'none',
    parameters: ['instId', 'bar', ...PAGED],
    ...ofAddress('older candles 2 s', 20),
    page: 'Candlesticks history',
  }),
  prices: form('GET', '/api/v5/market/tickers', {
    name: 'last prices',
    security: 'none',
    parameters: ['instType'],
    ...ofAddress('tickers 2 s', 20),
    page: 'Tickers',
  }),
  funding: form('GET', '/api/v5/public/funding-rate-history', {
    name: 'funding rates of the past',
    security: 'none',
    parameters: ['instId', ...PAGED],
    ...ofAddress('funding history 2 s', 10),
    page: 'Get funding rate history',
  }),
} as const satisfies Readonly<Record<string, OkxForm>>;

/** The requests for public prices. */
export const OKX_PRICE_REQUESTS: readonly OkxForm[] = Object.values(OKX_PRICES);
