/**
 * Every request of a spot account, with its parameters and costs. Weights and parameters: SPOTDOC
 * (binance-spot-api-docs rest-api.md, web-socket-api.md) and developers.binance.com for `/sapi`.
 */
import type { Cost } from '../../kit/budget.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { oneOrder, SPOT_WEIGHT, weighs } from './budgets.ts';

const REST = 'SPOTDOC rest-api.md';

type Row = Pick<RequestForm, 'name' | 'weight' | 'costs'> &
  Partial<Pick<RequestForm, 'parameters' | 'security' | 'source' | 'endpoint'>>;

function form(method: RequestForm['method'], path: string, row: Row): RequestForm {
  return { endpoint: 'spot-rest', method, path, parameters: [], security: 'signed', source: REST, ...row };
}

/** A weight that is lower if this parameter is given. */
function weighsBy(parameter: string, one: number, all: number): Pick<Row, 'weight' | 'costs'> {
  return {
    weight: `weight ${one} with ${parameter}, ${all} without`,
    costs: (parameters): readonly Cost[] => [
      { row: SPOT_WEIGHT, of: '', amount: parameters[parameter] === undefined ? all : one },
    ],
  };
}

/** An order is named by its own number or by our id. */
const WHICH = ['symbol', 'orderId', 'origClientOrderId'];

export const SPOT = {
  time: form('GET', '/api/v3/time', { name: 'the time', security: 'none', ...weighs(1) }),
  exchangeInfo: form('GET', '/api/v3/exchangeInfo', {
    name: 'what is traded',
    parameters: ['showPermissionSets'],
    security: 'none',
    ...weighs(20),
  }),
  place: form('POST', '/api/v3/order', {
    name: 'place an order',
    parameters: [
      'symbol',
      'side',
      'type',
      'timeInForce',
      'quantity',
      'quoteOrderQty',
      'price',
      'stopPrice',
      'trailingDelta',
      'icebergQty',
      'newClientOrderId',
      'newOrderRespType',
    ],
    weight: 'weight 1 (0 where it is taken), 1 order',
    costs: oneOrder,
    source: `${REST}; CHANGELOG 2026-04-02`,
  }),
  cancel: form('DELETE', '/api/v3/order', { name: 'cancel an order', parameters: WHICH, ...weighs(1) }),
  cancelAll: form('DELETE', '/api/v3/openOrders', {
    name: 'cancel all orders of a symbol',
    parameters: ['symbol'],
    ...weighs(1),
  }),
  amend: form('PUT', '/api/v3/order/amend/keepPriority', {
    name: 'take less of an order',
    parameters: [...WHICH, 'newClientOrderId', 'newQty'],
    ...weighs(4),
  }),
  order: form('GET', '/api/v3/order', { name: 'an order', parameters: WHICH, ...weighs(4) }),
  openOrders: form('GET', '/api/v3/openOrders', {
    name: 'open orders',
    parameters: ['symbol'],
    ...weighsBy('symbol', 6, 80),
  }),
  trades: form('GET', '/api/v3/myTrades', {
    name: 'executions of a symbol',
    parameters: ['symbol', 'orderId', 'startTime', 'endTime', 'fromId', 'limit'],
    ...weighsBy('orderId', 5, 20),
  }),
  account: form('GET', '/api/v3/account', {
    name: 'the account and its balances',
    parameters: ['omitZeroBalances'],
    ...weighs(20),
  }),
  commission: form('GET', '/api/v3/account/commission', {
    name: 'fees of a symbol',
    parameters: ['symbol'],
    ...weighs(20),
  }),
  restrictions: form('GET', '/sapi/v1/account/apiRestrictions', {
    name: 'what the key may do',
    ...weighs(1),
    source: 'developers.binance.com Wallet: Get API Key Permission; live only',
  }),
  dust: form('POST', '/sapi/v1/asset/dust-btc', {
    name: 'small balances that can be converted',
    ...weighs(1),
    source: 'developers.binance.com Wallet: Get Assets That Can Be Converted Into BNB; live only',
  }),
  convertDust: form('POST', '/sapi/v1/asset/dust', {
    name: 'convert small balances',
    parameters: ['asset'],
    ...weighs(10),
    source: 'developers.binance.com Wallet: Dust Transfer; live only, once in 6 h',
  }),
  subscribe: form('WS', 'userDataStream.subscribe.signature', {
    name: 'hear of the account',
    endpoint: 'spot-api',
    // Includes the weight of the connection.
    weight: 'weight 2, and 2 for the socket',
    costs: () => weighs(4).costs(),
    source: 'SPOTDOC web-socket-api.md; user-data-stream.md',
  }),
} as const satisfies Readonly<Record<string, RequestForm>>;

export const SPOT_REQUESTS: readonly RequestForm[] = Object.values(SPOT);
