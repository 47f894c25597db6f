/**
 * Sockets: login, topics, heartbeat, messages of the public ones; all of it over the virtual network, too.
 */
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { Dice } from '../../simulation/dice.ts';
import { EmulatorNet } from '../kit/emulator-net.ts';
import { TEST_KEY } from './keys.ts';
import { loginSign } from './private-socket.ts';
import { testEmulator } from './support.ts';

const ORDER = { category: 'spot', symbol: 'BTCUSDT', side: 'Buy', orderType: 'Market', qty: '600' };

describe('the private stream', () => {
  it('lets in who signs a time ahead, and nobody else', () => {
    const rig = testEmulator();
    const { say, messages } = rig.socket('/v5/private');
    const now = rig.emulator.now();
    const login = (expires: unknown, sign: string, key = TEST_KEY.apiKey) => {
      say({ req_id: 'r', op: 'auth', args: [key, expires, sign] });
      return messages.at(-1);
    };
    say({ op: 'subscribe', args: ['order'] });
    expect(messages.at(-1)).toMatchObject({
      success: false,
      ret_msg: 'Request not authorized',
      op: 'subscribe',
    });
    expect(login(now, loginSign(TEST_KEY.secret, now))).toMatchObject({
      success: false,
      ret_msg: 'Params Error',
    });
    expect(login('soon', 'x')).toMatchObject({ success: false, ret_msg: 'Params Error' });
    expect(login(now + 1000, 'aa')).toMatchObject({
      success: false,
      ret_msg: expect.stringContaining('Error sign'),
    });
    expect(login(now + 1000, 'aa', 'nobody')).toMatchObject({
      success: false,
      ret_msg: 'API key is invalid.',
    });
    expect(login(now + 1000, loginSign(TEST_KEY.secret, now + 1000))).toEqual({
      req_id: 'r',
      success: true,
      ret_msg: '',
      op: 'auth',
      conn_id: expect.any(String),
    });
  });

  it('refuses a topic it does not know, and one of all beside one of a category', () => {
    const { say, messages } = testEmulator().userStream(['wallet']);
    const ask = (args: string[]) => {
      say({ op: 'subscribe', args });
      return messages.at(-1);
    };
    expect(ask(['orders'])).toMatchObject({ success: false, ret_msg: 'Invalid topic: orders' });
    expect(ask(['order', 'order.spot'])).toMatchObject({ success: false });
    expect(ask(['order.spot', 'order.linear'])).toMatchObject({ success: true, op: 'subscribe' });
  });

  it('sends each topic what it asked for, by category too, and nothing at the start', () => {
    const rig = testEmulator();
    const spot = rig.userStream(['order.spot', 'execution.fast']);
    const linear = rig.userStream(['order.linear', 'wallet']);
    rig.post('/v5/order/create', ORDER);
    expect(spot.messages.map(({ topic }) => topic)).toEqual(['execution.fast', 'order.spot']);
    expect(linear.messages.map(({ topic }) => topic)).toEqual(['wallet', 'wallet']);
    expect(spot.messages.at(-1)).toMatchObject({ id: expect.any(String), creationTime: rig.emulator.now() });
    linear.say({ op: 'unsubscribe', args: ['wallet'] });
    linear.messages.splice(0);
    rig.post('/v5/order/create', ORDER);
    expect(linear.messages).toEqual([]);
  });

  it('answers a ping, and is cut when it hears nothing for so long', async () => {
    const rig = testEmulator();
    const quiet = rig.userStream(['order'], '?max_active_time=1m');
    const alive = rig.userStream(['order']);
    alive.say({ req_id: 'p', op: 'ping' });
    expect(alive.messages).toEqual([
      { req_id: 'p', op: 'pong', args: [String(rig.emulator.now())], conn_id: expect.any(String) },
    ]);
    for (let i = 0; i < 60; i++) {
      await rig.clock.advance(20_000);
      alive.say({ op: 'ping' });
    }
    expect(quiet.closes).toHaveLength(1);
    expect(alive.closes).toEqual([]);
    await rig.clock.advance(640_000);
    expect(alive.closes).toHaveLength(1);
  });

  it('opens 500 times in five minutes and no more', async () => {
    const rig = testEmulator();
    const open = () =>
      rig.emulator.connect('/v5/private', { message: () => {}, ping: () => {}, close: () => {} });
    for (let i = 0; i < 500; i++) open()?.closed();
    expect(open()).toBe(null);
    await rig.clock.advance(300_001);
    expect(open()).not.toBe(null);
  });

  it('ends with its key, and with a restart', () => {
    const rig = testEmulator();
    const one = rig.userStream();
    rig.emulator.revoke(TEST_KEY.apiKey);
    expect(one.closes).toHaveLength(1);
    rig.emulator.addKey(TEST_KEY);
    const two = rig.userStream();
    const market = rig.socket('/v5/public/spot');
    rig.emulator.shutdown();
    expect([two.closes.length, market.closes.length]).toEqual([1, 1]);
  });
});

describe('public streams', () => {
  it('acknowledge as their category does, take ten topics of spot at once, and refuse the whole for one', () => {
    const rig = testEmulator();
    const spot = rig.socket('/v5/public/spot');
    const linear = rig.socket('/v5/public/linear');
    spot.say({ req_id: '1', op: 'subscribe', args: ['publicTrade.BTCUSDT'] });
    linear.say({ op: 'subscribe', args: ['publicTrade.BTCUSDT'] });
    expect(spot.messages[0]).toMatchObject({
      success: true,
      ret_msg: 'subscribe',
      req_id: '1',
      op: 'subscribe',
    });
    expect(linear.messages[0]).toMatchObject({ success: true, ret_msg: '', req_id: '' });
    spot.say({ op: 'ping' });
    expect(spot.messages[1]).toMatchObject({ success: true, ret_msg: 'pong', op: 'ping' });
    const many = Array.from({ length: 11 }, (_, i) => `kline.${['1', '3', '5'][i % 3]}.BTCUSDT`);
    spot.say({ op: 'subscribe', args: many });
    linear.say({ op: 'subscribe', args: many });
    expect([spot.messages.at(-1).success, linear.messages.at(-1).success]).toEqual([false, true]);
    spot.say({ op: 'subscribe', args: ['publicTrade.ETHUSDT', 'publicTrade.NOPE'] });
    expect(spot.messages.at(-1)).toMatchObject({
      success: false,
      ret_msg: 'Invalid topic: publicTrade.NOPE',
    });
    rig.emulator.printSpot('ETHUSDT', '2501');
    expect(spot.messages.at(-1)).toMatchObject({ success: false });
  });

  it("carry trades with the taker's side, and of tickers what has changed on linear, all on spot", () => {
    const rig = testEmulator();
    const spot = rig.socket('/v5/public/spot');
    const linear = rig.socket('/v5/public/linear');
    for (const socket of [spot, linear]) {
      socket.say({ op: 'subscribe', args: ['publicTrade.BTCUSDT', 'tickers.BTCUSDT'] });
      socket.messages.splice(0, 1);
    }
    expect(spot.messages[0].data).not.toHaveProperty('bid1Price');
    expect(linear.messages[0]).toMatchObject({
      type: 'snapshot',
      data: { fundingIntervalHour: '8', markPrice: '60020.00' },
    });
    rig.emulator.printSpot('BTCUSDT', '60001', '0.5', false);
    rig.emulator.printLinear('BTCUSDT', '60030', '0.5');
    const trades = [...spot.messages, ...linear.messages].filter(
      ({ topic }) => topic === 'publicTrade.BTCUSDT',
    );
    expect(trades.map(({ data }) => [data[0].S, data[0].p, data[0].v])).toEqual([
      ['Buy', '60001.0', '0.5'],
      ['Sell', '60030.00', '0.5'],
    ]);
    const delta = linear.messages.find(({ type }) => type === 'delta');
    expect(delta.data).toMatchObject({ symbol: 'BTCUSDT', lastPrice: '60030.00' });
    expect(delta.data).not.toHaveProperty('fundingRate');
    expect(spot.messages.at(-1)).toMatchObject({
      topic: 'tickers.BTCUSDT',
      type: 'snapshot',
      data: { lastPrice: '60001.0', prevPrice24h: expect.any(String) },
    });
  });

  it('close a candle at its end, also without a trade, as REST has it', async () => {
    const rig = testEmulator();
    const { say, messages } = rig.socket('/v5/public/linear');
    say({ op: 'subscribe', args: ['kline.1.BTCUSDT'] });
    for (const price of ['60022', '60030', '60010', '60025']) rig.emulator.printLinear('BTCUSDT', price, '2');
    await rig.clock.advance(121_000);
    const closed = messages.filter(({ data }) => data?.[0]?.confirm).map(({ data }) => data[0]);
    expect(closed.map(({ start, close }) => [start, close])).toEqual([
      [Date.UTC(2026, 10, 25, 12, 0), '60025.00'],
      [Date.UTC(2026, 10, 25, 12, 1), '60025.00'],
    ]);
    const rows = rig.open('/v5/market/kline', { symbol: 'BTCUSDT', interval: '1', limit: '3' }).result.list;
    expect(rows.at(-1)).toEqual([
      String(closed[0].start),
      '60022.00',
      '60030.00',
      '60010.00',
      '60025.00',
      '8',
      closed[0].turnover,
    ]);
  });
});

describe('the virtual network', () => {
  const signedOrder = (rig: ReturnType<typeof testEmulator>, id: string) => {
    const body = JSON.stringify({ ...ORDER, orderLinkId: id });
    return { rig, body };
  };

  it('carries requests and sockets, and loses an answer of what was executed', async () => {
    const rig = testEmulator();
    const net = new EmulatorNet({
      emulator: rig.emulator,
      clock: rig.clock,
      dice: new Dice(1, 'net'),
      faults: { answerLost: 1, delayMs: [5, 5] },
    });
    const { body } = signedOrder(rig, 'lost');
    const timestamp = String(rig.emulator.now());
    const { createHmac } = await import('node:crypto');
    const sign = createHmac('sha256', TEST_KEY.secret)
      .update(`${timestamp}${TEST_KEY.apiKey}5000${body}`)
      .digest('hex');
    const answers: WireAnswer[] = [];
    void net
      .request({
        origin: 'https://api.bybit.com',
        method: 'POST',
        path: '/v5/order/create',
        headers: {
          'X-BAPI-API-KEY': TEST_KEY.apiKey,
          'X-BAPI-TIMESTAMP': timestamp,
          'X-BAPI-RECV-WINDOW': '5000',
          'X-BAPI-SIGN': sign,
        },
        body,
        timeoutMs: 1_000,
        bytesMax: 1_000_000,
      })
      .then((answer) => answers.push(answer));
    await rig.clock.advance(2_000);
    expect(answers).toEqual([{ kind: 'lost', cause: 'socket hang up' }]);
    expect(rig.get('/v5/order/realtime', { category: 'spot', orderLinkId: 'lost' }).result.list).toHaveLength(
      1,
    );
  });

  it('rejects orders after their acknowledgement when the faults say so, and keeps their turn on a slow way to the engine', async () => {
    const rig = testEmulator({ matchMs: [1, 50] });
    const struck: string[] = [];
    const net = new EmulatorNet({
      emulator: rig.emulator,
      clock: rig.clock,
      dice: new Dice(1, 'net'),
      struck: (fault) => struck.push(fault),
    });
    const { rows } = rig.userStream();
    const limit = { ...ORDER, orderType: 'Limit', qty: '0.001', price: '59000' };
    for (let i = 0; i < 5; i++) {
      rig.post('/v5/order/create', { ...limit, orderLinkId: `n${i}` });
      rig.post('/v5/order/cancel', { category: 'spot', symbol: 'BTCUSDT', orderLinkId: `n${i}` });
    }
    await rig.clock.advance(50);
    const told = rows('order').map(({ orderLinkId, orderStatus }) => `${orderLinkId} ${orderStatus}`);
    expect(told).toEqual([0, 1, 2, 3, 4].flatMap((i) => [`n${i} New`, `n${i} Cancelled`]));
    net.faults = { lateReject: 1 };
    rig.post('/v5/order/create', { ...limit, orderLinkId: 'late' });
    await rig.clock.advance(50);
    expect(rows('order').at(-1)).toMatchObject({ orderStatus: 'Rejected', orderLinkId: 'late' });
    expect(struck).toEqual(['rejected after its acknowledgement']);
  });

  it('speaks as the gate does: busy, too many, shut out, unknown', () => {
    const rig = testEmulator();
    const { gate } = rig.emulator;
    expect(gate.failed().status).toBe(429);
    expect(JSON.parse(gate.limited().body)).toMatchObject({ retCode: 10_006 });
    const codes = new Set(
      Array.from({ length: 40 }, (_, i) => gate.unknown(new Dice(i, 'x')).body.slice(0, 19)),
    );
    expect(codes.size).toBe(4);
    expect(gate.banned().status).toBe(403);
    expect(rig.open('/v5/market/time').status).toBe(403);
  });
});
