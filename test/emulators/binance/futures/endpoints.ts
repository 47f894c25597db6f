/**
 * REST endpoints of USD-M orders. Source: USD-M "Trade Endpoints" as generated into binance-connector-js
 * (2026-07-24).
 */
import { fixed, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market } from '../market.ts';
import { missing, Params } from '../params.ts';
import { timeWindow } from '../spot/endpoints.ts';
import { type Call, type Endpoint, Refusal } from '../wire.ts';
import { type FuturesAccount, isOpenStatus } from './account.ts';
import type { Algos } from './algos.ts';
import type { ExchangeActs } from './events.ts';
import type { FuturesExchange } from './exchange.ts';
import type { AlgoOrder, FuturesOrder } from './order.ts';
import { priceOf, quantity, readAlgo, readOrder } from './rules.ts';

const SOURCE = 'USD-M "Trade Endpoints"';
const WEEK = 7 * 86_400_000;
/** Time for which cancelled and expired orders without a fill can be queried, ms. */
const UNFILLED_KEPT = 3 * 86_400_000;

export interface FuturesEndpointOptions {
  readonly exchange: FuturesExchange;
  readonly algos: Algos;
  readonly acts: ExchangeActs;
  readonly market: Market;
  readonly now: () => number;
  readonly hiddenMs: () => number;
}

const ORDER_PARAMETERS =
  'symbol! side! positionSide type! timeInForce quantity reduceOnly price newClientOrderId newOrderRespType priceMatch selfTradePreventionMode goodTillDate';
const DONE = { code: 200, msg: 'The operation of cancel all open order is done.' };

export function futuresEndpoints(o: FuturesEndpointOptions): Endpoint[] {
  const { exchange, algos, market, now } = o;
  const { texts } = exchange;
  const account = (call: Call) => exchange.account(call.account);
  const trade = { security: 'signed', right: 'futures', source: SOURCE } as const;
  const read = { security: 'signed', right: 'read', source: SOURCE } as const;
  return [
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/order',
      parameters: ORDER_PARAMETERS,
      weight: () => 0,
      orders: 1,
      handle: (call) => place(account(call), call.params),
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/order/test',
      parameters: ORDER_PARAMETERS,
      weight: () => 0,
      handle: (call) => {
        exchange.check(account(call), readOrder(call.params, market, account(call), now()));
        return {};
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/batchOrders',
      parameters: 'batchOrders!',
      weight: () => 5,
      orders: 1,
      handle: (call) =>
        listOf(call.params, 'batchOrders', 5).map((row) => {
          const pairs = Object.entries(row as Record<string, unknown>).map(
            ([k, v]) => [k, String(v)] as const,
          );
          return softly(() => place(account(call), new Params('futures', pairs)));
        }),
    },
    {
      ...trade,
      method: 'PUT',
      path: '/fapi/v1/order',
      parameters: 'orderId origClientOrderId symbol! side! quantity! price! priceMatch modifyId',
      weight: () => 0,
      orders: 1,
      handle: (call) => {
        const order = one(call, -2013, 'Order does not exist.');
        if (!isOpenStatus(order.status)) throw new Refusal(-2013, 'Order does not exist.');
        const m = market.of(order.symbol);
        if (call.params.required('side') !== order.side) throw new Refusal(-1117, 'Invalid side.');
        exchange.modify(
          account(call),
          order,
          quantity(call.params, m, false),
          priceOf(call.params, 'price', m),
        );
        return {
          ...texts.answer(order),
          pair: m.spec.base + m.spec.quote,
          modifyId: order.amendments.length,
        };
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/orderAmendment',
      parameters: 'symbol! orderId origClientOrderId startTime endTime limit',
      weight: () => 1,
      handle: (call) => {
        const order = one(call, -2013, 'Order does not exist.');
        const price = (value: bigint) => texts.price(order.symbol, value);
        const qty = (value: bigint) => texts.qty(order.symbol, value);
        return order.amendments.map(({ time, was, is }, i) => ({
          amendmentId: order.orderId + i,
          symbol: order.symbol,
          pair: order.symbol,
          orderId: order.orderId,
          clientOrderId: order.clientOrderId,
          time,
          amendment: {
            price: { before: price(was[0]), after: price(is[0]) },
            origQty: { before: qty(was[1]), after: qty(is[1]) },
            count: i + 1,
          },
        }));
      },
    },
    {
      ...trade,
      method: 'DELETE',
      path: '/fapi/v1/order',
      parameters: 'symbol! orderId origClientOrderId',
      weight: () => 1,
      handle: (call) => cancel(one(call, -2011, 'Unknown order sent.')),
    },
    {
      ...trade,
      method: 'DELETE',
      path: '/fapi/v1/allOpenOrders',
      parameters: 'symbol!',
      weight: () => 1,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        for (const order of exchange.openOrders(account(call), spec.symbol)) exchange.cancel(order);
        return DONE;
      },
    },
    {
      ...trade,
      method: 'DELETE',
      path: '/fapi/v1/batchOrders',
      parameters: 'symbol! orderIdList origClientOrderIdList',
      weight: () => 1,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        const byId = call.params.has('orderIdList');
        return listOf(call.params, byId ? 'orderIdList' : 'origClientOrderIdList', 10).map((id) =>
          softly(() => {
            const found = exchange.find(
              account(call),
              spec.symbol,
              byId ? Number(id) : null,
              byId ? null : String(id),
            );
            if (!found) throw new Refusal(-2011, 'Unknown order sent.');
            return cancel(found);
          }),
        );
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/countdownCancelAll',
      parameters: 'symbol! countdownTime!',
      weight: () => 10,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        const ms = call.params.integer('countdownTime') ?? 0;
        o.acts.countdown(account(call), spec.symbol, ms);
        return { symbol: spec.symbol, countdownTime: String(ms) };
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/order',
      parameters: 'symbol! orderId origClientOrderId',
      weight: () => 1,
      handle: (call) => texts.query(shown(one(call, -2013, 'Order does not exist.'))),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/openOrder',
      parameters: 'symbol! orderId origClientOrderId',
      weight: () => 1,
      handle: (call) => {
        const order = one(call, -2013, 'Order does not exist.');
        if (!isOpenStatus(order.status)) throw new Refusal(-2013, 'Order does not exist.');
        return texts.query(order);
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/openOrders',
      parameters: 'symbol',
      weight: (params) => (params.has('symbol') ? 1 : 40),
      handle: (call) =>
        exchange
          .openOrders(account(call), symbolOf(call))
          .filter((order) => now() - order.time >= o.hiddenMs())
          .map((order) => texts.query(order)),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/allOrders',
      parameters: 'symbol orderId startTime endTime limit',
      weight: () => 5,
      handle: (call) => {
        const symbol = symbolOf(call);
        const from = call.params.integer('orderId');
        const within = window(call.params);
        const rows = account(call).orders.all.filter(
          (order) =>
            (symbol === undefined || order.symbol === symbol) &&
            within(order.time) &&
            (from === null || order.orderId >= from) &&
            isKept(order),
        );
        const limit = call.params.limit(500, 1000);
        const first = from !== null || call.params.has('startTime');
        return (first ? rows.slice(0, limit) : rows.slice(-limit)).map((order) => texts.query(order));
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/userTrades',
      parameters: 'symbol! orderId startTime endTime fromId limit',
      weight: () => 5,
      handle: (call) => userTrades(call),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/forceOrders',
      parameters: 'symbol autoCloseType startTime endTime limit',
      weight: (params) => (params.has('symbol') ? 20 : 50),
      handle: (call) => {
        const symbol = symbolOf(call);
        return account(call)
          .orders.all.filter(
            ({ clientOrderId, symbol: s }) =>
              /^(?:autoclose-|adl_autoclose)/.test(clientOrderId) && (symbol === undefined || s === symbol),
          )
          .map((order) => texts.query(order));
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/algoOrder',
      parameters:
        'algoType! symbol! side! type! positionSide timeInForce quantity price triggerPrice workingType priceMatch closePosition priceProtect reduceOnly activatePrice callbackRate clientAlgoId newOrderRespType selfTradePreventionMode goodTillDate',
      weight: () => 0,
      orders: 1,
      handle: (call) =>
        texts.algo(algos.place(account(call), readAlgo(call.params, market, account(call), now()))),
    },
    {
      ...trade,
      method: 'DELETE',
      path: '/fapi/v1/algoOrder',
      parameters: 'algoId clientAlgoId',
      weight: () => 1,
      handle: (call) => {
        const algo = oneAlgo(call, -2011, 'Unknown order sent.');
        algos.cancel(algo);
        return { algoId: algo.algoId, clientAlgoId: algo.clientAlgoId, code: '200', msg: 'success' };
      },
    },
    {
      ...trade,
      method: 'DELETE',
      path: '/fapi/v1/algoOpenOrders',
      parameters: 'symbol!',
      weight: () => 1,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        for (const algo of algos.open(account(call), spec.symbol))
          if (algo.status === 'NEW') algos.cancel(algo);
        return DONE;
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/algoOrder',
      parameters: 'algoId clientAlgoId',
      weight: () => 1,
      handle: (call) => texts.algoRow(oneAlgo(call, -2013, 'Order does not exist.')),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/openAlgoOrders',
      parameters: 'algoType symbol algoId',
      weight: (params) => (params.has('symbol') ? 1 : 40),
      handle: (call) => algos.open(account(call), symbolOf(call)).map((algo) => texts.algoRow(algo)),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/allAlgoOrders',
      parameters: 'symbol! algoId startTime endTime page limit',
      weight: () => 5,
      handle: (call) => {
        const symbol = symbolOf(call);
        const from = call.params.integer('algoId') ?? 0;
        const within = window(call.params);
        return account(call)
          .algos.all.filter(
            (algo) => algo.symbol === symbol && algo.algoId >= from && within(algo.createTime),
          )
          .slice(-call.params.limit(500, 1000))
          .map((algo) => texts.algoRow(algo));
      },
    },
  ];

  function place(mine: FuturesAccount, params: Params): Record<string, unknown> {
    const wish = readOrder(params, market, mine, now());
    const order = exchange.place(mine, wish);
    return wish.respType === 'RESULT' ? texts.answer(order) : texts.ack(order);
  }

  function cancel(order: FuturesOrder): Record<string, unknown> {
    if (!isOpenStatus(order.status)) throw new Refusal(-2011, 'Unknown order sent.');
    exchange.cancel(order);
    return texts.answer(order);
  }

  function symbolOf(call: Call): string | undefined {
    const symbol = call.params.text('symbol');
    return symbol === null ? undefined : market.of(symbol).spec.symbol;
  }

  function one(call: Call, code: number, words: string): FuturesOrder {
    const { params } = call;
    const { spec } = market.of(params.required('symbol'));
    const orderId = params.integer('orderId');
    const client = params.text('origClientOrderId');
    if (orderId === null && client === null)
      throw new Refusal(
        -1102,
        "Mandatory parameter 'orderId' or 'origClientOrderId' was not sent, was empty/null, or malformed.",
      );
    const order = exchange.find(account(call), spec.symbol, orderId, client);
    if (!order) throw new Refusal(code, words);
    return order;
  }

  function shown(order: FuturesOrder): FuturesOrder {
    if (now() - order.time < o.hiddenMs() || !isKept(order))
      throw new Refusal(-2013, 'Order does not exist.');
    return order;
  }

  function isKept(order: FuturesOrder): boolean {
    const isUnfilled = !isOpenStatus(order.status) && order.executed === ZERO;
    return !isUnfilled || now() - order.time < UNFILLED_KEPT;
  }

  function oneAlgo(call: Call, code: number, words: string): AlgoOrder {
    const algoId = call.params.integer('algoId');
    const client = call.params.text('clientAlgoId');
    if (algoId === null && client === null) throw missing('algoId');
    const algo = algos.find(account(call), algoId, client);
    if (!algo || (code === -2013 && now() - algo.createTime < o.hiddenMs())) throw new Refusal(code, words);
    return algo;
  }

  function userTrades(call: Call): unknown {
    const { params } = call;
    const symbol = symbolOf(call) as string;
    const fromId = params.integer('fromId');
    const orderId = params.integer('orderId');
    if (fromId !== null && (params.has('startTime') || params.has('endTime')))
      throw new Refusal(-1128, 'Combination of optional parameters invalid.');
    const within = window(params);
    const { spec } = market.of(symbol);
    const { trades } = account(call);
    const rows = (fromId === null ? trades.of(symbol) : trades.from(symbol, fromId)).filter(
      ({ order, time }) => within(time) && (orderId === null || order.orderId === orderId),
    );
    const limit = params.limit(500, 1000);
    const first = fromId !== null || params.has('startTime');
    return (first ? rows.slice(0, limit) : rows.slice(-limit)).map(({ order, ...t }) => ({
      symbol,
      id: t.id,
      orderId: order.orderId,
      side: order.side,
      price: texts.price(symbol, t.price),
      qty: texts.qty(symbol, t.qty),
      realizedPnl: fixed(t.realized, 8),
      quoteQty: fixed((t.price * t.qty) / 10n ** 30n, 8),
      commission: fixed(t.commission, 8),
      commissionAsset: t.commissionAsset,
      time: t.time,
      positionSide: order.positionSide,
      maker: t.isMaker,
      buyer: order.side === 'BUY',
      marginAsset: spec.quote,
    }));
  }

  /** The time range of a query: at most seven days; without times the last seven. */
  function window(params: Params): (time: number) => boolean {
    const start = params.integer('startTime');
    const end = params.integer('endTime');
    if (start !== null && end !== null && end - start > WEEK)
      throw new Refusal(-4166, 'Search window is restricted to recent 7 days only.');
    if (start === null && end === null) return (time) => time >= now() - WEEK;
    return timeWindow(params, WEEK);
  }
}

/** Handles a row of a batch: a refusal becomes the answer of that row. */
function softly(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.body();
  }
}

function listOf(params: Params, name: string, most: number): unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(params.required(name));
  } catch {
    throw new Refusal(-1130, `Data sent for parameter '${name}' is not valid.`);
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > most)
    throw new Refusal(-1130, `Data sent for parameter '${name}' is not valid.`);
  return list;
}
