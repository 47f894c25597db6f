/**
 * All requests of an account of Bybit, with their parameters and what they use (DOC: docs/v5, one page for
 * each endpoint; RATE: docs/v5/rate-limit). Spot and linear contracts have the same endpoints; trading
 * requests are counted separately for each.
 */
import type { BudgetRow } from '../kit/budget.ts';
import type { RequestForm } from '../kit/requests.ts';
import { AMEND, CANCEL, CANCEL_ALL, costsOf, ONE_REQUEST, ofEndpoint, PLACE } from './budgets.ts';
import type { Category } from './category.ts';

type Row = Pick<RequestForm, 'name' | 'weight' | 'costs'> & {
  readonly parameters?: readonly string[];
  readonly page: string;
};

function form(method: 'GET' | 'POST', path: string, { page, parameters = [], ...row }: Row): RequestForm {
  const source = `DOC ${page}; RATE`;
  return { ...row, endpoint: 'rest', method, path, parameters, security: 'signed', source };
}

/** A question or a setting with its own limit per second. */
function rated(
  method: 'GET' | 'POST',
  path: string,
  row: Omit<Row, 'weight' | 'costs'> & { readonly limit: number },
): RequestForm {
  const { limit, ...rest } = row;
  const budget = ofEndpoint(row.name, limit);
  const costs: RequestForm['costs'] = (_, uid) => costsOf(budget, uid);
  return form(method, path, { ...rest, weight: `1 of ${limit} a second`, costs });
}

/** A trading request, which is counted by category. */
function traded(path: string, budget: BudgetRow, row: Omit<Row, 'weight' | 'costs'>): RequestForm {
  const costs: RequestForm['costs'] = (_, uid) => costsOf(budget, uid);
  return form('POST', path, { ...row, weight: `1 of ${budget.limit} a second`, costs });
}

function socket(name: string, path: string, parameters: readonly string[]): RequestForm {
  return {
    name,
    path,
    parameters,
    endpoint: 'private-stream',
    method: 'WS',
    weight: 'none',
    security: path === 'auth' ? 'signed' : 'none',
    costs: () => [],
    source: 'DOC websocket/wss-authentication',
  };
}

const WHICH = ['category', 'symbol', 'orderId', 'orderLinkId'] as const;
const PAGED = ['limit', 'cursor'] as const;

const SHARED = {
  time: {
    name: 'the time',
    endpoint: 'rest',
    method: 'GET',
    path: '/v5/market/time',
    parameters: [],
    security: 'none',
    weight: '1 request of the address',
    costs: () => ONE_REQUEST,
    source: 'DOC market/time',
  },
  instruments: {
    name: 'what is traded',
    endpoint: 'rest',
    method: 'GET',
    path: '/v5/market/instruments-info',
    parameters: ['category', ...PAGED],
    security: 'none',
    weight: '1 request of the address',
    costs: () => ONE_REQUEST,
    source: 'DOC market/instrument',
  },
  riskLimits: {
    name: 'leverage brackets',
    endpoint: 'rest',
    method: 'GET',
    path: '/v5/market/risk-limit',
    parameters: ['category', 'symbol', 'cursor'],
    security: 'none',
    weight: '1 request of the address',
    costs: () => ONE_REQUEST,
    source: 'DOC market/risk-limit',
  },
  realtime: rated('GET', '/v5/order/realtime', {
    name: 'open orders, and those that ended last',
    parameters: [...WHICH, 'settleCoin', ...PAGED],
    limit: 50,
    page: 'order/open-order',
  }),
  history: rated('GET', '/v5/order/history', {
    name: 'orders that have ended',
    parameters: [...WHICH, ...PAGED],
    limit: 50,
    page: 'order/order-list',
  }),
  executions: rated('GET', '/v5/execution/list', {
    name: 'executions',
    parameters: [...WHICH, 'startTime', 'endTime', ...PAGED],
    limit: 50,
    page: 'order/execution',
  }),
  wallet: rated('GET', '/v5/account/wallet-balance', {
    name: 'balances',
    parameters: ['accountType'],
    limit: 50,
    page: 'account/wallet-balance',
  }),
  ledger: rated('GET', '/v5/account/transaction-log', {
    name: 'changes of the wallet',
    parameters: ['accountType', 'category', 'type', 'startTime', 'endTime', ...PAGED],
    limit: 25,
    page: 'account/transaction-log',
  }),
  account: rated('GET', '/v5/account/info', {
    name: 'how the account trades',
    limit: 50,
    page: 'account/account-info',
  }),
  fees: rated('GET', '/v5/account/fee-rate', {
    name: 'fees of a symbol',
    parameters: ['category', 'symbol'],
    limit: 5,
    page: 'account/fee-rate',
  }),
  deadMan: rated('GET', '/v5/account/query-dcp-info', {
    name: 'whether a broken line cancels',
    limit: 5,
    page: 'account/dcp-info',
  }),
  key: rated('GET', '/v5/user/query-api', {
    name: 'what the key may do',
    limit: 10,
    page: 'user/apikey-info',
  }),
  positions: rated('GET', '/v5/position/list', {
    name: 'positions',
    parameters: ['category', 'symbol', 'settleCoin', ...PAGED],
    limit: 50,
    page: 'position/position',
  }),
  setLeverage: rated('POST', '/v5/position/set-leverage', {
    name: 'set the leverage of a symbol',
    parameters: ['category', 'symbol', 'buyLeverage', 'sellLeverage'],
    limit: 10,
    page: 'position/leverage',
  }),
  setHedgeMode: rated('POST', '/v5/position/switch-mode', {
    name: 'set hedge mode',
    parameters: ['category', 'coin', 'mode'],
    limit: 10,
    page: 'position/position-mode',
  }),
  setMarginMode: rated('POST', '/v5/account/set-margin-mode', {
    name: 'set the margin mode',
    parameters: ['setMarginMode'],
    limit: 5,
    page: 'account/set-margin-mode',
  }),
  dust: rated('GET', '/v5/asset/covert/small-balance-list', {
    name: 'small balances that can be converted',
    parameters: ['accountType'],
    limit: 10,
    page: 'asset/convert-small-balance/small-balanc-coins; live only',
  }),
  dustQuote: rated('POST', '/v5/asset/covert/get-quote', {
    name: 'what a conversion would give',
    parameters: ['accountType', 'fromCoinList', 'toCoin'],
    limit: 5,
    page: 'asset/convert-small-balance/request-quote; live only',
  }),
  convertDust: rated('POST', '/v5/asset/covert/small-balance-execute', {
    name: 'convert small balances',
    parameters: ['quoteId'],
    limit: 5,
    page: 'asset/convert-small-balance/confirm-quote; live only',
  }),
  dustHistory: rated('GET', '/v5/asset/covert/small-balance-history', {
    name: 'what a conversion gave',
    parameters: ['quoteId'],
    limit: 5,
    page: 'asset/convert-small-balance/exchange-history; live only',
  }),
  login: socket('say who it is', 'auth', []),
  subscribe: socket('events of the account', 'subscribe', ['args']),
  ping: socket('that somebody is there', 'ping', []),
} as const satisfies Readonly<Record<string, RequestForm>>;

function requestsOf(category: Category) {
  return {
    ...SHARED,
    place: traded('/v5/order/create', PLACE[category], {
      name: 'place an order',
      parameters: [
        'category',
        'symbol',
        'side',
        'orderType',
        'qty',
        'price',
        'timeInForce',
        'orderLinkId',
        'orderFilter',
        'isLeverage',
        'marketUnit',
        'triggerPrice',
        'triggerDirection',
        'triggerBy',
        'reduceOnly',
        'closeOnTrigger',
        'positionIdx',
      ],
      page: 'order/create-order',
    }),
    amend: traded('/v5/order/amend', AMEND[category], {
      name: 'change an order',
      parameters: [...WHICH, 'qty', 'price'],
      page: 'order/amend-order',
    }),
    cancel: traded('/v5/order/cancel', CANCEL[category], {
      name: 'cancel an order',
      parameters: [...WHICH, 'orderFilter'],
      page: 'order/cancel-order',
    }),
    cancelAll: traded('/v5/order/cancel-all', CANCEL_ALL[category], {
      name: 'cancel all orders of a symbol',
      parameters: ['category', 'symbol', 'orderFilter'],
      page: 'order/cancel-all',
    }),
  } as const satisfies Readonly<Record<string, RequestForm>>;
}

export type BybitRequests = ReturnType<typeof requestsOf>;

export const BYBIT: Readonly<Record<Category, BybitRequests>> = {
  spot: requestsOf('spot'),
  linear: requestsOf('linear'),
};

export const SPOT_REQUESTS: readonly RequestForm[] = Object.values(BYBIT.spot);
export const LINEAR_REQUESTS: readonly RequestForm[] = Object.values(BYBIT.linear);
