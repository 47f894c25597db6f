/**
 * Compares the emulator's answers with payloads recorded elsewhere: every recorded field is here, of the same
 * kind and, if it is one of a few words, with one of them. Some recordings were made by hand (algo states,
 * sources): those words are skipped.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../../support/shared-data.ts';
import { testEmulator } from './support.ts';

type Row = Record<string, unknown>;
interface Recorded {
  readonly payloads: Record<string, { data?: unknown[] } & Row>;
}

/**
 * Fields that the documents of 2026-06 do not have: of another date, or of a stream fixture copied from REST.
 */
const GONE: ReadonlySet<string> = new Set([
  'http_balance_detail_new_fields maxSpotInUseAmt',
  'http_get_instruments_swap maxPlatOILmt',
  'http_get_instruments_swap posLmtAmt',
  'http_get_instruments_swap posLmtPct',
  'http_get_trade_fee_response uly',
  'ws_orders cancelSourceReason',
  'ws_orders_fok cancelSourceReason',
]);

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;

/** Fields of the recorded row that are missing here, or have another kind. */
function differences(payload: string, recorded: Row, ours: Row | undefined): string[] {
  if (ours === undefined) return ['no row'];
  return Object.entries(recorded).flatMap(([name, value]) => {
    if (GONE.has(`${payload} ${name}`)) return [];
    if (!(name in ours)) return [`${name} is missing`];
    return kindOf(value) === kindOf(ours[name])
      ? []
      : [`${name} is ${kindOf(ours[name])}, not ${kindOf(value)}`];
  });
}

/** An emulator in which each kind of event has happened. */
function scene() {
  const all = testEmulator({ limitFactor: 10 });
  const streams = {
    private: all.socket('private', true),
    business: all.socket('business', true),
    public: all.socket('public'),
  };
  streams.private.op(
    'subscribe',
    { channel: 'orders', instType: 'ANY' },
    { channel: 'account' },
    { channel: 'positions', instType: 'ANY' },
  );
  streams.business.op(
    'subscribe',
    { channel: 'orders-algo', instType: 'ANY' },
    { channel: 'candle1D', instId: 'BTC-USDT' },
  );
  for (const channel of ['tickers', 'trades', 'bbo-tbt', 'funding-rate'])
    streams.public.op('subscribe', {
      channel,
      instId: channel === 'funding-rate' ? 'BTC-USDT-SWAP' : 'BTC-USDT',
    });
  streams.public.op('subscribe', { channel: 'instruments', instType: 'SWAP' });
  const swap = { instId: 'BTC-USDT-SWAP', tdMode: 'isolated', side: 'buy', sz: '1' };
  all.order({ ...swap, ordType: 'market' });
  all.order({ ...swap, ordType: 'limit', px: '59000', clOrdId: 'rest' });
  all.post('/api/v5/trade/order-algo', { ...swap, ordType: 'trigger', triggerPx: '61000', orderPx: '-1' });
  all.emulator.trade('BTC-USDT', '60001', '0.5');
  return { ...all, streams };
}

const REST: readonly [name: string, path: string, params: Record<string, string>][] = [
  ['http_get_account_balance', '/api/v5/account/balance', {}],
  ['http_get_positions', '/api/v5/account/positions', {}],
  ['http_get_index_price', '/api/v5/market/index-tickers', { instId: 'BTC-USDT' }],
  ['http_get_instruments_spot', '/api/v5/public/instruments', { instType: 'SPOT' }],
  ['http_get_instruments_swap', '/api/v5/public/instruments', { instType: 'SWAP' }],
  ['http_get_mark_price', '/api/v5/public/mark-price', { instType: 'SWAP' }],
  ['http_get_order_book', '/api/v5/market/books', { instId: 'BTC-USDT' }],
  ['http_get_orders_history', '/api/v5/trade/orders-history', { instType: 'SWAP' }],
  ['http_get_orders_pending', '/api/v5/trade/orders-pending', {}],
  ['http_get_orders_algo_pending', '/api/v5/trade/orders-algo-pending', { ordType: 'trigger' }],
  [
    'http_get_position_tiers',
    '/api/v5/public/position-tiers',
    { instType: 'SWAP', tdMode: 'cross', instFamily: 'BTC-USDT' },
  ],
  ['http_get_trade_fee_response', '/api/v5/account/trade-fee', { instType: 'SPOT' }],
  ['http_get_trades', '/api/v5/market/trades', { instId: 'BTC-USDT' }],
];

describe('payloads', () => {
  it(
    'over REST have every field that was recorded',
    withShared('payloads/okx.json', REST.length, (text) => {
      const { payloads } = JSON.parse(text) as Recorded;
      const { get } = scene();
      for (const [name, path, params] of REST) {
        const answer = get(path, params);
        expect([name, answer.body.code, answer.body.msg]).toEqual([name, '0', '']);
        const recorded = payloads[name]?.data?.[0] as Row;
        expect([name, differences(name, recorded, answer.body.data[0])]).toEqual([name, []]);
      }
    }),
  );

  it(
    'in lists inside rows too: balances, fills, candles',
    withShared('payloads/okx.json', 3, (text) => {
      const { payloads } = JSON.parse(text) as Recorded;
      const { get } = scene();
      const [balance] = get('/api/v5/account/balance').body.data;
      expect(
        differences(
          'http_balance_detail_new_fields',
          payloads.http_balance_detail_new_fields as Row,
          balance.details[0],
        ),
      ).toEqual([]);
      expect(
        differences(
          'http_transaction_detail',
          payloads.http_transaction_detail as Row,
          get('/api/v5/trade/fills').body.data[0],
        ),
      ).toEqual([]);
      const recorded = payloads.http_get_candlesticks_full?.data?.[0] as string[];
      const [candle] = get('/api/v5/market/candles', { instId: 'BTC-USDT' }).body.data as string[][];
      expect(candle?.map(kindOf)).toEqual(recorded.map(kindOf));
    }),
  );

  it(
    'of what is placed and canceled',
    withShared('payloads/okx.json', 3, (text) => {
      const { payloads } = JSON.parse(text) as Recorded;
      const { order, post } = scene();
      const placed = order({
        instId: 'BTC-USDT',
        tdMode: 'cash',
        side: 'buy',
        ordType: 'limit',
        px: '59000',
        sz: '1',
      });
      expect(
        differences('http_place_order_response', payloads.http_place_order_response as Row, placed),
      ).toEqual([]);
      const algo = {
        instId: 'BTC-USDT',
        tdMode: 'cash',
        side: 'buy',
        ordType: 'trigger',
        sz: '1',
        triggerPx: '1',
        orderPx: '1',
      };
      const { body } = post('/api/v5/trade/order-algo', algo);
      expect(
        differences(
          'http_place_algo_order_response',
          payloads.http_place_algo_order_response?.data?.[0] as Row,
          body.data[0],
        ),
      ).toEqual([]);
      const canceled = post('/api/v5/trade/cancel-algos', [
        { instId: 'BTC-USDT', algoId: body.data[0].algoId },
      ]);
      expect(
        differences(
          'http_cancel_algo_order_response',
          payloads.http_cancel_algo_order_response?.data?.[0] as Row,
          canceled.body.data[0],
        ),
      ).toEqual([]);
    }),
  );

  it(
    'on the streams have every field that was recorded',
    withShared('payloads/okx.json', 9, (text) => {
      const { payloads } = JSON.parse(text) as Recorded;
      const { streams } = scene();
      const compare = (name: string, ours: Row | undefined) =>
        expect([name, differences(name, payloads[name]?.data?.[0] as Row, ours)]).toEqual([name, []]);
      compare('ws_orders', streams.private.rows('orders')[0]);
      compare('ws_orders_fok', streams.private.rows('orders')[0]);
      compare('ws_account', streams.private.rows('account')[0]);
      compare('ws_orders_algo', streams.business.rows('orders-algo')[0]);
      compare('ws_tickers', streams.public.rows('tickers')[0]);
      compare('ws_trades', streams.public.rows('trades')[0]);
      compare('ws_bbo_tbt', streams.public.rows('bbo-tbt')[0]);
      compare('ws_funding_rate', streams.public.rows('funding-rate')[0]);
      compare('ws_instruments', streams.public.rows('instruments')[0]);
      const recorded = payloads.ws_candle?.data?.[0] as string[];
      expect(streams.business.rows('candle1D')[0].map(kindOf)).toEqual(recorded.map(kindOf));
    }),
  );
});
