/**
 * Messages of Bybit's prices, one by one: every figure in its place, what is left out, and what is unreadable
 * as a whole because a part of it cannot be.
 */
import { describe, expect, it } from 'vitest';
import { depthTopic, readDepth } from '../../../src/venues/bybit/market/depth.ts';
import { readFunding, readPrices, readStream } from '../../../src/venues/bybit/market/messages.ts';

const read = (message: object) => readStream(JSON.stringify(message));
const event = (told: object) => ({ ok: true, value: { kind: 'event', event: told } });
const OTHER = { ok: true, value: { kind: 'other' } };

describe('trades', () => {
  const trade = (more: object = {}) => ({
    ...{ T: 7, s: 'BTCUSDT', S: 'Buy', v: '0.10', p: '60000.0', i: 'a', BT: false, ...more },
  });
  const told = (...data: readonly object[]) => read({ topic: 'publicTrade.BTCUSDT', data });

  it('have their ids, times, sides and figures, in their order', () => {
    const second = { T: 8, S: 'Sell', v: '2', p: '59999.50', i: 'b', BT: undefined };
    expect(
      told(trade(), trade(second), trade({ S: 'Odd', i: 'c' }), trade({ S: undefined, i: 'd' })),
    ).toEqual(
      event({
        ...{ kind: 'trades', symbol: 'BTCUSDT' },
        trades: [
          { id: 'a', price: '60000', volume: '0.1', time: 7, side: 'BUY' },
          { id: 'b', price: '59999.5', volume: '2', time: 8, side: 'SELL' },
          { id: 'c', price: '60000', volume: '0.1', time: 7 },
          { id: 'd', price: '60000', volume: '0.1', time: 7 },
        ],
      }),
    );
  });

  it('are told without those that were agreed elsewhere', () => {
    expect(told(trade({ BT: true, p: '1' }), trade())).toMatchObject({
      value: { event: { trades: [{ price: '60000' }] } },
    });
    expect(told(trade({ BT: true }))).toEqual(OTHER);
    expect(told()).toEqual(OTHER);
  });

  it.each([
    ['one of another symbol among them', [trade(), trade({ s: 'ETHUSDT' })]],
    ['a price of nothing among them', [trade(), trade({ p: '0.00' }), trade()]],
    ['a name that no symbol has', [trade({ s: 'A B' })]],
    ['a figure that is none', [trade(), trade({ v: '' })]],
    ['no time', [trade({ T: null })]],
    ['no id', [trade({ i: '' })]],
  ])('with %s are unreadable', (_, rows) => {
    expect(told(...rows).ok).toBe(false);
  });
});

describe('tickers', () => {
  const told = (data: object) =>
    read({ topic: 'tickers.BTCUSDT', ts: 7, data: { symbol: 'BTCUSDT', ...data } });
  const mark = { kind: 'mark', symbol: 'BTCUSDT', time: 7, funding: {} };

  it.each([
    [{}, mark],
    [{ markPrice: '60000.50' }, { ...mark, price: '60000.5' }],
    [{ fundingRate: '-0.00010' }, { ...mark, funding: { rate: '-0.0001' } }],
    [{ nextFundingTime: '9' }, { ...mark, funding: { at: 9 } }],
    [{ markPrice: '', fundingRate: '', nextFundingTime: '' }, mark],
    [
      { nextFundingTime: '0', fundingRate: '0' },
      { ...mark, funding: { rate: '0' } },
    ],
    [
      { markPrice: '1', fundingRate: '2', nextFundingTime: '3', lastPrice: '4' },
      { ...mark, price: '1', funding: { rate: '2', at: 3 } },
    ],
  ])('of %o say no more than they have', (data, so) => {
    expect(told(data)).toEqual(event(so));
  });

  it.each([
    { markPrice: '0' },
    { markPrice: '-1' },
    { fundingRate: 'x' },
    { nextFundingTime: '-1' },
    { symbol: 'A B' },
    { symbol: 5 },
  ])('of %o are unreadable', (data) => {
    expect(told(data).ok).toBe(false);
  });
});

describe('candles', () => {
  const KLINE = {
    start: 60_000,
    interval: '1',
    open: '2.0',
    high: '4',
    low: '1',
    close: '3',
    volume: '7.50',
  };
  const told = (...data: readonly object[]) => read({ topic: 'kline.1.BTCUSDT', data });
  const candle = { time: 60_000, open: '2', high: '4', low: '1', close: '3', volume: '7.5' };

  it('are told once they are closed, also behind one that is open', () => {
    const closed = event({ kind: 'closed', symbol: 'BTCUSDT', interval: '1', candle });
    expect(told({ ...KLINE, confirm: true })).toEqual(closed);
    expect(told({ ...KLINE, high: '9', confirm: false }, { ...KLINE, confirm: true })).toEqual(closed);
    expect(told({ ...KLINE, confirm: false })).toEqual(OTHER);
    expect(told({ ...KLINE, confirm: false, note: '"confirm": true' })).toEqual(OTHER);
  });

  it.each([{ high: '2.5' }, { low: '2.5' }, { low: '0', open: '0' }, { volume: 'x' }, { start: -1 }])(
    'of %o are unreadable',
    (more) => {
      expect(told({ ...KLINE, confirm: true, ...more }).ok).toBe(false);
    },
  );

  it('of a symbol that none can have are unreadable', () => {
    expect(read({ topic: 'kline.1.A B', data: [{ ...KLINE, confirm: true }] }).ok).toBe(false);
  });
});

describe('answers', () => {
  it.each([
    [
      { op: 'subscribe', success: true, req_id: '7' },
      { kind: 'reply', id: 7, problem: null },
    ],
    [
      { op: 'subscribe', req_id: '8', ret_msg: 'ok' },
      { kind: 'reply', id: 8, problem: null },
    ],
    [
      { success: false, req_id: '9', ret_msg: 'no' },
      { kind: 'reply', id: 9, problem: 'no' },
    ],
    [
      { success: false, req_id: '9' },
      { kind: 'reply', id: 9, problem: 'refused' },
    ],
    [{ op: 'ping', success: true, ret_msg: 'pong', req_id: 'ping' }, { kind: 'other' }],
    [{ op: 'pong', req_id: null }, { kind: 'other' }],
  ])('%o are of their number', (message, value) => {
    expect(read(message)).toEqual({ ok: true, value });
    // The sockets of depth have the same.
    expect(readDepth(JSON.stringify(message))).toEqual({ ok: true, value });
  });

  it.each([
    [{ success: false, ret_msg: 'why' }, 'why'],
    [{ success: false, req_id: null }, 'an answer to nothing'],
    [{ req_id: '1.5' }, 'an answer to nothing'],
    [{ req_id: 'x' }, 'an answer to nothing'],
    [{ req_id: '' }, 'an answer to nothing'],
  ])('%o are of none', (message, problem) => {
    expect(read(message)).toEqual({ ok: false, problem });
  });

  it('of no topic that is watched are passed over, and what is no message is unreadable', () => {
    expect(read({ topic: 'greeks.BTCUSDT', data: [] })).toEqual(OTHER);
    expect(readDepth('{"topic":"publicTrade.BTCUSDT","data":[]}')).toEqual(OTHER);
    for (const text of [
      '',
      'x',
      '[]',
      '{"success":5}',
      '{"topic":"tickers.A"}',
      '{"topic":"kline.1.A","data":[{"confirm":true}]}',
    ])
      expect(readStream(text).ok).toBe(false);
  });
});

describe('depth', () => {
  const book = (more: object = {}, data: object = {}) =>
    readDepth(
      JSON.stringify({
        ...{ topic: 'orderbook.50.BTCUSDT', type: 'delta', ts: 1, ...more },
        data: { s: 'BTCUSDT', b: [['10', '1']], a: [['11', '0']], u: 7, seq: 9, ...data },
      }),
    );
  const news = { stream: 'orderbook.50.BTCUSDT', bids: [['10', '1']], asks: [['11', '0']], at: 7 };

  it('is a whole or a change, as it says, and a whole where the exchange counts anew', () => {
    expect(depthTopic('BTCUSDT')).toBe('orderbook.50.BTCUSDT');
    expect(book()).toEqual(event({ ...news, isWhole: false }));
    expect(book({ type: 'snapshot' })).toEqual(event({ ...news, isWhole: true }));
    expect(book({}, { u: 1 })).toEqual(event({ ...news, isWhole: true, at: 1 }));
    expect(book({}, { u: 2 })).toEqual(event({ ...news, isWhole: false, at: 2 }));
  });

  it.each([
    [{ type: 'other' }, {}],
    [{}, { u: -1 }],
    [{}, { b: [['0', '1']] }],
    [{}, { a: [['0.0', '1']] }],
    [{}, { a: [['1']] }],
    [{}, { b: 5 }],
  ])('of %o, %o is unreadable', (more, data) => {
    expect(book(more, data).ok).toBe(false);
  });
});

it('last prices are those that there are, of names that can be', () => {
  const list = [
    ...[
      { symbol: 'BTCUSDT', lastPrice: '60000.10' },
      { symbol: 'ETHUSDT', lastPrice: '0' },
    ],
    ...[
      { symbol: 'A B', lastPrice: '1' },
      { symbol: 'XUSDT', lastPrice: '' },
    ],
    ...[
      { symbol: 'YUSDT', lastPrice: '-1' },
      { symbol: 'ZUSDT', lastPrice: '2' },
    ],
  ];
  expect(readPrices(JSON.stringify({ result: { list } }))).toEqual({
    ...{
      ok: true,
      value: [
        ['BTCUSDT', '60000.1'],
        ['ZUSDT', '2'],
      ],
    },
  });
  expect(readPrices('{"result":{}}').ok).toBe(false);
  expect(readFunding('{"result":{"list":[{"fundingRate":"x","fundingRateTimestamp":"1"}]}}').ok).toBe(false);
});
