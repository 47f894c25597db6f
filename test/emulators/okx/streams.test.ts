/**
 * Sockets: logins, subscriptions, pushes, and closing. Sources: OKX v5 "WebSocket", "Error Code" 600xx and
 * close frames, channel pages.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { TEST_KEY } from './keys.ts';
import { testEmulator } from './support.ts';

const ORDER = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '59000', sz: '0.01' };

describe('logins', () => {
  it('are needed for what is one’s own, and refused a second time', () => {
    const { socket, loginArg } = testEmulator();
    const stream = socket('private');
    stream.op('subscribe', { channel: 'orders', instType: 'ANY' });
    expect(stream.messages.at(-1)).toMatchObject({ event: 'error', code: '60011' });
    stream.op('login', loginArg());
    expect(stream.messages.at(-1)).toMatchObject({ event: 'login', code: '0', connId: expect.any(String) });
    stream.op('login', loginArg());
    expect(stream.messages.at(-1)).toMatchObject({ event: 'error', code: '60031' });
  });

  it('fail with a code, and then the socket is closed', () => {
    const { socket, loginArg, emulator } = testEmulator({ limitFactor: 10 });
    const said = (more: Record<string, string>) => {
      const stream = socket('private');
      stream.op('login', { ...loginArg(), ...more });
      return [stream.messages.at(-1).code, ...stream.closes];
    };
    const closed = '4001 Login Failed';
    expect(said({ passphrase: 'x' })).toEqual(['60024', closed]);
    expect(said({ sign: 'x' })).toEqual(['60007', closed]);
    expect(said({ apiKey: 'x' })).toEqual(['60005', closed]);
    expect(said({ apiKey: '00000000-0000-4000-8000-0000000000ff' })).toEqual(['60032', closed]);
    expect(said({ timestamp: String(emulator.now()) })).toEqual(['60004', closed]);
    expect(said({ timestamp: String(Math.floor(emulator.now() / 1000) - 31) })).toEqual(['60006', closed]);
  });

  it('end with the key', () => {
    const { socket, emulator } = testEmulator();
    const stream = socket('private', true);
    emulator.revoke(TEST_KEY.apiKey);
    expect(stream.closes).toEqual(['4007 API key has been updated or deleted. Please reconnect.']);
  });
});

describe('subscriptions', () => {
  it('are echoed with the request’s id, and refused on the wrong address or name', () => {
    const { socket } = testEmulator({ limitFactor: 10 });
    const open = socket('public');
    open.session.message(
      JSON.stringify({ id: 'q1', op: 'subscribe', args: [{ channel: 'tickers', instId: 'BTC-USDT' }] }),
    );
    expect(open.messages[0]).toEqual({
      id: 'q1',
      event: 'subscribe',
      arg: { channel: 'tickers', instId: 'BTC-USDT' },
      connId: expect.any(String),
    });
    const said = (address: 'public' | 'private' | 'business', arg: Record<string, string>) => {
      const stream = socket(address, address !== 'public');
      stream.op('subscribe', arg);
      return stream.messages.at(-1).code;
    };
    expect(said('public', { channel: 'candle1m', instId: 'BTC-USDT' })).toBe('64001');
    expect(said('private', { channel: 'orders-algo', instType: 'ANY' })).toBe('64001');
    expect(said('business', { channel: 'orders', instType: 'ANY' })).toBe('64002');
    expect(said('public', { channel: 'orders', instType: 'ANY' })).toBe('60008');
    expect(said('public', { channel: 'tickers', instId: 'NO-USDT' })).toBe('60018');
    expect(said('public', { channel: 'nothing' })).toBe('60018');
    expect(said('private', { channel: 'orders' })).toBe('60018');
    expect(said('private', { channel: 'fills', instId: 'BTC-USDT' })).toBe('64003');
  });

  it('answer what is no request, and bound what is', () => {
    const { socket } = testEmulator({ limitFactor: 10 });
    const stream = socket('public');
    const said = (text: string) => {
      stream.session.message(text);
      return stream.messages.at(-1).code;
    };
    expect(said('{')).toBe('60012');
    expect(said('{"op":"place","args":[{}]}')).toBe('60019');
    expect(said('{"op":"subscribe","args":{}}')).toBe('60013');
    for (let i = 0; i < 480; i++) stream.op('subscribe', { channel: 'status' });
    expect(said('{"op":"subscribe","args":[{"channel":"status"}]}')).toBe('60014');
    const big = socket('public');
    big.session.message('x'.repeat(65_537));
    expect(big.closes).toEqual(['1009 Request message exceeds the maximum frame length']);
  });

  it('say how many connections a channel has, and end the thirty-first', () => {
    const { socket } = testEmulator({ limitFactor: 20 });
    const streams = Array.from({ length: 31 }, () => socket('private', true));
    for (const stream of streams) stream.op('subscribe', { channel: 'orders', instType: 'ANY' });
    expect(streams[1]?.messages.at(-1)).toMatchObject({
      event: 'channel-conn-count',
      channel: 'orders',
      connCount: '2',
    });
    expect(streams[30]?.messages.at(-1)).toMatchObject({ event: 'channel-conn-count-error' });
    expect(streams[30]?.messages.at(-2)).toMatchObject({ event: 'subscribe' });
  });

  it('open at most three sockets a second', async () => {
    const { socket, clock } = testEmulator();
    for (let i = 0; i < 3; i++) socket('public');
    expect(() => socket('public')).toThrow('no socket');
    await clock.advance(1001);
    socket('public');
  });
});

describe('the life of a socket', () => {
  it('ends after thirty seconds of silence, which a ping or a push breaks', async () => {
    const { socket, clock } = testEmulator();
    const [silent, alive] = [socket('public'), socket('public')];
    for (let i = 0; i < 3; i++) {
      await clock.advance(20_000);
      alive.session.message('ping');
      expect(alive.messages.at(-1)).toBe('pong');
    }
    expect(silent.closes).toEqual(['4004 No data received in 30s']);
    expect(alive.closes).toEqual([]);
  });

  it('is told a minute before a service upgrade, but for the business socket', async () => {
    const { socket, clock, emulator } = testEmulator();
    const streams = [socket('public'), socket('business')];
    emulator.shutdown();
    expect(streams.map(({ messages }) => messages.at(-1)?.code)).toEqual(['64008', undefined]);
    for (let i = 0; i < 3; i++) {
      for (const { session } of streams) session.message('ping');
      await clock.advance(20_000);
    }
    expect(streams.map(({ closes }) => closes.length)).toEqual([1, 1]);
  });

  it('closes trading for maintenance, and says so', () => {
    const { order, emulator, socket, post, get } = testEmulator();
    const stream = socket('public');
    stream.op('subscribe', { channel: 'status' });
    emulator.maintain('ongoing');
    expect(stream.rows('status')[0]).toMatchObject({ state: 'ongoing', serviceType: '5' });
    expect(post('/api/v5/trade/order', ORDER)).toMatchObject({ status: 503, body: { code: '50001' } });
    emulator.maintain('completed');
    expect(order(ORDER).sCode).toBe('0');
    expect(get('/api/v5/system/status').body.data).toEqual([]);
  });
});

describe('pushes of an account', () => {
  it('begin with pages of a snapshot for balances and positions, and with nothing for orders', () => {
    const { socket, order } = testEmulator();
    order({ instId: 'BTC-USDT-SWAP', tdMode: 'cross', side: 'buy', ordType: 'market', sz: '1' });
    const stream = socket('private', true);
    stream.op(
      'subscribe',
      { channel: 'account' },
      { channel: 'positions', instType: 'SWAP' },
      { channel: 'orders', instType: 'ANY' },
      { channel: 'balance_and_position' },
    );
    const pushes = stream.messages.filter(({ data }) => data);
    expect(
      pushes.map(({ arg, eventType, curPage, lastPage }) => [arg.channel, eventType, curPage, lastPage]),
    ).toEqual([
      ['account', 'snapshot', 1, true],
      ['positions', 'snapshot', 1, true],
      ['balance_and_position', undefined, undefined, undefined],
    ]);
    expect(pushes[2].data[0]).toMatchObject({ eventType: 'snapshot', posData: [{ pos: '1' }] });
  });

  it('come every five seconds in full, unless only events are wanted', async () => {
    const { socket, clock } = testEmulator();
    const [regular, events] = [socket('private', true), socket('private', true)];
    regular.op('subscribe', { channel: 'account' });
    events.op('subscribe', { channel: 'account', extraParams: '{"updateInterval": "0"}' });
    expect(events.messages.find(({ event }) => event === 'subscribe').arg).toEqual({ channel: 'account' });
    await clock.advance(12_000);
    const count = ({ messages }: { messages: { eventType?: string }[] }) =>
      messages.filter(({ eventType }) => eventType === 'snapshot').length;
    expect([count(regular), count(events)]).toEqual([3, 1]);
  });

  it('join what happens within a moment, with only the currencies that changed', async () => {
    const { socket, order, clock } = testEmulator();
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'account' });
    order(ORDER);
    order({ ...ORDER, px: '58000' });
    await clock.advance(60);
    const updates = stream.messages.filter(({ eventType }) => eventType === 'event_update');
    expect(updates).toHaveLength(1);
    expect(updates[0].data[0].details.map(({ ccy }: { ccy: string }) => ccy).sort()).toEqual(['BTC', 'USDT']);
  });

  it('tell a closed position with 0, and leave out a currency that has nothing left', async () => {
    const { socket, order, clock } = testEmulator({ balances: { USDT: '100000', ADA: '100' } });
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'account' }, { channel: 'positions', instType: 'ANY' });
    const swap = { instId: 'BTC-USDT-SWAP', tdMode: 'cross', ordType: 'market', sz: '1' };
    order({ ...swap, side: 'buy' });
    order({ ...swap, side: 'sell', reduceOnly: true });
    order({ instId: 'ADA-USDT', tdMode: 'cash', side: 'sell', ordType: 'market', sz: '100' });
    await clock.advance(60);
    expect(stream.rows('positions').at(-1)).toMatchObject({ pos: '0', avgPx: '' });
    const { details } = stream.rows('account').at(-1);
    expect(details.map(({ ccy }: { ccy: string }) => ccy)).toEqual(['USDT']);
  });

  it('are only of the kind that was asked for', () => {
    const { socket, order } = testEmulator();
    const stream = socket('private', true);
    stream.op(
      'subscribe',
      { channel: 'orders', instType: 'SWAP' },
      { channel: 'orders', instType: 'SPOT', instId: 'ETH-USDT' },
    );
    order(ORDER);
    expect(stream.rows('orders')).toEqual([]);
    order({ ...ORDER, instId: 'ETH-USDT', px: '2400' });
    expect(stream.rows('orders')).toHaveLength(1);
  });

  it('warn of positions that come near their end, and tell of money from outside', async () => {
    const { socket, order, emulator, clock } = testEmulator();
    order({ instId: 'BTC-USDT-SWAP', tdMode: 'cross', side: 'buy', ordType: 'market', sz: '1' });
    const stream = socket('private', true);
    stream.op(
      'subscribe',
      { channel: 'liquidation-warning', instType: 'ANY' },
      { channel: 'balance_and_position' },
    );
    emulator.acts.warn('main');
    expect(stream.rows('liquidation-warning')).toMatchObject([
      { instId: 'BTC-USDT-SWAP', pos: '1', posSide: 'net' },
    ]);
    emulator.exchange.transfer('main', 'ETH', dec('-2'));
    await clock.advance(60);
    expect(stream.rows('balance_and_position').at(-1)).toMatchObject({
      eventType: 'transferred',
      balData: [{ ccy: 'ETH', cashBal: '8' }],
      posData: [],
    });
  });

  it('hides a new order from questions for a while', async () => {
    const { order, get, clock } = testEmulator({ hiddenMs: 500 });
    order({ ...ORDER, clOrdId: 'h1' });
    const code = () => get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'h1' }).body.code;
    expect(code()).toBe('51603');
    expect(get('/api/v5/trade/orders-pending').body.data).toEqual([]);
    await clock.advance(500);
    expect(code()).toBe('0');
  });
});

describe('market data', () => {
  it('pushes trades, tickers and marks', async () => {
    const { socket, emulator, clock } = testEmulator();
    const stream = socket('public');
    for (const channel of ['trades', 'tickers', 'mark-price'])
      stream.op('subscribe', { channel, instId: 'BTC-USDT-SWAP' });
    await clock.advance(500);
    emulator.trade('BTC-USDT-SWAP', '60100', '3', false);
    expect(stream.rows('trades')).toMatchObject([{ px: '60100', sz: '3', side: 'buy', count: '1' }]);
    expect(stream.rows('tickers').at(-1)).toMatchObject({
      last: '60100',
      askPx: '60100.1',
      bidPx: '60099.9',
    });
    expect(stream.rows('mark-price').at(-1)).toMatchObject({ markPx: '60100', instType: 'SWAP' });
  });

  it('closes candles with confirm 1, over the stream and over REST alike', async () => {
    const { socket, emulator, clock, get } = testEmulator();
    const stream = socket('business');
    stream.op('subscribe', { channel: 'candle1m', instId: 'BTC-USDT' });
    emulator.trade('BTC-USDT', '60500', '2');
    for (let i = 0; i < 4; i++) {
      await clock.advance(20_000);
      stream.session.message('ping');
    }
    const closed = stream.rows('candle1m').filter((row) => row[8] === '1');
    expect(closed).toHaveLength(1);
    expect(closed[0].slice(1, 6)).toEqual(['60500', '60500', '60500', '60500', '2']);
    const [now, before] = get('/api/v5/market/candles', { instId: 'BTC-USDT', limit: '2' }).body.data;
    expect([now[8], before]).toEqual(['0', closed[0]]);
  });

  it('pages candles back, in contracts and base for swaps, and begins days at UTC+8 unless told otherwise', () => {
    const { get } = testEmulator();
    const candles = (params: Record<string, string>) =>
      get('/api/v5/market/history-candles', { instId: 'BTC-USDT-SWAP', ...params }).body.data;
    const [first, second] = candles({ bar: '1m', limit: '2' });
    expect(Number(first[0]) - Number(second[0])).toBe(60_000);
    expect(candles({ bar: '1m', after: first[0], limit: '1' })[0][0]).toBe(second[0]);
    expect(candles({ bar: '1m', before: second[0] }).map((row: string[]) => row[0])).toEqual([first[0]]);
    expect(Number(first[6]) * 100).toBeCloseTo(Number(first[5]), 6);
    expect(new Date(Number(candles({ bar: '1D', limit: '1' })[0][0])).getUTCHours()).toBe(16);
    expect(new Date(Number(candles({ bar: '1Dutc', limit: '1' })[0][0])).getUTCHours()).toBe(0);
    expect(candles({ limit: '300' })).toHaveLength(300);
  });

  it('tells of instruments that change', () => {
    const { socket, emulator } = testEmulator();
    const stream = socket('public');
    stream.op('subscribe', { channel: 'instruments', instType: 'SPOT' });
    expect(stream.rows('instruments').length).toBeGreaterThan(5);
    emulator.change('BTC-USDT', { tick: '0.5' });
    expect(stream.rows('instruments').at(-1)).toMatchObject({ instId: 'BTC-USDT', tickSz: '0.5' });
  });
});
