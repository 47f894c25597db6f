/**
 * REST endpoints of the spot exchange, one row each. Source: binance-spot-api-docs rest-api.md, unless a row
 * names another.
 */
import { fixed, ZERO } from '../../../../src/domain/decimal.ts';
import type { Limits } from '../limits.ts';
import type { Market } from '../market.ts';
import { missing, type Params } from '../params.ts';
import { infoRow } from '../symbols.ts';
import { type Call, type Endpoint, Refusal } from '../wire.ts';
import type { SpotExchange } from './exchange.ts';
import { cancelled, isOpen, placed, queried, type SpotOrder } from './order.ts';
import { clientId, readWish } from './rules.ts';

const DOCS = 'binance-spot-api-docs rest-api.md';
const DAY = 86_400_000;

export interface SpotEndpointOptions {
  readonly exchange: SpotExchange;
  readonly market: Market;
  readonly limits: Limits;
  readonly now: () => number;
  /** Time for which a new order cannot be queried, ms. */
  readonly hiddenMs: () => number;
}

export const ORDER_PARAMETERS =
  'symbol! side! type! timeInForce quantity quoteOrderQty price newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode';

export function spotEndpoints(o: SpotEndpointOptions): Endpoint[] {
  const { exchange, market, now } = o;
  const account = (call: Call) => exchange.account(call.account);
  const signed = { security: 'signed', source: DOCS } as const;
  return [
    {
      method: 'GET',
      path: '/api/v3/ping',
      security: 'none',
      parameters: '',
      weight: () => 1,
      source: DOCS,
      handle: () => ({}),
    },
    {
      method: 'GET',
      path: '/api/v3/time',
      security: 'none',
      parameters: '',
      weight: () => 1,
      source: DOCS,
      handle: () => ({ serverTime: now() }),
    },
    {
      method: 'GET',
      path: '/api/v3/exchangeInfo',
      security: 'none',
      parameters: 'symbol symbols permissions showPermissionSets symbolStatus',
      weight: () => 20,
      source: DOCS,
      handle: ({ params }) => ({
        timezone: 'UTC',
        serverTime: now(),
        rateLimits: [
          ...o.limits.rows(now()),
          { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: 300_000 },
        ],
        exchangeFilters: [],
        symbols: chosen(params, market).map((symbol) => infoRow('spot', market.of(symbol).spec)),
      }),
    },
    {
      ...signed,
      method: 'POST',
      path: '/api/v3/order',
      right: 'spot',
      parameters: ORDER_PARAMETERS,
      weight: () => 1,
      weightOfSuccess: 0,
      orders: 1,
      handle: (call) => {
        const wish = readWish(call.params, market);
        return placed(exchange.place(account(call), wish), wish.respType);
      },
    },
    {
      ...signed,
      method: 'POST',
      path: '/api/v3/order/test',
      right: 'spot',
      parameters: `${ORDER_PARAMETERS} computeCommissionRates`,
      weight: () => 1,
      handle: (call) => {
        exchange.check(account(call), readWish(call.params, market));
        return {};
      },
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/order',
      right: 'read',
      parameters: 'symbol! orderId origClientOrderId',
      weight: () => 4,
      handle: (call) => queried(found(call, -2013, 'Order does not exist.')),
    },
    {
      ...signed,
      method: 'DELETE',
      path: '/api/v3/order',
      right: 'spot',
      parameters: 'symbol! orderId origClientOrderId newClientOrderId cancelRestrictions',
      weight: () => 1,
      weightOfSuccess: 0,
      handle: (call) => cancelOne(call),
    },
    {
      ...signed,
      method: 'DELETE',
      path: '/api/v3/openOrders',
      right: 'spot',
      parameters: 'symbol!',
      weight: () => 1,
      weightOfSuccess: 0,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        const open = exchange.openOrders(account(call), spec.symbol);
        if (open.length === 0) throw new Refusal(-2011, 'Unknown order sent.');
        return open.map((order) => cancelled(order, exchange.cancel(order)));
      },
    },
    {
      ...signed,
      method: 'POST',
      path: '/api/v3/order/cancelReplace',
      right: 'spot',
      parameters: `${ORDER_PARAMETERS} cancelReplaceMode! cancelNewClientOrderId cancelOrigClientOrderId cancelOrderId cancelRestrictions orderRateLimitExceededMode`,
      weight: () => 1,
      weightOfSuccess: 0,
      orders: 1,
      handle: (call) => cancelReplace(call),
    },
    {
      ...signed,
      method: 'PUT',
      path: '/api/v3/order/amend/keepPriority',
      right: 'spot',
      parameters: 'symbol! orderId origClientOrderId newClientOrderId newQty!',
      weight: () => 4,
      weightOfSuccess: 0,
      handle: (call) => amend(call),
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/order/amendments',
      right: 'read',
      parameters: 'symbol! orderId! fromExecutionId limit',
      weight: () => 4,
      handle: (call) => {
        const order = found(call, -2013, 'Order does not exist.');
        return order.amendments.map(({ time, was, is, origId, newId }, i) => ({
          symbol: order.symbol,
          orderId: order.orderId,
          executionId: i + 1,
          origClientOrderId: origId,
          newClientOrderId: newId,
          origQty: eight(was),
          newQty: eight(is),
          time,
        }));
      },
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/openOrders',
      right: 'read',
      parameters: 'symbol',
      weight: (params) => (params.has('symbol') ? 6 : 80),
      handle: (call) => {
        const symbol = call.params.text('symbol') ?? undefined;
        if (symbol !== undefined) market.of(symbol);
        return exchange
          .openOrders(account(call), symbol)
          .filter((order) => !isHidden(order))
          .map(queried);
      },
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/allOrders',
      right: 'read',
      parameters: 'symbol! orderId startTime endTime limit',
      weight: () => 20,
      handle: (call) => {
        const { params } = call;
        const { spec } = market.of(params.required('symbol'));
        const within = timeWindow(params, DAY);
        const from = params.integer('orderId');
        const limit = params.limit(500, 1000);
        const rows = account(call).orders.all.filter(
          (order) =>
            order.symbol === spec.symbol && within(order.time) && (from === null || order.orderId >= from),
        );
        return (from === null && !params.has('startTime') ? rows.slice(-limit) : rows.slice(0, limit)).map(
          queried,
        );
      },
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/myTrades',
      right: 'read',
      parameters: 'symbol! orderId startTime endTime fromId limit',
      weight: (params) => (params.has('orderId') ? 5 : 20),
      handle: (call) => myTrades(call),
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/account',
      right: 'read',
      parameters: 'omitZeroBalances',
      weight: () => 20,
      handle: (call) => accountBody(call),
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/account/commission',
      right: 'read',
      parameters: 'symbol!',
      weight: () => 20,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        const { maker, taker, paysInBnb } = account(call);
        const none = { maker: eight(ZERO), taker: eight(ZERO), buyer: eight(ZERO), seller: eight(ZERO) };
        return {
          symbol: spec.symbol,
          standardCommission: { ...none, maker: eight(maker), taker: eight(taker) },
          specialCommission: none,
          taxCommission: none,
          discount: {
            enabledForAccount: paysInBnb,
            enabledForSymbol: true,
            discountAsset: 'BNB',
            discount: '0.75000000',
          },
        };
      },
    },
    {
      ...signed,
      method: 'GET',
      path: '/api/v3/rateLimit/order',
      right: 'read',
      parameters: '',
      weight: () => 40,
      handle: (call) => o.limits.rows(now(), call.account).filter((row) => row.rateLimitType === 'ORDERS'),
    },
  ];

  function isHidden(order: SpotOrder): boolean {
    return now() - order.time < o.hiddenMs();
  }

  function found(call: Call, code: number, words: string): SpotOrder {
    const { params } = call;
    const { spec } = market.of(params.required('symbol'));
    const orderId = params.integer('orderId');
    const client = params.text('origClientOrderId');
    if (orderId === null && client === null)
      throw new Refusal(
        -1102,
        "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!",
      );
    const order = exchange.find(account(call), spec.symbol, orderId, client);
    if (!order || (code === -2013 && isHidden(order))) throw new Refusal(code, words);
    return order;
  }

  function cancelOne(call: Call): Record<string, unknown> {
    const id = clientId(call.params, 'newClientOrderId') ?? undefined;
    const order = found(call, -2011, 'Unknown order sent.');
    if (!isOpen(order)) throw new Refusal(-2011, 'Unknown order sent.');
    const restriction = call.params.oneOf(
      'cancelRestrictions',
      ['ONLY_NEW', 'ONLY_PARTIALLY_FILLED'],
      'cancelRestrictions',
    );
    if (restriction !== null && restriction !== `ONLY_${order.status}`)
      throw new Refusal(-2011, 'Order was not canceled due to cancel restrictions.');
    return cancelled(order, exchange.cancel(order, id));
  }

  /**
   * Cancels and replaces an order: filters are checked before anything happens; then the mode decides which
   * failure stops the rest (facts C 4).
   */
  function cancelReplace(call: Call): unknown {
    const { params } = call;
    const mode = params.oneOf('cancelReplaceMode', ['STOP_ON_FAILURE', 'ALLOW_FAILURE'], 'cancelReplaceMode');
    const wish = readWish(params, market);
    const { spec } = market.of(wish.symbol);
    const id = params.integer('cancelOrderId');
    const client = params.text('cancelOrigClientOrderId');
    if (id === null && client === null) throw missing('cancelOrderId');
    const old = exchange.find(account(call), spec.symbol, id, client);
    const gone = new Refusal(-2011, 'Unknown order sent.');
    const isThere = old !== null && isOpen(old);
    try {
      exchange.check(account(call), wish, isThere ? old : undefined);
    } catch (error) {
      if (error instanceof Refusal && error.code === -1013) throw error;
    }
    const cancelResponse = isThere
      ? cancelled(old, exchange.cancel(old, clientId(params, 'cancelNewClientOrderId') ?? undefined))
      : gone.body();
    const cancelResult = isThere ? 'SUCCESS' : 'FAILURE';
    if (!isThere && mode === 'STOP_ON_FAILURE') {
      const data = { cancelResult, newOrderResult: 'NOT_ATTEMPTED', cancelResponse, newOrderResponse: null };
      throw new Refusal(-2022, 'Order cancel-replace failed.', 400, {}, data);
    }
    try {
      const newOrderResponse = placed(exchange.place(account(call), wish), wish.respType);
      if (isThere) return { cancelResult, newOrderResult: 'SUCCESS', cancelResponse, newOrderResponse };
      const data = { cancelResult, newOrderResult: 'SUCCESS', cancelResponse, newOrderResponse };
      throw new Refusal(-2021, 'Order cancel-replace partially failed.', 409, {}, data);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === -2021) throw error;
      const data = {
        cancelResult,
        newOrderResult: 'FAILURE',
        cancelResponse,
        newOrderResponse: error.body(),
      };
      throw isThere
        ? new Refusal(-2021, 'Order cancel-replace partially failed.', 409, {}, data)
        : new Refusal(-2022, 'Order cancel-replace failed.', 400, {}, data);
    }
  }

  function amend(call: Call): unknown {
    const { params } = call;
    const newId = clientId(params, 'newClientOrderId');
    const order = found(call, -2013, 'Order does not exist.');
    if (!isOpen(order)) throw new Refusal(-2038, 'Order could not be amended, as it is not open.');
    const { spec, step } = market.of(order.symbol);
    const qty = params.positive('newQty') ?? ZERO;
    if (qty % step !== ZERO) throw new Refusal(-1013, 'Filter failure: LOT_SIZE');
    if (order.amendments.length >= (spec.maxAmends ?? 10))
      throw new Refusal(-1013, 'Filter failure: MAX_NUM_ORDER_AMENDS');
    const was = exchange.amend(order, qty, newId);
    return {
      transactTime: order.updateTime,
      executionId: order.executionId,
      amendedOrder: {
        symbol: order.symbol,
        orderId: order.orderId,
        orderListId: -1,
        origClientOrderId: was,
        clientOrderId: order.clientOrderId,
        price: eight(order.price),
        qty: eight(order.qty),
        executedQty: eight(order.executed),
        preventedQty: eight(ZERO),
        quoteOrderQty: eight(order.quoteQty),
        cumulativeQuoteQty: eight(order.quote),
        status: order.status,
        timeInForce: order.timeInForce,
        type: order.type,
        side: order.side,
        workingTime: order.workingTime,
        selfTradePreventionMode: order.stp,
      },
    };
  }

  function myTrades(call: Call): unknown {
    const { params } = call;
    const { spec } = market.of(params.required('symbol'));
    const orderId = params.integer('orderId');
    const fromId = params.integer('fromId');
    const hasTimes = params.has('startTime') || params.has('endTime');
    if (hasTimes && (fromId !== null || orderId !== null))
      throw new Refusal(-1128, 'Combination of optional parameters invalid.');
    const within = timeWindow(params, DAY);
    const limit = params.limit(500, 1000);
    const { trades } = account(call);
    const rows = (fromId === null ? trades.of(spec.symbol) : trades.from(spec.symbol, fromId)).filter(
      ({ order, time }) => within(time) && (orderId === null || order.orderId === orderId),
    );
    const part = fromId === null && !params.has('startTime') ? rows.slice(-limit) : rows.slice(0, limit);
    return part.map(({ order, ...fill }) => ({
      symbol: order.symbol,
      id: fill.id,
      orderId: order.orderId,
      orderListId: -1,
      price: eight(fill.price),
      qty: eight(fill.qty),
      quoteQty: eight((fill.price * fill.qty) / 10n ** 30n),
      commission: eight(fill.commission),
      commissionAsset: fill.commissionAsset,
      time: fill.time,
      isBuyer: order.side === 'BUY',
      isMaker: fill.isMaker,
      isBestMatch: true,
    }));
  }

  function accountBody(call: Call): unknown {
    const mine = account(call);
    const omits = call.params.flag('omitZeroBalances') ?? false;
    const rate = (value: bigint) => Number(fixed(value * 10_000n, 0));
    return {
      makerCommission: rate(mine.maker),
      takerCommission: rate(mine.taker),
      buyerCommission: 0,
      sellerCommission: 0,
      commissionRates: {
        maker: eight(mine.maker),
        taker: eight(mine.taker),
        buyer: eight(ZERO),
        seller: eight(ZERO),
      },
      canTrade: true,
      canWithdraw: true,
      canDeposit: true,
      brokered: false,
      requireSelfTradePrevention: false,
      preventSor: false,
      updateTime: mine.updateTime,
      accountType: 'SPOT',
      balances: [...mine.wallets]
        .filter(([, { free, locked }]) => !omits || free !== ZERO || locked !== ZERO)
        .map(([asset, { free, locked }]) => ({ asset, free: eight(free), locked: eight(locked) })),
      permissions: ['SPOT'],
      uid: mine.uid,
    };
  }
}

const eight = (value: bigint): string => fixed(value, 8);

/** The symbols of a public request: one, a JSON list, or all. Throws Refusal. */
export function chosen(params: Params, market: Market): string[] {
  const one = params.text('symbol');
  const list = params.text('symbols');
  if (one !== null && list !== null) throw new Refusal(-1128, 'Combination of optional parameters invalid.');
  if (one !== null) return [market.of(one).spec.symbol];
  if (list === null) return [...market.symbols.keys()];
  let names: unknown;
  try {
    names = JSON.parse(list);
  } catch {
    throw new Refusal(
      -1100,
      "Illegal characters found in parameter 'symbols'; legal range is '^\\[(\"[\\w\\-._&&[^a-z]]{1,50}\")?\\]$'.",
    );
  }
  if (!Array.isArray(names)) throw new Refusal(-1100, "Illegal characters found in parameter 'symbols'.");
  return names.map((name) => market.of(String(name)).spec.symbol);
}

/** The time range of a query. Throws Refusal -1127 if both times are given and too far apart. */
export function timeWindow(params: Params, longest: number): (time: number) => boolean {
  const start = params.integer('startTime');
  const end = params.integer('endTime');
  if (start !== null && end !== null && end - start > longest)
    throw new Refusal(-1127, `More than ${longest / 3_600_000} hours between startTime and endTime.`);
  const last = end ?? (start === null ? Number.POSITIVE_INFINITY : start + longest);
  return (time) => time >= (start ?? 0) && time <= last;
}
