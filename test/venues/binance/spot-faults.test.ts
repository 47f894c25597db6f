/**
 * A spot account of Binance under faults: what it reports, that nothing is sent twice, and that nothing is
 * lost.
 */
import { describe, expect, it } from 'vitest';
import type { NetFaults } from '../../emulators/binance/emulator-net.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import { LIMITS } from '../../emulators/binance/limits.ts';
import { SpotCase, type SpotCaseOptions, secretsOf } from './spot-support.ts';

const LIMIT = { quantity: '0.01', price: '59000' };
const BTC = { symbol: 'BTCUSDT' };

function placements(c: SpotCase): number {
  return c.requests.filter(({ method }) => method === 'POST').length;
}

/** Number of orders at the exchange, in any state. */
function atExchange(c: SpotCase): number {
  return c.log.filter(({ kind, execution }) => kind === 'order' && execution === 'NEW').length;
}

describe('an account that cannot be opened', () => {
  it.each<[string, SpotCaseOptions, why: RegExp]>([
    [
      'a key that is not known',
      { secrets: secretsOf('x'.repeat(64)) },
      /API key is wrong, of another environment.*\(-2015\)$/,
    ],
    [
      'a key that is none',
      { secrets: secretsOf('short') },
      /has not the form of one: paste it again.*\(-2014\)$/,
    ],
    [
      'a secret of another key',
      { secrets: secretsOf(TEST_KEY.apiKey, 'y'.repeat(64)) },
      /secret does not belong to the API key.*\(-1022\)$/,
    ],
    [
      'an address that is not allowed',
      { settings: { keys: [{ ...TEST_KEY, ips: ['192.0.2.9'] }] } },
      /not allowed from this address.*\(-2015\)$/,
    ],
    [
      'a key that may not read',
      { settings: { keys: [{ ...TEST_KEY, rights: ['spot'] }] } },
      /not allowed to do this.*\(-2015\)$/,
    ],
    ['no connection', { faults: { unsent: 1 } }, /ECONNREFUSED/],
    ['a page of a gate', { faults: { htmlPage: 1 } }, /HTML came instead of an answer|refuses this network/],
    [
      'too many requests',
      { faults: { limited: 1 } },
      /takes no requests from this address for now \(HTTP 429\)/,
    ],
    ['a ban', { faults: { banned: 1 } }, /takes no requests from this address for now \(HTTP 418\)/],
    [
      'a socket that is refused',
      { faults: { socketRefused: 1 } },
      /socket of its events was not there in time/,
    ],
  ])('says what to do: %s', async (_, options, why) => {
    const c = new SpotCase(options);
    await expect(c.open()).rejects.toThrow(why);
    expect([c.stream, c.net.sockets]).toEqual([[], 0]);
  });

  it('opens when it is tried again and nothing is in the way any more', async () => {
    const c = new SpotCase({ faults: { socketRefused: 1 } });
    await expect(c.open()).rejects.toThrow();
    c.net.faults = {};
    await c.open();
    expect([c.stream, c.net.sockets]).toEqual([['up'], 1]);
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
  });

  it.each([-120_000, 120_000])('is no matter where the clocks are %s ms apart', async (clockAheadMs) => {
    const c = await new SpotCase({ settings: { clockAheadMs } }).open();
    expect(Math.abs((c.venue.health?.().clockOffsetMs ?? 0) - clockAheadMs)).toBeLessThanOrEqual(2);
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
  });
});

describe('an order whose answer is none', () => {
  it.each<[string, NetFaults, outcome: object, isThere: boolean]>([
    ['never left', { unsent: 1 }, { kind: 'rejected', reason: 'UNREACHED' }, false],
    ['was lost on its way', { requestLost: 1 }, { kind: 'unknown' }, false],
    ['had its answer lost', { answerLost: 1 }, { kind: 'unknown' }, true],
    ['was taken and answered as unknown', { executedUnknown: 1 }, { kind: 'unknown' }, true],
    ['was answered with a page', { htmlPage: 1 }, { kind: 'unknown' }, false],
    ['found the exchange too busy', { failed: 1 }, { kind: 'rejected', reason: 'OVERLOADED' }, false],
    ['was refused for the rate', { limited: 1 }, { kind: 'rejected', reason: 'RATE_LIMITED' }, false],
    ['was banned', { banned: 1 }, { kind: 'rejected', reason: 'RATE_LIMITED' }, false],
  ])('%s: it is sent once, and what is told is true', async (_, faults, outcome, isThere) => {
    const c = await new SpotCase().open();
    c.net.faults = faults;
    expect(await c.submit({ ...LIMIT, clientId: 'bs-once' })).toMatchObject(outcome);
    c.net.faults = {};
    expect([placements(c), atExchange(c)]).toEqual(
      isThere ? [1, 1] : [expect.toSatisfy((count: number) => count <= 1), 0],
    );
    const found = await c.result(c.venue.query({ clientId: 'bs-once', ...BTC }));
    expect(found.kind).toBe(isThere ? 'found' : 'absent');
  });

  it('is not known to a question for a while, and then it is', async () => {
    const c = await new SpotCase({ settings: { hiddenMs: 2_000 } }).open();
    await c.submit({ ...LIMIT, clientId: 'bs-hidden' });
    expect(await c.result(c.venue.query({ clientId: 'bs-hidden', ...BTC }))).toEqual({ kind: 'absent' });
    await c.clock.advance(2_000);
    expect(await c.result(c.venue.query({ clientId: 'bs-hidden', ...BTC }))).toMatchObject({ kind: 'found' });
    expect(c.venue.caps.settleMs).toBeGreaterThan(2_000);
  });

  it('is not signed once the vault is locked', async () => {
    const secrets = secretsOf();
    let locked = false;
    const c = await new SpotCase({
      secrets: {
        get: (field) => {
          if (locked) throw new Error('the vault is locked');
          return secrets.get(field);
        },
      },
    }).open();
    locked = true;
    const outcome = await c.submit(LIMIT);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      reason: 'UNREACHED',
      message: 'not sent: the vault is locked',
    });
    expect(placements(c)).toBe(0);
  });

  it('is refused as too late where it was under way for longer than it is valid', async () => {
    const c = await new SpotCase().open();
    c.net.faults = { delayMs: [5_100, 5_100] };
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'CLOCK' });
    c.net.faults = {};
    // The clock is measured again at once, by a request that is as slow.
    await c.clock.advance(6_000);
    expect(c.requests.filter(({ path }) => path === '/api/v3/time')).toHaveLength(2);
    expect(atExchange(c)).toBe(0);
  });

  it('is taken though somebody has set the clock of this machine', async () => {
    const c = await new SpotCase().open();
    for (const ms of [3_600_000, -7_200_000]) {
      c.clock.jump(ms);
      expect(await c.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
    }
  });
});

describe('limits', () => {
  it('are kept: nothing is refused for its rate, whatever is asked for', async () => {
    const settings = {
      spotLimits: { ...LIMITS.spot, weightPerMinute: 400 },
    };
    const c = await new SpotCase({ settings }).open();
    let over = 0;
    for (let i = 0; i < 150; i += 1) {
      void c.venue.openOrders().then((told) => told === null && over++);
      if (i % 4 === 0) void c.venue.submit(c.order({ ...LIMIT, quantity: '0.0002' }));
      await c.clock.advance(150);
    }
    await c.clock.advance(70_000);
    expect(c.requests.length).toBeGreaterThan(40);
    expect(over).toBeGreaterThan(0);
    expect(c.statuses.filter((status) => status !== 200)).toEqual([]);
  });

  it('of orders stop new orders and never a cancel', async () => {
    const c = await new SpotCase().open();
    await c.clock.advance(20_000);
    const first = await c.submit({ ...LIMIT, clientId: 'bs-first' });
    expect(first.kind).toBe('accepted');
    // Another client uses up the limit.
    for (let i = 0; i < 60; i += 1)
      c.ask('POST', '/api/v3/order', {
        ...BTC,
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '0.001',
        price: '50000',
      });
    const refused = await c.submit(LIMIT);
    expect(refused).toMatchObject({ kind: 'rejected', reason: 'RATE_LIMITED', code: '-1015' });
    const sent = placements(c);
    expect(c.venue.canSend?.('entry', 'BTCUSDT')).toMatchObject({ retryAfterMs: expect.any(Number) });
    const cancelled = await c.result(c.venue.cancel({ clientId: 'bs-first', ...BTC }), 100);
    expect(cancelled).toMatchObject({ kind: 'done' });
    const later = c.venue.submit(c.order(LIMIT));
    await c.clock.advance(500);
    expect(placements(c)).toBe(sent);
    expect(await c.result(later)).toMatchObject({ kind: 'accepted' });
  });

  it('that were broken let nothing out before their time, and a cancel goes then by itself', async () => {
    const c = await new SpotCase().open();
    await c.submit({ ...LIMIT, clientId: 'bs-a' });
    c.net.faults = { limited: 1 };
    const cancelled = c.venue.cancel({ clientId: 'bs-a', ...BTC });
    await c.clock.advance(100);
    c.net.faults = {};
    const sent = c.requests.length;
    const question = c.venue.openOrders();
    await c.clock.advance(2_500);
    expect(c.requests.length).toBe(sent);
    expect(await c.result(cancelled)).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
    expect(await c.result(question)).not.toBeNull();
  });
});

describe('the stream of its events', () => {
  it('comes back after a cut, which is told, and what was missed is found by questions', async () => {
    const c = await new SpotCase().open();
    await c.submit(LIMIT);
    c.net.cut('socket hang up', 'ws-api');
    expect(c.stream).toEqual(['up', 'down']);
    await c.print('58000');
    expect(c.fills).toEqual([]);
    await c.clock.advance(2_000);
    expect(c.stream).toEqual(['up', 'down', 'up']);
    const page = await c.result(c.venue.fills({ symbol: 'BTCUSDT', after: null, since: 0 }));
    expect(page?.fills).toHaveLength(1);
    await c.submit({ type: 'MARKET', quantity: '0.01' });
    await c.clock.advance(50);
    expect(c.fills).toHaveLength(1);
  });

  it('is changed before the exchange cuts it, and loses nothing meanwhile', async () => {
    const c = await new SpotCase().open();
    let placed = 0;
    for (let minutes = 0; minutes < 25 * 60; minutes += 150) {
      await c.submit({ type: 'MARKET', quantity: '0.0002' });
      placed += 1;
      await c.clock.advance(150 * 60_000);
    }
    const told = new Set(c.fills.map(({ tradeId }) => tradeId));
    const done = c.log.filter(({ kind }) => kind === 'fill').length;
    expect([told.size, c.stream, c.net.sockets]).toEqual([done, ['up', 'gap'], 1]);
    expect(done).toBeGreaterThanOrEqual(placed);
  });

  it('moves to another server when the exchange says that this one ends', async () => {
    const c = await new SpotCase().open();
    const asked: string[] = [];
    const socket = c.net.socket.bind(c.net);
    c.net.socket = (request, events) => {
      asked.push(request.url);
      return socket(request, events);
    };
    c.emulator.shutdown();
    await c.clock.advance(100);
    expect(asked).toHaveLength(1);
    await c.submit({ type: 'MARKET', quantity: '0.001' });
    await c.clock.advance(100);
    expect([c.stream, c.fills.length > 0, c.net.sockets]).toEqual([['up', 'gap'], true, 1]);
  });

  it('is down while the key is taken away, with the reason, and up when it is there again', async () => {
    const c = await new SpotCase().open();
    c.emulator.revoke(TEST_KEY.apiKey);
    await c.clock.advance(5_000);
    expect(c.stream).toEqual(['up', 'down']);
    expect(c.reports).toEqual(['mine-spot: the line is down: the exchange has ended the subscription']);
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'BAD_CREDENTIALS' });
    c.emulator.addKey(TEST_KEY);
    await c.clock.advance(40_000);
    expect(c.stream).toEqual(['up', 'down', 'up']);
  });

  it('may bring messages twice, late and in another order: the newest is told by its number', async () => {
    const c = await new SpotCase().open();
    c.net.faults = { duplicate: 0.5, swapped: 0.5, delayMs: [1, 40], lateAnswer: [0, 200] };
    for (let i = 0; i < 20; i += 1) {
      const { kind } = await c.submit({ ...LIMIT, clientId: `bs-${i}`, quantity: '0.001' });
      expect(kind).toBe('accepted');
      await c.print(i % 2 === 0 ? '58900' : '59500');
      if (i % 3 === 0) await c.result(c.venue.cancel({ clientId: `bs-${i}`, ...BTC }));
    }
    await c.clock.advance(1_000);
    c.net.faults = {};
    for (let i = 0; i < 20; i += 1) {
      const found = await c.result(c.venue.query({ clientId: `bs-${i}`, ...BTC }));
      if (found.kind !== 'found') throw new Error(found.kind);
      const newest = c.states
        .filter(({ clientId }) => clientId === `bs-${i}`)
        .reduce((a, b) => (b.seq > a.seq ? b : a));
      expect(newest.seq).toBe(found.state.seq);
    }
    const told = new Map(c.fills.map((fill) => [fill.tradeId, fill]));
    expect(told.size).toBe(c.log.filter(({ kind }) => kind === 'fill').length);
  });
});
