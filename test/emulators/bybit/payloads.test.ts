/**
 * Compares the emulator's messages with recordings of the exchange (same fields, same kinds), and checks
 * requests and signatures made elsewhere. Recordings are older than the documents: fields that were added or
 * removed since are listed with their page. They are read from the shared data and are no part of the
 * project.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../../support/shared-data.ts';
import { partedBut } from '../kit/parted.ts';
import { Keys } from './keys.ts';
import { testEmulator } from './support.ts';

type Json = Record<string, unknown>;
const FILE = 'payloads/bybit.json';
const CREATE = '/v5/order/create';
const LIMIT = {
  category: 'linear',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.010',
  price: '59000',
};

/**
 * Fields of one category only (open-order.mdx: "Spot does not have this key"), or mostly empty
 * (execution.mdx).
 */
const parted = partedBut(
  new Set([
    'createType',
    'basePrice',
    'lastPriceOnCreated',
    'ocoTriggerBy',
    'tpslMode',
    'parentOrderLinkId',
    'cursor',
  ]),
);

/**
 * Fields in order/open-order.mdx, order-list.mdx, websocket/private/order.mdx that are newer than the
 * recordings.
 */
const NEW_OF_ORDERS = [
  'cumFeeDetail',
  'marketUnit',
  'slippageToleranceType',
  'slippageTolerance',
  'extraFees',
  'rpiTakerAccess',
  'rpiMatchedQty',
  'isLeverage',
  'closedPnl',
  'feeCurrency',
  'category',
];
const NEW_OF_EXECUTIONS = ['marketUnit', 'extraFees', 'execPnl', 'isLeverage', 'feeCurrency', 'category'];
/** Fields in account/wallet-balance.mdx; the recordings of NT have only those that it reads. */
const NEW_OF_WALLETS = [
  'accountIMRateByMp',
  'accountMMRateByMp',
  'totalInitialMarginByMp',
  'totalMaintenanceMarginByMp',
  'spotHedgingQty',
  'accountType',
  'totalPerpUPL',
  'usdValue',
  'unrealisedPnl',
  'cumRealisedPnl',
  'bonus',
  'locked',
  'collateralSwitch',
  'marginCollateral',
  'totalOrderIM',
  'totalPositionIM',
  'totalPositionMM',
];
const NEW_OF_POSITIONS = [
  'breakEvenPrice',
  'openTime',
  'positionIMByMp',
  'positionMMByMp',
  'sessionAvgPrice',
];

function rig() {
  const all = testEmulator();
  const full = (answer: { text: string }) => JSON.parse(answer.text) as Json;
  return { ...all, full };
}

describe('payloads', () => {
  it(
    'of REST have the recorded fields',
    withShared(FILE, 12, (text) => {
      const { payloads } = JSON.parse(text) as { payloads: Record<string, Json> };
      const { post, get, open, full, emulator } = rig();
      const same = (ours: Json, name: string, less: string[] = [], more: string[] = []) => {
        const recorded = { retExtInfo: {}, time: 0, ...(payloads[name] as Json) };
        // Some recordings leave out the fields around the list.
        expect([name, parted(ours, recorded, less, ['category', 'nextPageCursor', ...more])]).toEqual([
          name,
          [],
        ]);
      };
      emulator.printLinear('BTCUSDT', '60020');
      post(CREATE, { ...LIMIT, orderLinkId: 'rests' });
      post(CREATE, { ...LIMIT, orderType: 'Market', orderLinkId: 'fills' });
      const linear = { category: 'linear', symbol: 'BTCUSDT' };
      same(
        full(open('/v5/market/instruments-info', { category: 'linear' })),
        'http_get_instruments_linear',
        [],
        [
          'symbolId',
          'copyTrading',
          'upperFundingRate',
          'lowerFundingRate',
          'isPreListing',
          'preListingInfo',
          'riskParameters',
          'symbolType',
        ],
      );
      same(
        full(open('/v5/market/instruments-info', { category: 'spot' })),
        'http_get_instruments_spot',
        ['nextPageCursor'],
        [
          'symbolId',
          'stTag',
          'maxLimitOrderQty',
          'maxMarketOrderQty',
          'postOnlyMaxLimitOrderSize',
          'riskParameters',
          'symbolType',
        ],
      );
      same(full(open('/v5/market/kline', { ...linear, interval: '1' })), 'http_get_klines_linear');
      same(full(open('/v5/market/orderbook', linear)), 'http_get_orderbook');
      same(
        full(open('/v5/market/recent-trade', linear)),
        'http_get_trades_recent',
        [],
        ['isRPITrade', 'seq'],
      );
      same(full(open('/v5/market/funding/history', linear)), 'http_get_funding_history');
      same(full(get('/v5/order/realtime', linear)), 'http_get_orders_realtime', [], NEW_OF_ORDERS);
      same(full(get('/v5/order/history', linear)), 'http_get_orders_history', [], NEW_OF_ORDERS);
      same(full(get('/v5/execution/list', linear)), 'http_get_executions', [], NEW_OF_EXECUTIONS);
      same(full(get('/v5/position/list', linear)), 'http_get_positions', [], NEW_OF_POSITIONS);
      same(full(get('/v5/account/info')), 'http_get_account_info');
      // "Derivatives does not have this field" (fee-rate.mdx).
      same(full(get('/v5/account/fee-rate', { category: 'linear' })), 'http_get_fee_rate', ['baseCoin']);
      same(
        full(get('/v5/account/wallet-balance', { accountType: 'UNIFIED' })),
        'http_get_wallet_balance',
        [],
        NEW_OF_WALLETS,
      );
    }),
  );

  it(
    'of streams have the recorded fields',
    withShared(FILE, 12, (text) => {
      const { payloads } = JSON.parse(text) as { payloads: Record<string, Json> };
      const all = rig();
      const { messages, say } = all.userStream();
      const market = all.socket('/v5/public/linear');
      market.say({
        op: 'subscribe',
        args: ['kline.5.BTCUSDT', 'orderbook.1.BTCUSDT', 'publicTrade.BTCUSDT', 'tickers.BTCUSDT'],
        req_id: 'a',
      });
      all.post(CREATE, { ...LIMIT, orderType: 'Market', side: 'Sell', orderLinkId: 'fills' });
      all.post(CREATE, {
        ...LIMIT,
        side: 'Sell',
        price: '59000',
        triggerPrice: '59500',
        triggerDirection: 2,
        orderLinkId: 'waits',
      });
      all.emulator.printLinear('BTCUSDT', '60020');
      const newest = (topic: string, from = messages) =>
        from.filter((message) => message.topic === topic).at(-1);
      const same = (ours: Json, name: string, less: string[] = [], more: string[] = []) =>
        expect([name, parted(ours, payloads[name], less, more)]).toEqual([name, []]);
      same(
        messages.find(({ topic }) => topic === 'order'),
        'ws_account_order_filled',
        [],
        NEW_OF_ORDERS,
      );
      same(newest('order'), 'ws_account_order_stop_limit', [], NEW_OF_ORDERS);
      same(newest('execution'), 'ws_account_execution', [], NEW_OF_EXECUTIONS);
      same(newest('position'), 'ws_account_position', [], NEW_OF_POSITIONS);
      // NT's wallet frames spell it totalPerpUpl; the page and REST totalPerpUPL.
      same(newest('wallet'), 'ws_account_wallet', ['totalPerpUpl'], NEW_OF_WALLETS);
      same(newest('kline.5.BTCUSDT', market.messages), 'ws_kline');
      same(newest('orderbook.1.BTCUSDT', market.messages), 'ws_orderbook_snapshot', [], ['cts']);
      same(newest('publicTrade.BTCUSDT', market.messages), 'ws_public_trade', [], ['L', 'RPI', 'seq']);
      same(
        market.messages.find(({ topic }) => topic === 'tickers.BTCUSDT'),
        'ws_ticker_linear',
        [],
        ['fundingCap', 'preOpenPrice', 'preQty', 'curPreListingPhase'],
      );
      same(market.messages[0], 'ws_subscription_ack');
      say({ op: 'subscribe', args: ['invalid.topic.BTCUSDT'] });
      same(messages.at(-1), 'ws_subscription_failure');
      expect(messages.at(-1).ret_msg).toBe((payloads.ws_subscription_failure as Json).ret_msg);
    }),
  );
});

interface Row {
  readonly venue: string;
  readonly market: string;
  readonly intent: string;
  readonly method: string;
  readonly path: string;
  readonly params?: { readonly body?: Json } & Json;
  readonly localError?: string;
}

/**
 * The exchange's answers to requests that are correct, but not possible at this moment (or that ccxt itself
 * gets wrong).
 */
const IN_ORDER: Readonly<Record<string, number>> = {
  'MARKET SELL reduceOnly': 110_017,
  'STOP_MARKET SELL (stopLossPrice)': 110_017,
  'hedge SELL closes LONG': 10_001,
  'cancel by client id': 10_001,
  // Sent without tpslMode and positionIdx, which the page marks required (facts-bybit-okx 3).
  'trailing stop': 10_001,
};

describe('requests', () => {
  it(
    'are taken as ccxt sends them',
    withShared('payloads/request-shapes-ccxt.json', 17, (text) => {
      const { rows } = JSON.parse(text) as { rows: Row[] };
      const ours = rows.filter(({ venue, localError }) => venue === 'bybit' && localError === undefined);
      expect(ours.length).toBeGreaterThan(14);
      for (const { method, path, market, intent, params = {} } of ours) {
        const all = testEmulator({ unknownNames: 'ignore' });
        all.emulator.printLinear('BTCUSDT', '30000');
        if (path === '/v5/execution/list') delete (params as Json).startTime;
        const answer =
          method === 'GET'
            ? all.get(path, params as unknown as Record<string, string>)
            : all.post(path, closer(params.body ?? {}));
        expect([market, intent, answer.retCode, answer.retMsg]).toEqual([
          market,
          intent,
          IN_ORDER[intent] ?? 0,
          answer.retMsg,
        ]);
      }
    }),
  );

  it(
    'are signed as others sign them',
    withShared('payloads/signing-vectors.json', 2, (text) => {
      const { vectors } = JSON.parse(text) as {
        vectors: {
          venue: string;
          kind: string;
          payload: string;
          signature?: string;
          frame?: { args: unknown[] };
        }[];
      };
      const keys = new Keys([{ apiKey: 'APIKEY', secret: 'SECRET' }]);
      const mine = vectors.filter(({ venue }) => venue === 'bybit');
      expect(mine).toHaveLength(3);
      for (const { payload, signature, frame } of mine) {
        const sign = signature ?? String(frame?.args[2]);
        expect(keys.isSigned(keys.of('APIKEY'), payload, sign)).toBe(true);
        expect(keys.isSigned(keys.of('APIKEY'), `${payload}0`, sign)).toBe(false);
      }
    }),
  );
});

/** Moves the prices of a request inside the band. */
function closer(body: Json): Json {
  return body.price === '70000' ? { ...body, price: '60100' } : body;
}
