/**
 * Checks before every endpoint, and around the sockets: keys, clocks, limits, bans, the life of a connection.
 */
import { sign as signEd25519 } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { socketPayload, TEST_ED25519_KEY, TEST_ED25519_PRIVATE_PEM, TEST_KEY } from './keys.ts';
import { LIMITS } from './limits.ts';
import { testEmulator } from './support.ts';

const LIMIT = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: '0.001',
  price: '59000',
};

describe('the gate', () => {
  it('refuses an unknown key, a key without the right, one from elsewhere, a revoked one, and an account in portfolio margin', () => {
    const { emulator, ask, signed } = testEmulator();
    expect(ask('GET', '/api/v3/account', {}, 'x')).toMatchObject({ status: 401, body: { code: -2014 } });
    expect(ask('GET', '/api/v3/account', {}, 'unknownKey00')).toMatchObject({
      status: 401,
      body: { code: -2015 },
    });
    emulator.addKey({ ...TEST_KEY, rights: ['read'] });
    expect(signed('GET', '/api/v3/account').status).toBe(200);
    expect(signed('POST', '/api/v3/order', LIMIT)).toMatchObject({ status: 401, body: { code: -2015 } });
    emulator.addKey({ ...TEST_KEY, ips: ['10.0.0.1'] });
    expect(signed('GET', '/api/v3/account').body.code).toBe(-2015);
    emulator.addKey(TEST_KEY);
    emulator.portfolioMargin = true;
    expect(signed('GET', '/fapi/v3/account').body.code).toBe(-2015);
    expect(signed('GET', '/sapi/v1/account/apiRestrictions').body).toMatchObject({ enableFutures: false });
    emulator.revoke(TEST_KEY.apiKey);
    expect(signed('GET', '/api/v3/account').body.code).toBe(-2015);
  });

  it('refuses a wrong signature, a missing time, one too old and one ahead', () => {
    const { emulator, ask, signed } = testEmulator();
    const now = emulator.now();
    expect(
      ask('GET', '/api/v3/account', { timestamp: String(now), signature: '00'.repeat(32) }).body.code,
    ).toBe(-1022);
    expect(ask('GET', '/api/v3/account', { timestamp: String(now) }).body.code).toBe(-1102);
    expect(ask('GET', '/api/v3/account', { signature: 'aa' }).body.code).toBe(-1102);
    expect(signed('GET', '/api/v3/account', { timestamp: String(now - 5001) }).body.code).toBe(-1021);
    expect(signed('GET', '/api/v3/account', { timestamp: String(now + 1000) }).body.code).toBe(-1021);
    expect(
      signed('GET', '/api/v3/account', { timestamp: String(now - 5001), recvWindow: '6000' }).status,
    ).toBe(200);
    expect(signed('GET', '/api/v3/account', { recvWindow: '60001' }).body.code).toBe(-1102);
    emulator.clockAheadMs = 10_000;
    expect(signed('GET', '/api/v3/account', { timestamp: String(now) }).body.code).toBe(-1021);
  });

  it('counts weight, answers 429 with the seconds to wait, and bans who goes on', async () => {
    const { clock, ask } = testEmulator({ spotLimits: { ...LIMITS.spot, weightPerMinute: 40 } });
    expect(ask('GET', '/api/v3/exchangeInfo').headers['x-mbx-used-weight-1m']).toBe('20');
    expect(ask('GET', '/api/v3/exchangeInfo').status).toBe(200);
    expect(ask('GET', '/api/v3/time')).toMatchObject({
      status: 429,
      body: { code: -1003 },
      headers: { 'retry-after': '60' },
    });
    for (let i = 0; i < 10; i++) ask('GET', '/api/v3/time');
    expect(ask('GET', '/api/v3/time')).toMatchObject({ status: 418, headers: { 'retry-after': '120' } });
    await clock.advance(61_000);
    expect(ask('GET', '/api/v3/time').status).toBe(418);
    await clock.advance(60_000);
    expect(ask('GET', '/api/v3/time').status).toBe(200);
  });

  it('takes no weight for a spot order that is accepted, counts unfilled orders and refuses one too many', () => {
    const { emulator, signed } = testEmulator();
    const first = signed('POST', '/api/v3/order', LIMIT);
    expect(first.headers).toMatchObject({
      'x-mbx-used-weight-1m': '0',
      'x-mbx-order-count-10s': '1',
      'x-mbx-order-count-1d': '1',
    });
    for (let i = 1; i < 50; i++) signed('POST', '/api/v3/order', LIMIT);
    expect(signed('POST', '/api/v3/order', LIMIT)).toMatchObject({ status: 429, body: { code: -1015 } });
    emulator.printSpot('BTCUSDT', '59000', '0.001');
    expect(signed('POST', '/api/v3/order', LIMIT).status).toBe(200);
  });

  it('has no spot listen key any more', () => {
    const { ask } = testEmulator();
    expect(ask('POST', '/api/v3/userDataStream')).toMatchObject({
      status: 410,
      body: expect.stringContaining('410 Gone'),
    });
  });

  it('halts a symbol and changes its filters while it runs', () => {
    const { emulator, signed } = testEmulator();
    emulator.spotMarket.change('BTCUSDT', { tick: '0.1' });
    expect(signed('POST', '/api/v3/order', { ...LIMIT, price: '59000.01' }).body.msg).toBe(
      'Filter failure: PRICE_FILTER',
    );
    emulator.spotMarket.change('BTCUSDT', { status: 'HALT' });
    expect(signed('POST', '/api/v3/order', LIMIT).body).toEqual({ code: -2010, msg: 'Market is closed.' });
  });
});

describe('sockets', () => {
  const logon = (
    rig: ReturnType<typeof testEmulator>,
    method: string,
    params: Record<string, unknown> = {},
  ) => {
    const all: Record<string, unknown> = {
      ...params,
      apiKey: TEST_ED25519_KEY.apiKey,
      timestamp: rig.emulator.now(),
    };
    all.signature = signEd25519(null, Buffer.from(socketPayload(all)), TEST_ED25519_PRIVATE_PEM).toString(
      'base64',
    );
    return JSON.stringify({ id: method, method, params: all });
  };

  it('logs on with Ed25519, subscribes, ends the subscription with the session', () => {
    const rig = testEmulator();
    const { messages, session } = rig.socket('/ws-api/v3?returnRateLimits=false');
    session.message(JSON.stringify({ id: 0, method: 'userDataStream.subscribe' }));
    session.message(logon(rig, 'session.logon'));
    session.message(JSON.stringify({ id: 2, method: 'userDataStream.subscribe' }));
    session.message(JSON.stringify({ id: 3, method: 'userDataStream.subscribe' }));
    session.message(JSON.stringify({ id: 4, method: 'session.logout' }));
    expect(messages.map((message) => message.error?.code ?? message.event?.e ?? message.status)).toEqual([
      -2035,
      200,
      200,
      -2035,
      'eventStreamTerminated',
      200,
    ]);
  });

  it('places an order over the socket, and tells a revoked session so', () => {
    const rig = testEmulator();
    const { messages, session } = rig.socket('/ws-api/v3');
    session.message(logon(rig, 'order.place', { ...LIMIT, newOrderRespType: 'ACK' }));
    expect(messages[0]).toMatchObject({ status: 200, result: { symbol: 'BTCUSDT' } });
    session.message(logon(rig, 'session.logon'));
    rig.emulator.revoke(TEST_ED25519_KEY.apiKey);
    session.message(JSON.stringify({ id: 9, method: 'session.status' }));
    expect(messages.at(-1)).toMatchObject({ id: null, status: 401, error: { code: -2015 } });
  });

  it('answers an unknown stream like a known one, and is silent', async () => {
    const { emulator, clock, socket } = testEmulator();
    const { messages, session } = socket('/market/ws');
    session.message(
      JSON.stringify({ method: 'SUBSCRIBE', params: ['btcusdt@nonsense', 'btcusdt@bookTicker'], id: 7 }),
    );
    emulator.printFutures('BTCUSDT', '60000');
    await clock.advance(3000);
    expect(messages).toEqual([{ result: null, id: 7 }]);
  });

  it('sends only the events that a private socket lists, and nothing for a key in the path', () => {
    const { ask, signed, socket } = testEmulator();
    const { listenKey } = ask('POST', '/fapi/v1/listenKey').body;
    const listed = socket(`/private/ws?listenKey=${listenKey}&events=ACCOUNT_UPDATE`);
    const inPath = socket(`/private/ws/${listenKey}`);
    signed('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
    expect(listed.messages.map(({ e }) => e)).toEqual(['ACCOUNT_UPDATE']);
    expect(inPath.messages).toEqual([]);
  });

  it('pings, ends a connection that does not answer, and every one after a day', async () => {
    const { clock, socket } = testEmulator();
    const silent = socket('/ws/btcusdt@aggTrade', false);
    const answering = socket('/private/ws?listenKey=x');
    await clock.advance(100_000);
    expect(silent.pings).toHaveLength(3);
    expect(silent.closes).toEqual(['1008 Pong timeout']);
    await clock.advance(86_400_000);
    expect(answering.closes).toEqual(['1008 Connection is valid for 24 hours']);
  });

  it('closes one that talks too much, and warns of a shutdown', () => {
    const { emulator, socket, userStream } = testEmulator();
    const market = socket('/stream?streams=btcusdt@aggTrade');
    const account = userStream();
    emulator.shutdown();
    expect(market.messages).toEqual([
      { stream: '!serverShutdown', data: { e: 'serverShutdown', E: emulator.now() } },
    ]);
    expect(account.messages.at(-1)).toEqual({ event: { e: 'serverShutdown', E: emulator.now() } });
    for (let i = 0; i < 6; i++) market.session.message('{"method":"LIST_SUBSCRIPTIONS","id":1}');
    expect(market.closes).toEqual(['1008 Too many requests']);
  });

  it('closes a candle at its end, also without a trade', async () => {
    const { clock, emulator, socket, ask } = testEmulator();
    const { messages } = socket('/ws/btcusdt@kline_1m');
    for (const price of ['60002', '60010', '59990', '60005']) emulator.printSpot('BTCUSDT', price, '2');
    await clock.advance(121_000);
    const closed = messages.filter((message) => message.k?.x);
    expect(closed.map(({ k }) => [k.t, k.c])).toEqual([
      [Date.UTC(2026, 10, 25, 12, 0), '60005.00000000'],
      [Date.UTC(2026, 10, 25, 12, 1), '60005.00000000'],
    ]);
    expect(closed[0].k).toMatchObject({
      o: '60002.00000000',
      h: '60010.00000000',
      l: '59990.00000000',
      v: '8.00000000',
      n: 4,
    });
    const rows = ask('GET', '/api/v3/klines', { symbol: 'BTCUSDT', interval: '1m', limit: '3' }).body;
    expect(rows[0].slice(1, 6)).toEqual([
      closed[0].k.o,
      closed[0].k.h,
      closed[0].k.l,
      closed[0].k.c,
      closed[0].k.v,
    ]);
  });
});
