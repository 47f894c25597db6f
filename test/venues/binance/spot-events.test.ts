/**
 * Events of a spot account, as the whole account tells them: orders and executions field by field, two of
 * each, balances and moves of the wallet, and what is asked for where an event does not say it all.
 */
import { describe, expect, it } from 'vitest';
import type { SocketEvents } from '../../../src/venues/kit/net.ts';
import { answerOf, HandAnswers } from './hand-answers-support.ts';
import { SpotCase } from './spot-support.ts';

const ACCOUNT = 'GET /api/v3/account';
const INFO = 'GET /api/v3/exchangeInfo';

async function opened() {
  const c = new SpotCase();
  const sockets: SocketEvents[] = [];
  const socket = c.net.socket.bind(c.net);
  c.net.socket = (request, events) => {
    sockets.push(events);
    return socket(request, events);
  };
  await c.open();
  c.stream.length = 0;
  const hand = new HandAnswers(c.net);
  const tell = (event: object, text = JSON.stringify({ subscriptionId: 0, event })) =>
    sockets.at(-1)?.message(text);
  return { c, hand, tell };
}

const report = (more: object) => ({
  ...{ e: 'executionReport', E: 130, s: 'LTCUSDT', c: 'bs-1', S: 'SELL', o: 'LIMIT', f: 'GTC', q: '2.000' },
  ...{ p: '88.10', P: '0.00', F: '0.00', g: -1, C: '', x: 'TRADE', X: 'PARTIALLY_FILLED', r: 'NONE', i: 811 },
  ...{ l: '0.50', z: '0.75', L: '88.20', n: '0.00011', N: 'BNB', T: 129, t: 9_001, w: true, m: true },
  ...{ O: 100, Z: '66.15', Y: '44.10', Q: '0', W: 100, V: 'NONE' },
  ...more,
});
const nothing = { x: 'NEW', X: 'NEW', t: -1, l: '0.0', z: '0.0', Z: '0.0', L: '0.0', n: '0', N: null };
const TERMS = {
  ...{ side: 'SELL', type: 'LIMIT', price: '88.1', timeInForce: 'GTC', reduceOnly: false },
  ...{ closePosition: false, positionSide: 'BOTH', workingType: 'CONTRACT_PRICE' },
};
const STATE = {
  ...{ clientId: 'bs-1', symbol: 'LTCUSDT', status: 'WORKING', origQty: '2', cumQty: '0.75' },
  ...{ quoteQty: '66.15', seq: 129, time: 129, venueIds: ['811'], terms: TERMS },
};
const FILL = {
  ...{ tradeId: '9001', clientId: 'bs-1', venueId: '811', symbol: 'LTCUSDT', side: 'SELL', price: '88.2' },
  ...{ qty: '0.5', comm: '0.00011', commAsset: 'BNB', maker: true, rPnl: null, posSide: 'BOTH', time: 129 },
};

describe('an execution report of spot', () => {
  it('is the order as it is then, and its execution before it', async () => {
    const { c, tell } = await opened();
    const seen: string[] = [];
    const [fills, states] = [c.fills, c.states];
    for (const [list, name] of [
      [fills, 'fill'],
      [states, 'order'],
    ] as const) {
      const push = list.push.bind(list) as (...more: never[]) => number;
      list.push = (...more: never[]) => {
        seen.push(name);
        return push(...more);
      };
    }
    tell(report({}));
    tell(
      report({
        ...{ s: 'ETHBTC', c: 'of-the-cancel', C: 'web-2', S: 'BUY', f: 'IOC', F: '0.100', p: '0.050', i: 7 },
        ...{ x: 'TRADE', X: 'FILLED', q: '3', l: '1.5', z: '3.0', Z: '0.15', L: '0.049', n: '0', N: null },
        ...{ T: 140, t: 12, m: false },
      }),
    );
    expect(seen).toEqual(['fill', 'order', 'fill', 'order']);
    expect([...fills]).toEqual([
      FILL,
      {
        ...FILL,
        ...{ tradeId: '12', clientId: 'web-2', venueId: '7', symbol: 'ETHBTC', side: 'BUY', price: '0.049' },
        // The fee is told in no asset.
        ...{ qty: '1.5', comm: '0', commAsset: 'BTC' },
        ...{ maker: false, time: 140 },
      },
    ]);
    expect([...states]).toEqual([
      STATE,
      {
        ...STATE,
        ...{ clientId: 'web-2', symbol: 'ETHBTC', status: 'FILLED', origQty: '3', cumQty: '3' },
        ...{ quoteQty: '0.15', seq: 140, time: 140, venueIds: ['7'] },
        terms: { ...TERMS, side: 'BUY', price: '0.05', timeInForce: 'IOC', icebergQty: '0.1' },
      },
    ]);
    expect([c.stream, c.reports]).toEqual([[], []]);
  });

  it.each<[string, object, object]>([
    ['a new one', { ...nothing }, { status: 'WORKING', cumQty: '0' }],
    ['a stop that waits', { ...nothing, o: 'STOP_LOSS_LIMIT', P: '90.0', w: false }, { status: 'PENDING' }],
    ['a stop on the book', { ...nothing, o: 'STOP_LOSS_LIMIT', P: '90.0', w: true }, { status: 'WORKING' }],
    [
      'a trailing stop that follows',
      { ...nothing, o: 'STOP_LOSS', P: '90.0', w: false, D: 55 },
      { status: 'PENDING', armedAt: 55 },
    ],
    ['one that was changed', { ...nothing, c: 'bs-1', C: '', x: 'REPLACED' }, { status: 'WORKING' }],
    [
      'one that was ended by a request',
      { ...nothing, c: 'x', C: 'bs-1', x: 'CANCELED', X: 'CANCELED', z: '0.75' },
      { status: 'CANCELLED', text: 'cancelled', cumQty: '0.75' },
    ],
    [
      'one that was refused',
      { ...nothing, x: 'REJECTED', X: 'REJECTED', r: 'INSUFFICIENT_BALANCE' },
      { status: 'REJECTED', text: 'rejected: INSUFFICIENT_BALANCE' },
    ],
    [
      'one that met another of the account',
      { ...nothing, x: 'TRADE_PREVENTION', X: 'EXPIRED_IN_MATCH' },
      { status: 'CANCELLED', text: 'expired: self-trade prevention' },
    ],
    [
      'one that expired, by the newer of its reasons',
      { ...nothing, x: 'EXPIRED', X: 'EXPIRED', r: 'OLDER', eR: 'NEWER' },
      { status: 'CANCELLED', text: 'expired: NEWER' },
    ],
    [
      'one that was ended, with the figures of its last execution',
      { c: 'x', C: 'bs-1', x: 'CANCELED', X: 'CANCELED' },
      { status: 'CANCELLED' },
    ],
    ['an execution without a quantity', { l: '0.000' }, { status: 'WORKING' }],
    ['an execution without a number', { t: -1 }, { status: 'WORKING' }],
  ])('of %s tells no execution', async (_, more, told) => {
    const { c, tell } = await opened();
    tell(report(more));
    expect(c.states).toMatchObject([{ clientId: 'bs-1', venueIds: ['811'], ...told }]);
    expect(c.states[0]?.armedAt).toBe((told as { armedAt?: number }).armedAt);
    expect(c.fills).toEqual([]);
  });

  it('keeps numbers that no double can hold, of two orders and two executions', async () => {
    const { c, tell } = await opened();
    for (const [i, t] of [
      ['9223372036854775806', '9223372036854775801'],
      ['9223372036854775807', '9223372036854775802'],
    ] as const)
      tell(
        {},
        JSON.stringify({ event: report({}) })
          .replace(':811', `:${i}`)
          .replace(':9001', `:${t}`),
      );
    expect(c.states.map(({ venueIds }) => venueIds?.[0])).toEqual(c.fills.map(({ venueId }) => venueId));
    expect(c.fills.map(({ venueId, tradeId }) => `${venueId} ${tradeId}`)).toEqual([
      '9223372036854775806 9223372036854775801',
      '9223372036854775807 9223372036854775802',
    ]);
  });

  it('with a word that nobody knows tells its execution, and asks for a comparison', async () => {
    const { c, tell } = await opened();
    tell(report({ X: 'PAUSED' }));
    expect([c.fills, c.states, c.stream]).toEqual([[FILL], [], ['gap']]);
    expect(c.reports).toEqual(['mine-spot: an event of the account: its status PAUSED is not known']);
    // A type that nobody knows leaves the order without terms only.
    tell(report({ o: 'PEGGED' }));
    const { terms: _, ...state } = STATE;
    expect(c.states).toEqual([state]);
  });
});

describe('a spot account that opens', () => {
  it('compares where more came meanwhile than can be kept, and tells what comes after that', async () => {
    const c = new SpotCase();
    const sockets: SocketEvents[] = [];
    const socket = c.net.socket.bind(c.net);
    c.net.socket = (request, events) => {
      sockets.push(events);
      return socket(request, events);
    };
    const hand = new HandAnswers(c.net);
    const text = JSON.stringify({ event: { e: 'listStatus', E: 1 } });
    hand.by(ACCOUNT, () => {
      for (let n = 0; n <= 50_000; n++) sockets.at(-1)?.message(text);
      sockets.at(-1)?.message(JSON.stringify({ event: report({}) }));
      return answerOf({ updateTime: 1, balances: [] });
    });
    await c.open();
    expect([c.stream, c.states, c.fills]).toEqual([['up', 'gap'], [], []]);
    sockets.at(-1)?.message(JSON.stringify({ event: report({}) }));
    expect(c.states).toEqual([STATE]);
  });

  it('stays closed where it was closed meanwhile: it says nothing of that, and asks nothing any more', async () => {
    const c = new SpotCase();
    const hand = new HandAnswers(c.net);
    const request = c.net.request;
    c.net.request = async (asked) => {
      const answer = await request(asked);
      if (asked.path.startsWith('/api/v3/account')) await c.venue.close();
      return answer;
    };
    await expect(c.open()).rejects.toThrow('it was closed');
    expect(hand.names()).toContain(ACCOUNT);
    await c.clock.advance(2 * 3_600_000);
    expect([hand.names(), c.reports, c.net.sockets, c.stream]).toEqual([[], [], 0, ['up']]);
  });

  it('knows the quote of a symbol that is listed no more, since its last fee may be told in no asset', async () => {
    const c = new SpotCase();
    const { body } = c.ask('GET', '/api/v3/exchangeInfo', {});
    const [first] = body.symbols;
    const pair = { ...first, symbol: 'ETHBTC', baseAsset: 'ETH', quoteAsset: 'BTC' };
    const hand = new HandAnswers(c.net).on(INFO, { ...body, symbols: [first, pair] });
    const sockets: SocketEvents[] = [];
    const socket = c.net.socket.bind(c.net);
    c.net.socket = (request, events) => {
      sockets.push(events);
      return socket(request, events);
    };
    await c.open();
    hand.on(INFO, { ...body, symbols: [first] });
    c.venue.relist?.();
    await c.clock.advance(100);
    expect(c.venue.instruments().map(({ symbol }) => symbol)).toEqual([first.symbol]);
    for (const s of ['ETHBTC', 'NEVERHEARD', first.symbol])
      sockets.at(-1)?.message(JSON.stringify({ event: report({ s, n: '0', N: null }) }));
    expect(c.fills.map(({ commAsset }) => commAsset)).toEqual(['BTC', 'USDT', first.quoteAsset]);
  });
});

describe('the wallet of a spot account', () => {
  it('is told as it is then, and an asset that is gone is told as none from then on', async () => {
    const { c, hand, tell } = await opened();
    tell({
      ...{ e: 'outboundAccountPosition', E: 5, u: 4 },
      B: [
        { a: 'LTC', f: '1.50', l: '0.25' },
        { a: 'XYZ', f: '0.00', l: '10.0' },
      ],
    });
    expect(c.balances).toEqual([
      { asset: 'LTC', free: '1.5', locked: '0.25', time: 4 },
      { asset: 'XYZ', free: '0', locked: '10', time: 4 },
    ]);
    hand.on(ACCOUNT, { updateTime: 9, balances: [{ asset: 'LTC', free: '1', locked: '0' }] });
    expect(await c.result(c.venue.balances())).toEqual([
      { asset: 'LTC', free: '1', locked: '0', time: 9 },
      { asset: 'XYZ', free: '0', locked: '0', time: 9 },
    ]);
    expect(c.moved).toBe(0);
  });

  it('is told move by move: what goes out, what comes in, and no move twice', async () => {
    const { c, tell } = await opened();
    const move = (a: string, d: string, T: number) => tell({ e: 'balanceUpdate', E: T + 1, a, d, T });
    move('LTC', '-1.50', 100);
    move('LTC', '-1.50', 100);
    move('LTC', '1.50', 100);
    move('USDT', '-1.50', 100);
    move('LTC', '-1.50', 101);
    expect(c.moved).toBe(5);
    const page = await c.result(c.venue.ledger?.({ after: null, since: 0, limit: 9 }) ?? Promise.reject());
    expect(page?.rows.map(({ time, asset, amount, kind }) => [time, asset, amount, kind])).toEqual([
      [100, 'LTC', '-1.5', 'transfer'],
      [100, 'LTC', '1.5', 'transfer'],
      [100, 'USDT', '-1.5', 'transfer'],
      [101, 'LTC', '-1.5', 'transfer'],
    ]);
    expect(new Set(page?.rows.map(({ id }) => id)).size).toBe(4);
  });

  it('that something else has locked is asked about, and compared where that fails', async () => {
    const { c, hand, tell } = await opened();
    const locked = { e: 'externalLockUpdate', E: 2, a: 'LTC', d: '-1', T: 1 };
    hand.on(ACCOUNT, { updateTime: 9, balances: [{ asset: 'LTC', free: '1', locked: '3' }] });
    tell(locked);
    await c.clock.advance(50);
    expect(c.balances).toContainEqual({ asset: 'LTC', free: '1', locked: '3', time: 9 });
    expect([hand.names(), c.stream]).toEqual([[ACCOUNT], []]);
    c.balances.length = 0;
    hand.on(ACCOUNT, 'busy', 500);
    tell(locked);
    await c.clock.advance(50);
    expect([hand.names(), c.balances, c.stream]).toEqual([[ACCOUNT], [], ['gap']]);
    // Nothing is told of an account that is closed meanwhile.
    tell(locked);
    await c.venue.close();
    await c.clock.advance(50);
    expect(c.stream).toEqual(['gap']);
  });

  it.each<[string, object]>([
    ['balances', { e: 'outboundAccountPosition', E: 5, u: 4, B: [{ a: 'LTC', f: 1, l: '0' }] }],
    ['a move', { e: 'balanceUpdate', E: 5, a: 'LTC', d: 'some', T: 4 }],
    ['an order', report({ m: 'yes' })],
    ['no kind', { E: 5 }],
  ])('and orders are compared where an event cannot be read: %s', async (_, event) => {
    const { c, tell } = await opened();
    tell(event);
    expect([c.stream, c.balances, c.states, c.moved]).toEqual([['gap'], [], [], 0]);
    expect(c.reports).toHaveLength(1);
  });
});
