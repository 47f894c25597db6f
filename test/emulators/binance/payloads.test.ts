/**
 * Compares the emulator's messages with recordings of the exchange: the same fields, of the same kind. Every
 * difference is listed with its reason. The recordings are read from the shared data and are no part of the
 * project.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../../support/shared-data.ts';
import { partedBut } from '../kit/parted.ts';
import { testEmulator } from './support.ts';

type Json = Record<string, unknown>;
interface Payloads {
  readonly spot: Record<string, Record<string, Json>>;
  readonly usdm: Record<string, Record<string, Json>>;
}

const FILE = 'payloads/binance.json';

/** Fields that recordings have only where they apply; `connector` examples show all of them at once. */
const SOMETIMES = new Set(
  'preventedMatchId preventedQuantity strategyId strategyType trailingDelta trailingTime usedSor workingFloor pegPriceType pegOffsetType pegOffsetValue peggedPrice expiryReason icebergQty stopPrice'.split(
    ' ',
  ),
);

const parted = partedBut(SOMETIMES);

const LIMIT = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: '0.01',
  price: '59000',
};

describe('spot', () => {
  it(
    'answers with the recorded fields',
    withShared(FILE, 14, (text) => {
      const { spot } = JSON.parse(text) as Payloads;
      const { signed } = testEmulator();
      const order = (form: string) =>
        signed('POST', '/api/v3/order', {
          symbol: 'BTCUSDT',
          side: 'BUY',
          type: 'MARKET',
          quantity: '0.01',
          newOrderRespType: form,
        }).body;
      for (const form of ['ACK', 'RESULT', 'FULL'])
        expect(parted(order(form), spot.rest_order_responses?.[form])).toEqual([]);
      const a = signed('POST', '/api/v3/order', { ...LIMIT, newClientOrderId: 'a' });
      const rest = spot.rest_account ?? {};
      const trade = spot.rest_trade ?? {};
      expect(a.status).toBe(200);
      expect(
        parted(
          signed('GET', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' }).body,
          rest.getOrder,
        ),
      ).toEqual([]);
      expect(parted(signed('GET', '/api/v3/openOrders').body, rest.getOpenOrders)).toEqual([]);
      expect(parted(signed('GET', '/api/v3/allOrders', { symbol: 'BTCUSDT' }).body, rest.allOrders)).toEqual(
        [],
      );
      expect(parted(signed('GET', '/api/v3/myTrades', { symbol: 'BTCUSDT' }).body, rest.myTrades)).toEqual(
        [],
      );
      expect(parted(signed('GET', '/api/v3/account').body, rest.getAccount)).toEqual([]);
      expect(
        parted(
          signed('GET', '/api/v3/account/commission', { symbol: 'BTCUSDT' }).body,
          rest.accountCommission,
        ),
      ).toEqual([]);
      expect(parted(signed('GET', '/api/v3/rateLimit/order').body, rest.rateLimitOrder)).toEqual([]);
      const amended = signed('PUT', '/api/v3/order/amend/keepPriority', {
        symbol: 'BTCUSDT',
        origClientOrderId: 'a',
        newQty: '0.009',
        newClientOrderId: 'b',
      });
      // An order outside a list has no list status.
      expect(parted(amended.body, trade.orderAmendKeepPriority, ['listStatus'])).toEqual([]);
      const replaced = signed('POST', '/api/v3/order/cancelReplace', {
        ...LIMIT,
        cancelReplaceMode: 'STOP_ON_FAILURE',
        cancelOrigClientOrderId: 'b',
        newClientOrderId: 'c',
      });
      expect(parted(replaced.body, trade.orderCancelReplace)).toEqual([]);
      expect(
        parted(
          signed('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'c' }).body,
          trade.deleteOrder,
        ),
      ).toEqual([]);
      signed('POST', '/api/v3/order', LIMIT);
      expect(
        parted(signed('DELETE', '/api/v3/openOrders', { symbol: 'BTCUSDT' }).body, trade.deleteOpenOrders),
      ).toEqual([]);
    }),
  );

  it(
    'tells of orders and balances with the recorded fields',
    withShared(FILE, 4, (text) => {
      const recorded = (JSON.parse(text) as Payloads).spot;
      const { emulator, signed, userStream } = testEmulator();
      const { messages } = userStream();
      signed('POST', '/api/v3/order', LIMIT);
      emulator.printSpot('BTCUSDT', '58000');
      emulator.spot.transfer('main', 'USDT', 10n ** 30n);
      const stream = recorded.user_stream_ws_api ?? {};
      const reports = messages.filter(({ event }) => event?.e === 'executionReport');
      expect(parted(reports[0], stream.executionReport)).toEqual([]);
      expect(parted(reports[1], stream.executionReport)).toEqual([]);
      for (const name of ['outboundAccountPosition', 'balanceUpdate'])
        expect(
          parted(
            messages.find(({ event }) => event?.e === name),
            stream[name],
          ),
        ).toEqual([]);
      const answer = recorded.ws_api_session?.userDataStreamSubscribeSignature;
      expect(parted(messages[0], answer, [], ['rateLimits'])).toEqual(['.id is number, recorded string']);
    }),
  );

  it(
    'streams the market with the recorded fields',
    withShared(FILE, 6, (text) => {
      const recorded = (JSON.parse(text) as Payloads).spot.market_streams ?? {};
      const { emulator, socket } = testEmulator();
      const { messages, session } = socket('/ws');
      const names = {
        aggTrade: 'aggTrade',
        trade: 'trade',
        kline_1m: 'kline',
        bookTicker: 'bookTicker',
        miniTicker: '24hrMiniTicker',
        ticker: '24hrTicker',
        depth5: 'partialDepth',
        depth: 'depthUpdate',
      };
      session.message(
        JSON.stringify({
          method: 'SUBSCRIBE',
          params: Object.keys(names).map((name) => `btcusdt@${name}`),
          id: 1,
        }),
      );
      emulator.printSpot('BTCUSDT', '60001');
      emulator.spotStreams.second();
      for (const name of Object.values(names)) {
        const ours = messages.find(
          (message) =>
            (message.e ?? (message.u ? 'bookTicker' : 'partialDepth')) === name && message.result !== null,
        );
        expect([name, parted(ours, recorded[name])]).toEqual([name, []]);
      }
    }),
  );
});

describe('USD-M', () => {
  it(
    'answers with the recorded fields',
    withShared(FILE, 16, (text) => {
      const { usdm } = JSON.parse(text) as Payloads;
      const trade = usdm.rest_trade ?? {};
      const account = usdm.rest_account ?? {};
      const { emulator, signed, ask } = testEmulator();
      const placed = signed('POST', '/fapi/v1/order', { ...LIMIT, newClientOrderId: 'a' }).body;
      expect(parted(placed, trade.newOrder)).toEqual([]);
      // The recorded order is a trailing one of the old order family.
      const trailing = ['activatePrice', 'priceRate'];
      expect(
        parted(
          signed('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' }).body,
          trade.queryOrder,
          trailing,
        ),
      ).toEqual([]);
      expect(parted(signed('GET', '/fapi/v1/openOrders').body, trade.currentAllOpenOrders, trailing)).toEqual(
        [],
      );
      const modified = signed('PUT', '/fapi/v1/order', {
        symbol: 'BTCUSDT',
        side: 'BUY',
        origClientOrderId: 'a',
        quantity: '0.02',
        price: '59000',
      });
      expect(parted(modified.body, trade.modifyOrder)).toEqual([]);
      expect(
        parted(
          signed('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'a' }).body,
          trade.cancelOrder,
          trailing,
        ),
      ).toEqual([]);
      signed('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
      const stop = {
        algoType: 'CONDITIONAL',
        symbol: 'BTCUSDT',
        side: 'SELL',
        type: 'STOP_MARKET',
        quantity: '0.01',
        triggerPrice: '58000',
        clientAlgoId: 's',
      };
      expect(parted(signed('POST', '/fapi/v1/algoOrder', stop).body, trade.newAlgoOrder)).toEqual([]);
      expect(
        parted(
          signed('GET', '/fapi/v1/openAlgoOrders').body,
          trade.currentAllAlgoOpenOrders,
          [],
          ['activatePrice', 'callbackRate', 'actualQty', 'actualType'],
        ),
      ).toEqual([]);
      expect(
        parted(signed('DELETE', '/fapi/v1/algoOrder', { clientAlgoId: 's' }).body, trade.cancelAlgoOrder),
      ).toEqual([]);
      expect(
        parted(
          signed('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT' }).body,
          trade.accountTradeList,
          [],
          ['marginAsset'],
        ),
      ).toEqual([]);
      expect(
        parted(
          signed('GET', '/fapi/v2/positionRisk', { symbol: 'BTCUSDT' }).body,
          trade.positionInformationV2,
        ),
      ).toEqual([]);
      expect(parted(signed('GET', '/fapi/v3/positionRisk').body, trade.positionInformationV3)).toEqual([]);
      expect(
        parted(
          signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '5' }).body,
          trade.changeInitialLeverage,
        ),
      ).toEqual([]);
      expect(
        parted(
          signed('POST', '/fapi/v1/countdownCancelAll', { symbol: 'BTCUSDT', countdownTime: '1000' }).body,
          trade.autoCancelAllOpenOrders,
        ),
      ).toEqual([]);
      expect(parted(signed('GET', '/fapi/v3/account').body, account.accountInformationV3)).toEqual([]);
      expect(parted(signed('GET', '/fapi/v2/account').body, account.accountInformationV2)).toEqual([]);
      expect(parted(signed('GET', '/fapi/v3/balance').body, account.futuresAccountBalanceV3)).toEqual([]);
      expect(
        parted(signed('GET', '/fapi/v1/accountConfig').body, account.futuresAccountConfiguration),
      ).toEqual([]);
      expect(parted(signed('GET', '/fapi/v1/symbolConfig').body, account.symbolConfiguration)).toEqual([]);
      expect(parted(signed('GET', '/fapi/v1/income').body, account.getIncomeHistory)).toEqual([]);
      expect(
        parted(
          signed('GET', '/fapi/v1/commissionRate', { symbol: 'BTCUSDT' }).body,
          account.userCommissionRate,
        ),
      ).toEqual([]);
      expect(
        parted(ask('GET', '/fapi/v1/premiumIndex', { symbol: 'BTCUSDT' }).body, usdm.market_rest?.markPrice),
      ).toEqual([]);
      emulator.printFutures('BTCUSDT', '60000');
    }),
  );

  it(
    'tells of orders and positions with the recorded fields',
    withShared(FILE, 6, (text) => {
      const { user_stream: stream = {}, user_stream_edge: edge = {} } = (JSON.parse(text) as Payloads).usdm;
      const { emulator, signed, ask, socket } = testEmulator();
      const { listenKey } = ask('POST', '/fapi/v1/listenKey').body;
      const { messages } = socket(`/private/ws?listenKey=${listenKey}`);
      signed('POST', '/fapi/v1/order', { symbol: 'DOGEUSDT', side: 'BUY', type: 'MARKET', quantity: '1000' });
      signed('POST', '/fapi/v1/algoOrder', {
        algoType: 'CONDITIONAL',
        symbol: 'DOGEUSDT',
        side: 'SELL',
        type: 'STOP_MARKET',
        quantity: '100',
        triggerPrice: '0.09',
      });
      emulator.printFutures('DOGEUSDT', '0.0899');
      const first = (e: string, x?: string) =>
        messages.find(
          (message) => message.e === e && (x === undefined || (message.o.x ?? message.o.X) === x),
        );
      // The recorded events come from orders of the old family (AP, cr) and from before 2026-05 (pm, gtd,
      // er).
      const newer = ['pm', 'gtd', 'er', 'ma'];
      expect(
        parted(first('ORDER_TRADE_UPDATE', 'TRADE'), stream.order_update_trade, ['AP', 'cr'], newer),
      ).toEqual([]);
      expect(
        parted(first('ORDER_TRADE_UPDATE', 'NEW'), stream.order_update_new, ['AP', 'cr', 'n', 'N'], newer),
      ).toEqual([]);
      expect(parted(first('ACCOUNT_UPDATE'), stream.account_update, [], newer)).toEqual([]);
      expect(parted(first('TRADE_LITE'), stream.trade_lite)).toEqual([]);
      const algo = (name: string) => (edge[name] as { data: Json }).data;
      expect(parted(first('ALGO_UPDATE', 'TRIGGERING'), algo('ws_futures_algo_update_triggering'))).toEqual(
        [],
      );
      expect(parted(first('ALGO_UPDATE', 'TRIGGERED'), algo('ws_futures_algo_update_triggered'))).toEqual([]);
      expect(parted(first('ALGO_UPDATE', 'FINISHED'), algo('ws_futures_algo_update_finished'))).toEqual([]);
      // `ap`, `aq`, `act` come with a child only; `rm` with a refusal.
      expect(parted(first('ALGO_UPDATE', 'NEW'), stream.algo_update_new, ['ap', 'aq', 'act', 'rm'])).toEqual(
        [],
      );
    }),
  );
});

describe('exchangeInfo', () => {
  interface Info {
    readonly symbols: (Json & { readonly filters: Json[] })[];
  }
  const filtersOf = (symbol: { readonly filters: Json[] }) =>
    Object.fromEntries(symbol.filters.map((filter) => [String(filter.filterType), filter]));

  it.each([
    // Fields newer than the recording of 2024, by the change log.
    [
      'spot',
      '/api/v3/exchangeInfo',
      'markets/binance-spot-exchangeInfo.json',
      ['opoAllowed', 'amendAllowed', 'pegInstructionsAllowed', 'MAX_NUM_ORDER_LISTS', 'MAX_NUM_ORDER_AMENDS'],
    ],
    // The recording has no null fields, and POSITION_RISK_CONTROL lost its own.
    [
      'futures',
      '/fapi/v1/exchangeInfo',
      'markets/binance-usdm-exchangeInfo.json',
      ['positionControlSide', 'endTime', 'maxMoveOrderLimit', 'permissionSets'],
    ],
  ] as const)('of %s has the recorded fields and filters', (_, path, file, more) =>
    withShared(file, 1, (text) => {
      const [recorded] = (JSON.parse(text) as Info).symbols;
      const [ours] = testEmulator().ask('GET', path).body.symbols;
      if (!recorded) throw new Error('nothing is recorded');
      expect(parted(ours, recorded, [], more)).toEqual([]);
      expect(parted(filtersOf(ours), filtersOf(recorded), [], more)).toEqual([]);
    })(),
  );
});
