/**
 * Every request of a USD-M futures account, with its parameters and costs. Weights and parameters:
 * developers.binance.com, USD-M futures, one page an endpoint; the trading calls cost no weight and one of
 * each order count.
 */
import type { Cost } from '../../kit/budget.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { FUTURES_WEIGHT, oneOrder, weight } from './budgets.ts';

type Costs = RequestForm['costs'];

interface Row {
  readonly name: string;
  readonly parameters?: readonly string[];
  readonly security?: RequestForm['security'];
  readonly weight: string;
  readonly costs: Costs;
  readonly page: string;
}

const DOCS = 'developers.binance.com USD-M:';

function form(method: RequestForm['method'], path: string, row: Row): RequestForm {
  const { page, parameters = [], security = 'signed', ...rest } = row;
  return { ...rest, endpoint: 'futures-rest', method, path, parameters, security, source: `${DOCS} ${page}` };
}

/** A weight that does not depend on the parameters. */
function weighs(amount: number): Pick<Row, 'weight' | 'costs'> {
  return { weight: `weight ${amount}`, costs: weight(amount) };
}

/** A weight that is lower for one symbol than for all. */
function weighsBySymbol(one: number, all: number): Pick<Row, 'weight' | 'costs'> {
  const costs: Costs = (parameters): readonly Cost[] => [
    { row: FUTURES_WEIGHT, of: '', amount: parameters.symbol === undefined ? all : one },
  ];
  return { weight: `weight ${one} a symbol, ${all} for all`, costs };
}

const ORDER = { weight: 'weight 0, 1 order', costs: oneOrder } as const;

/** An order is named by its own number or by our id. */
const WHICH = ['symbol', 'orderId', 'origClientOrderId'] as const;
const WHICH_ALGO = ['algoId', 'clientAlgoId'] as const;

export const FUTURES = {
  time: form('GET', '/fapi/v1/time', {
    name: 'the time',
    security: 'none',
    ...weighs(1),
    page: 'Check Server Time',
  }),
  exchangeInfo: form('GET', '/fapi/v1/exchangeInfo', {
    name: 'what is traded',
    security: 'none',
    ...weighs(1),
    page: 'Exchange Information',
  }),
  place: form('POST', '/fapi/v1/order', {
    name: 'place an order',
    parameters: [
      'symbol',
      'side',
      'positionSide',
      'type',
      'timeInForce',
      'quantity',
      'price',
      'reduceOnly',
      'newClientOrderId',
      'newOrderRespType',
      'goodTillDate',
    ],
    ...ORDER,
    page: 'New Order',
  }),
  placeAlgo: form('POST', '/fapi/v1/algoOrder', {
    name: 'place a conditional order',
    parameters: [
      'algoType',
      'symbol',
      'side',
      'positionSide',
      'type',
      'timeInForce',
      'quantity',
      'price',
      'triggerPrice',
      'workingType',
      'closePosition',
      'reduceOnly',
      'activatePrice',
      'callbackRate',
      'clientAlgoId',
      'newOrderRespType',
    ],
    ...ORDER,
    page: 'New Algo Order',
  }),
  amend: form('PUT', '/fapi/v1/order', {
    name: 'change an order',
    parameters: [...WHICH, 'side', 'quantity', 'price'],
    ...ORDER,
    page: 'Modify Order',
  }),
  cancel: form('DELETE', '/fapi/v1/order', {
    name: 'cancel an order',
    parameters: WHICH,
    ...weighs(1),
    page: 'Cancel Order',
  }),
  cancelAlgo: form('DELETE', '/fapi/v1/algoOrder', {
    name: 'cancel a conditional order',
    parameters: WHICH_ALGO,
    ...weighs(1),
    page: 'Cancel Algo Order',
  }),
  cancelAll: form('DELETE', '/fapi/v1/allOpenOrders', {
    name: 'cancel all orders of a symbol',
    parameters: ['symbol'],
    ...weighs(1),
    page: 'Cancel All Open Orders',
  }),
  cancelAllAlgo: form('DELETE', '/fapi/v1/algoOpenOrders', {
    name: 'cancel all conditional orders of a symbol',
    parameters: ['symbol'],
    ...weighs(1),
    page: 'Cancel All Algo Open Orders',
  }),
  countdown: form('POST', '/fapi/v1/countdownCancelAll', {
    name: 'start, renew or end the countdown of a symbol',
    parameters: ['symbol', 'countdownTime'],
    ...weighs(10),
    page: 'Auto-Cancel All Open Orders',
  }),
  order: form('GET', '/fapi/v1/order', {
    name: 'an order',
    parameters: WHICH,
    ...weighs(1),
    page: 'Query Order',
  }),
  algoOrder: form('GET', '/fapi/v1/algoOrder', {
    name: 'a conditional order',
    parameters: WHICH_ALGO,
    ...weighs(1),
    page: 'Query Algo Order',
  }),
  openOrders: form('GET', '/fapi/v1/openOrders', {
    name: 'open orders',
    parameters: ['symbol'],
    ...weighsBySymbol(1, 40),
    page: 'Current All Open Orders',
  }),
  openAlgoOrders: form('GET', '/fapi/v1/openAlgoOrders', {
    name: 'open conditional orders',
    parameters: ['symbol'],
    ...weighsBySymbol(1, 40),
    page: 'Current All Algo Open Orders',
  }),
  allOrders: form('GET', '/fapi/v1/allOrders', {
    name: 'orders of a symbol',
    parameters: ['symbol', 'orderId', 'limit'],
    ...weighs(5),
    page: 'All Orders',
  }),
  allAlgoOrders: form('GET', '/fapi/v1/allAlgoOrders', {
    name: 'conditional orders of a symbol',
    parameters: ['symbol', 'startTime', 'endTime', 'limit'],
    ...weighs(5),
    page: 'Query All Algo Orders',
  }),
  trades: form('GET', '/fapi/v1/userTrades', {
    name: 'executions of a symbol',
    parameters: ['symbol', 'orderId', 'startTime', 'endTime', 'fromId', 'limit'],
    ...weighs(5),
    page: 'Account Trade List',
  }),
  balance: form('GET', '/fapi/v3/balance', {
    name: 'balances',
    ...weighs(5),
    page: 'Futures Account Balance V3',
  }),
  positions: form('GET', '/fapi/v3/positionRisk', {
    name: 'positions',
    parameters: ['symbol'],
    ...weighs(5),
    page: 'Position Information V3',
  }),
  symbolConfig: form('GET', '/fapi/v1/symbolConfig', {
    name: 'leverage and margin types',
    parameters: ['symbol'],
    ...weighs(5),
    page: 'Symbol Configuration',
  }),
  accountConfig: form('GET', '/fapi/v1/accountConfig', {
    name: 'how the account trades',
    ...weighs(5),
    page: 'Account Configuration',
  }),
  brackets: form('GET', '/fapi/v1/leverageBracket', {
    name: 'leverage brackets',
    parameters: ['symbol'],
    ...weighs(1),
    page: 'Notional and Leverage Brackets',
  }),
  commission: form('GET', '/fapi/v1/commissionRate', {
    name: 'fees of a symbol',
    parameters: ['symbol'],
    ...weighs(20),
    page: 'User Commission Rate',
  }),
  income: form('GET', '/fapi/v1/income', {
    name: 'changes of the wallet',
    parameters: ['startTime', 'endTime', 'page', 'limit'],
    ...weighs(30),
    page: 'Get Income History',
  }),
  setLeverage: form('POST', '/fapi/v1/leverage', {
    name: 'set the leverage of a symbol',
    parameters: ['symbol', 'leverage'],
    ...weighs(1),
    page: 'Change Initial Leverage',
  }),
  setMarginType: form('POST', '/fapi/v1/marginType', {
    name: 'set the margin type of a symbol',
    parameters: ['symbol', 'marginType'],
    ...weighs(1),
    page: 'Change Margin Type',
  }),
  setHedgeMode: form('POST', '/fapi/v1/positionSide/dual', {
    name: 'set hedge mode',
    parameters: ['dualSidePosition'],
    ...weighs(1),
    page: 'Change Position Mode',
  }),
  setMultiAssets: form('POST', '/fapi/v1/multiAssetsMargin', {
    name: 'set multi-assets mode',
    parameters: ['multiAssetsMargin'],
    ...weighs(1),
    page: 'Change Multi-Assets Mode',
  }),
  makeListenKey: form('POST', '/fapi/v1/listenKey', {
    name: 'the key of the user stream',
    security: 'key',
    ...weighs(1),
    page: 'Start User Data Stream',
  }),
  keepListenKey: form('PUT', '/fapi/v1/listenKey', {
    name: 'keep the key of the user stream',
    security: 'key',
    ...weighs(1),
    page: 'Keepalive User Data Stream',
  }),
  endListenKey: form('DELETE', '/fapi/v1/listenKey', {
    name: 'end the key of the user stream',
    security: 'key',
    ...weighs(1),
    page: 'Close User Data Stream',
  }),
  userStream: {
    name: 'the user stream',
    endpoint: 'futures-private',
    method: 'WS',
    path: '/ws',
    parameters: ['listenKey'],
    security: 'none',
    weight: 'none',
    costs: () => [],
    source: `${DOCS} User Data Streams Connect; Important WebSocket Change Notice`,
  },
} as const satisfies Readonly<Record<string, RequestForm>>;

export const FUTURES_REQUESTS: readonly RequestForm[] = Object.values(FUTURES);
