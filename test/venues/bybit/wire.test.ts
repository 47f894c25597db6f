/**
 * The wire format: signatures over the very bytes that are sent, forms of orders, and what responses say of
 * the budgets.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { bybitDialect, retOf } from '../../../src/venues/bybit/dialect.ts';
import { BYBIT } from '../../../src/venues/bybit/requests.ts';
import { troubleOf } from '../../../src/venues/bybit/trouble.ts';
import { wireOrder } from '../../../src/venues/bybit/wire-order.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { orderOf } from './bybit-rig.ts';

const STAMP = 1_700_000_000_000;
const secrets = { get: (field: string) => Buffer.from(field === 'apiKey' ? 'APIKEY' : 'SECRET') };
const given = { secrets, stamp: STAMP };
const dialect = bybitDialect();

// Vectors that were written for this project with node:crypto and agreed with another client.
describe('a signature', () => {
  it('is over the body as it goes, behind time, key and window', () => {
    const parameters = {
      category: 'linear',
      symbol: 'BTCUSDT',
      side: 'Buy',
      orderType: 'Limit',
      qty: '0.01',
      price: '30000',
      timeInForce: 'GTC',
      orderLinkId: 'CID1',
    };
    const { headers, body, path } = dialect.write(BYBIT.linear.place, parameters, given);
    expect(body).toBe(
      '{"category":"linear","symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"30000","timeInForce":"GTC","orderLinkId":"CID1"}',
    );
    expect(path).toBe('/v5/order/create');
    expect(headers).toMatchObject({
      'X-BAPI-API-KEY': 'APIKEY',
      'X-BAPI-TIMESTAMP': String(STAMP),
      'X-BAPI-RECV-WINDOW': '5000',
      'X-BAPI-SIGN': 'cb02f7ddc2132164e1539ca7cbc778939cfcc7565ae4ac6e98df192792c2ad0c',
      'content-type': 'application/json',
    });
  });

  it('is over the query as it goes, and a question has no body', () => {
    const written = dialect.write(BYBIT.linear.positions, { category: 'linear', symbol: 'BTCUSDT' }, given);
    expect(written).toMatchObject({ path: '/v5/position/list?category=linear&symbol=BTCUSDT' });
    expect(written.body).toBeUndefined();
    expect(written.headers['X-BAPI-SIGN']).toBe(
      '49cb0b8dd15c25415f2a21a2406b6bbcdeaa91a900f2e9b17aac31cdead90f72',
    );
  });

  it('encodes what a cursor has of percent signs once more', () => {
    const cursor = '132766%3A2%2C132766%3A2';
    const { path } = dialect.write(BYBIT.spot.executions, { category: 'spot', cursor }, given);
    expect(path).toBe('/v5/execution/list?category=spot&cursor=132766%253A2%252C132766%253A2');
  });

  it('of a login is of ten seconds ahead', () => {
    const frame = dialect.frame?.(BYBIT.spot.login, {}, { ...given, id: 'login-1' });
    expect(JSON.parse(frame ?? '')).toEqual({
      req_id: 'login-1',
      op: 'auth',
      args: ['APIKEY', 1_700_000_010_000, 'cb44b8afa4be2e39c6d1726de8c45cf0cf4f7098a3ae18721aa65e1ddba1fc7e'],
    });
  });

  it('is none on a ping, and on what is subscribed to', () => {
    const say = (form: RequestForm, parameters: Record<string, string>) =>
      JSON.parse(dialect.frame?.(form, parameters, { ...given, id: 'x-1' }) ?? '');
    expect(say(BYBIT.spot.ping, {})).toEqual({ req_id: 'x-1', op: 'ping' });
    expect(say(BYBIT.spot.subscribe, { args: 'order.spot,wallet' })).toEqual({
      ...{ req_id: 'x-1', op: 'subscribe', args: ['order.spot', 'wallet'] },
    });
  });

  it('writes what is no text as the numbers, truths and lists that Bybit wants', () => {
    const parameters = {
      ...{ isLeverage: '0', triggerDirection: '2', positionIdx: '1', mode: '3', reduceOnly: 'true' },
      ...{ closeOnTrigger: 'false', fromCoinList: 'A,B', qty: '1', orderLinkId: '7' },
    };
    expect(JSON.parse(dialect.write(BYBIT.spot.place, parameters, given).body ?? '')).toEqual({
      ...{ isLeverage: 0, triggerDirection: 2, positionIdx: 1, mode: 3, reduceOnly: true },
      ...{ closeOnTrigger: false, fromCoinList: ['A', 'B'], qty: '1', orderLinkId: '7' },
    });
  });

  it('is none where nothing has to be signed', () => {
    expect(dialect.write(BYBIT.spot.time, {}, given)).toEqual({ path: '/v5/market/time', headers: {} });
  });
});

const bodyOf = (order: Partial<ExchangeOrder>, category: 'spot' | 'linear') => {
  const wire = wireOrder(orderOf({ clientId: 'CID1', ...order }), category);
  if (wire.kind !== 'wire') return wire.message;
  const form = BYBIT[category].place;
  const alien = Object.keys(wire.parameters).find((name) => !form.parameters.includes(name));
  expect(alien).toBeUndefined();
  return JSON.parse(dialect.write(form, wire.parameters, given).body ?? '');
};

describe('an order of spot', () => {
  const base = { category: 'spot', symbol: 'BTCUSDT', orderLinkId: 'CID1', isLeverage: 0 };
  it.each([
    [
      'a limit',
      { price: '60000', quantity: '0.01' },
      {
        side: 'Buy',
        orderType: 'Limit',
        price: '60000',
        qty: '0.01',
        timeInForce: 'GTC',
        orderFilter: 'Order',
      },
    ],
    [
      'post-only',
      { type: 'LIMIT_MAKER', side: 'SELL', price: '70000', quantity: '0.01' },
      {
        side: 'Sell',
        orderType: 'Limit',
        price: '70000',
        qty: '0.01',
        timeInForce: 'PostOnly',
        orderFilter: 'Order',
      },
    ],
    [
      'a market buy by quantity',
      { type: 'MARKET', quantity: '0.01' },
      { side: 'Buy', orderType: 'Market', qty: '0.01', marketUnit: 'baseCoin', orderFilter: 'Order' },
    ],
    [
      'a market buy over an amount',
      { type: 'MARKET', quoteOrderQty: '50' },
      { side: 'Buy', orderType: 'Market', qty: '50', marketUnit: 'quoteCoin', orderFilter: 'Order' },
    ],
    [
      'a stop with a limit, which reserves nothing before its trigger and names no direction',
      { type: 'STOP_LIMIT', side: 'SELL', price: '58000', stopPrice: '58500', quantity: '0.01' },
      {
        side: 'Sell',
        orderType: 'Limit',
        price: '58000',
        qty: '0.01',
        timeInForce: 'GTC',
        orderFilter: 'StopOrder',
        triggerPrice: '58500',
      },
    ],
    [
      'a market take-profit, by quantity; whatever contracts alone have is left out',
      {
        type: 'TAKE_PROFIT_MARKET',
        side: 'SELL',
        stopPrice: '70000',
        quantity: '0.01',
        reduceOnly: true,
        positionSide: 'LONG',
        workingType: 'MARK_PRICE',
      },
      {
        ...{ side: 'Sell', orderType: 'Market', qty: '0.01', marketUnit: 'baseCoin' },
        ...{ orderFilter: 'StopOrder', triggerPrice: '70000' },
      },
    ],
    [
      'a limit that takes what it can',
      { price: '60000', quantity: '0.01', timeInForce: 'IOC' },
      {
        ...{ side: 'Buy', orderType: 'Limit', price: '60000', qty: '0.01', timeInForce: 'IOC' },
        orderFilter: 'Order',
      },
    ],
  ] as const)('%s', (_, order, body) => {
    expect(bodyOf(order, 'spot')).toEqual({ ...base, ...body });
  });
});

describe('an order of contracts', () => {
  const base = { category: 'linear', symbol: 'BTCUSDT', orderLinkId: 'CID1', positionIdx: 0 };
  it.each([
    [
      'a market order that only reduces',
      { type: 'MARKET', side: 'SELL', quantity: '0.01', reduceOnly: true },
      { side: 'Sell', orderType: 'Market', qty: '0.01', reduceOnly: true },
    ],
    [
      'a stop that sells falls to its trigger, by the mark',
      { type: 'STOP_MARKET', side: 'SELL', quantity: '0.01', stopPrice: '29000', reduceOnly: true },
      {
        side: 'Sell',
        orderType: 'Market',
        qty: '0.01',
        triggerPrice: '29000',
        triggerDirection: 2,
        triggerBy: 'MarkPrice',
        reduceOnly: true,
      },
    ],
    [
      'a stop that buys rises to it, by the last price where that is asked for',
      { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '31000', workingType: 'CONTRACT_PRICE' },
      {
        side: 'Buy',
        orderType: 'Market',
        qty: '0.01',
        triggerPrice: '31000',
        triggerDirection: 1,
        triggerBy: 'LastPrice',
      },
    ],
    [
      'a take-profit that sells rises to it',
      { type: 'TAKE_PROFIT_LIMIT', side: 'SELL', quantity: '0.01', stopPrice: '31000', price: '30900' },
      {
        side: 'Sell',
        orderType: 'Limit',
        qty: '0.01',
        price: '30900',
        timeInForce: 'GTC',
        triggerPrice: '31000',
        triggerDirection: 1,
        triggerBy: 'MarkPrice',
      },
    ],
    [
      'a close of all has no size and both flags',
      { type: 'STOP_MARKET', side: 'SELL', stopPrice: '29000', closePosition: true },
      {
        side: 'Sell',
        orderType: 'Market',
        qty: '0',
        triggerPrice: '29000',
        triggerDirection: 2,
        triggerBy: 'MarkPrice',
        reduceOnly: true,
        closeOnTrigger: true,
      },
    ],
    [
      'a sell of the long side in hedge mode closes it',
      { type: 'MARKET', side: 'SELL', quantity: '0.01', positionSide: 'LONG' },
      { side: 'Sell', orderType: 'Market', qty: '0.01', positionIdx: 1, reduceOnly: true },
    ],
    [
      'a sell of the short side opens it',
      { type: 'MARKET', side: 'SELL', quantity: '0.01', positionSide: 'SHORT' },
      { side: 'Sell', orderType: 'Market', qty: '0.01', positionIdx: 2 },
    ],
    [
      'a buy of the short side closes it',
      { type: 'MARKET', quantity: '0.01', positionSide: 'SHORT', reduceOnly: false },
      { side: 'Buy', orderType: 'Market', qty: '0.01', positionIdx: 2, reduceOnly: true },
    ],
    [
      'a buy of the long side opens it',
      { type: 'MARKET', quantity: '0.01', positionSide: 'LONG' },
      { side: 'Buy', orderType: 'Market', qty: '0.01', positionIdx: 1 },
    ],
    [
      'a limit that opens has no flag',
      { side: 'SELL', price: '5', quantity: '0.01', timeInForce: 'FOK', reduceOnly: false },
      { side: 'Sell', orderType: 'Limit', qty: '0.01', price: '5', timeInForce: 'FOK' },
    ],
    [
      'a close of a given size closes no more than that',
      { type: 'MARKET', side: 'SELL', quantity: '0.01', closePosition: true },
      { side: 'Sell', orderType: 'Market', qty: '0.01', reduceOnly: true },
    ],
    [
      'a take-profit that buys falls to it',
      { type: 'TAKE_PROFIT_MARKET', quantity: '0.01', stopPrice: '20000', positionSide: 'SHORT' },
      {
        ...{ side: 'Buy', orderType: 'Market', qty: '0.01', triggerPrice: '20000', triggerDirection: 2 },
        ...{ triggerBy: 'MarkPrice', reduceOnly: true, positionIdx: 2 },
      },
    ],
    [
      'a stop with a limit that sells falls to it',
      { type: 'STOP_LIMIT', side: 'SELL', quantity: '1', stopPrice: '3', price: '2' },
      {
        ...{ side: 'Sell', orderType: 'Limit', qty: '1', price: '2', timeInForce: 'GTC' },
        ...{ triggerPrice: '3', triggerDirection: 2, triggerBy: 'MarkPrice' },
      },
    ],
  ] as const)('%s', (_, order, body) => {
    expect(bodyOf(order, 'linear')).toEqual({ ...base, ...body });
  });
});

it.each([
  ['spot', { type: 'STOP_MARKET', trailingDelta: 100, quantity: '1' }, 'held here'],
  ['linear', { type: 'MARKET', quoteOrderQty: '50' }, 'give quantity'],
  ['spot', { price: '1', quantity: '1', icebergQty: '0.1' }, 'use split'],
  ['spot', { price: '1', quantity: '1', goodTillDate: 5 }, 'no end dates'],
  ['linear', { type: 'LIMIT', quantity: '1' }, 'needs a price'],
  ['spot', { type: 'MARKET', closePosition: true }, 'quantity is not known'],
  ['linear', { type: 'MARKET', quantity: '0' }, 'quantity is not known'],
  ['linear', { type: 'MARKET', quantity: '-1' }, 'quantity is not known'],
  ['linear', { type: 'MARKET' }, 'quantity is not known'],
  [
    'linear',
    { type: 'STOP_LIMIT', stopPrice: '1', price: '1', closePosition: true },
    'quantity is not known',
  ],
  ['spot', { type: 'MARKET', quantity: '1', quoteOrderQty: '1' }, 'both quantity and quoteOrderQty'],
  ['spot', { type: 'LIMIT', price: '1', quoteOrderQty: '1' }, 'give quantity'],
  ['spot', { type: 'MARKET', quantity: '1', price: '1' }, 'MARKET takes no price'],
  ['spot', { type: 'STOP_MARKET', quantity: '1' }, 'needs stopPrice'],
  ['spot', { price: '1', quantity: '1', stopPrice: '1' }, 'LIMIT takes no stopPrice'],
] as const)('%s refuses in words what Bybit has no form for: %o', (category, order, words) => {
  expect(bodyOf(order, category)).toContain(words);
});

describe('what an answer tells', () => {
  const heard = (status: number, text: string, headers: Record<string, string> = {}) => {
    const clock = new VirtualClock(STAMP);
    const way = new Addresses(clock).way('https://api.bybit.com');
    const offset = new ClockOffset(clock);
    offset.measured({ sentAt: clock.monotonic(), heardAt: clock.monotonic(), time: STAMP });
    const form = BYBIT.spot.place;
    const now = clock.monotonic();
    dialect.heard({ form, status, headers, text, uid: 'mine', leftAt: now, now }, way, offset);
    const [row] = form.costs({}, 'mine');
    if (!row) throw new Error('it costs nothing');
    return { way, offset, row, now };
  };

  it('corrects what of an endpoint is used and allowed', () => {
    const { way, row, now } = heard(200, '{"retCode":0}', {
      'x-bapi-limit': '30',
      'x-bapi-limit-status': '18',
    });
    expect(way.budget.limitOf(row.row)).toBe(30);
    expect(way.budget.window(row, now).used(now)).toBe(12);
    for (const [limit, left, allowed] of [
      ['50', '50', 50],
      ['50', '51', 20],
      ['50', '', 20],
    ] as const) {
      const headers = { 'x-bapi-limit': limit, 'x-bapi-limit-status': left };
      const told = heard(200, '{"retCode":0}', headers);
      expect([left, told.way.budget.limitOf(told.row.row)]).toEqual([left, allowed]);
    }
  });

  it('stops new orders for as long as 10006 says, and never the address', () => {
    const text = '{"retCode":10006,"retMsg":"Too many visits!"}';
    for (const [reset, ms] of [
      [String(STAMP + 1_400), 1_400],
      // Never less than the second of its limit, and not for ever.
      [String(STAMP - 5), 1_000],
      [String(STAMP + 3_600_000), 5_000],
      ['', 1_000],
    ] as const) {
      const { way, row, now } = heard(200, text, { 'x-bapi-limit-reset-timestamp': reset });
      expect(way.budget.stoppedMs(row, now)).toBe(ms);
      expect(way.budget.bannedMs(now)).toBe(0);
    }
  });

  it('stops the address for ten minutes where it is too frequent, and for no other 403', () => {
    const ban = heard(403, '403, access too frequent');
    expect(ban.way.budget.bannedMs(ban.now)).toBe(600_000);
    const other = heard(403, '<html>Forbidden</html>');
    expect(other.way.budget.bannedMs(other.now)).toBe(0);
  });

  it('leads to the clock where the time was refused', () => {
    expect(heard(200, '{"retCode":10002,"retMsg":"invalid request"}').offset.isDue).toBe(true);
    expect(heard(200, '{"retCode":-1,"retMsg":"expired"}').offset.isDue).toBe(true);
    expect(heard(200, '<html>').offset.isDue).toBe(false);
    expect(heard(200, '{"retCode":0}').offset.isDue).toBe(false);
  });

  it('is its code, whatever its HTTP status', () => {
    expect(retOf('{"retCode":-2015,"retMsg":"expired \\"x\\""}')).toEqual({
      code: -2015,
      message: 'expired "x"',
    });
    expect(retOf('{"result":{},"retCode":10001,"retMsg":"qty"}')?.code).toBe(10001);
    for (const none of ['', 'access too frequent', '<html>', '[]', '{"a":1}']) expect(retOf(none)).toBeNull();
  });
});

it.each([
  [200, '{"retCode":10003,"retMsg":"API key is invalid."}', 'is it of this environment'],
  [200, '{"retCode":10004,"retMsg":"error sign!"}', 'connect with the pair'],
  [200, '{"retCode":10005,"retMsg":"Permission denied"}', 'API Management'],
  [200, '{"retCode":10010,"retMsg":"Unmatched IP"}', 'other addresses'],
  [200, '{"retCode":10028,"retMsg":"uta only"}', 'upgrade'],
  [401, '', 'API key was not taken'],
  [403, '403, access too frequent', 'ten minutes'],
  [403, '<html>', 'refuses this network'],
  [200, '<html>', 'HTML'],
] as const)('HTTP %i with %s is trouble with a cure: %s', (status, text, words) => {
  expect(troubleOf({ kind: 'answer', status, text })).toContain(words);
});
