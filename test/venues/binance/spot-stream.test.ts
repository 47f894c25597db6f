/**
 * The socket of a spot account's events: it is up once its subscription is answered, a refusal says why and
 * for how long nothing may be sent, and another socket takes its place without a word being lost.
 */
import { describe, expect, it } from 'vitest';
import { binanceDialect } from '../../../src/venues/binance/dialect.ts';
import { SPOT_WEIGHT } from '../../../src/venues/binance/spot/budgets.ts';
import { SPOT_REQUESTS } from '../../../src/venues/binance/spot/requests.ts';
import { UserStream } from '../../../src/venues/binance/spot/user-stream.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { Caller } from '../../../src/venues/kit/caller.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet } from '../kit/hand-net.ts';
import { secretsOf } from './spot-support.ts';

const ADDRESS = 'wss://ws.example/ws-api/v3';
const HOUR = 3_600_000;

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  readonly way = new Addresses(this.clock).way('https://api.example');
  isLocked = false;
  readonly stream: UserStream;

  constructor() {
    const { net, clock, way, told } = this;
    const secrets = secretsOf();
    const caller = new Caller({
      ...{ net, clock, way, addresses: {}, forms: SPOT_REQUESTS, uid: () => '' },
      offset: new ClockOffset(clock),
      dialect: binanceDialect({ weight: SPOT_WEIGHT, orders: {} }),
      secrets: {
        get: (field) => {
          if (this.isLocked) throw new Error('the vault is locked');
          return secrets.get(field);
        },
      },
    });
    this.stream = new UserStream({
      ...{ net, clock, caller, address: ADDRESS, random: { next: () => 0 } },
      event: (text) => told.push(`event ${JSON.parse(text).event.n}`),
      unread: () => told.push('unread'),
      up: () => told.push('up'),
      gap: () => told.push('gap'),
      down: (cause) => told.push(`down: ${cause}`),
    });
  }

  get at() {
    return this.net.sockets.length - 1;
  }

  /** Opens the newest socket. Returns the id of what it asks for. */
  async dials(): Promise<string> {
    await this.clock.advance(600);
    this.net.sockets.at(-1)?.events.opened();
    await this.clock.advance(1);
    return this.asks();
  }

  asks(socket = this.at): string {
    return JSON.parse(this.net.sockets[socket]?.sent.at(-1) ?? '{}').id;
  }

  says(frame: object | string, socket = this.at): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    this.net.sockets[socket]?.events.message(text);
  }

  event(n: number, socket = this.at, e = 'executionReport'): void {
    this.says({ subscriptionId: 0, event: { e, n } }, socket);
  }

  /** Pings in time, so that no socket counts as dead. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      await this.clock.advance(Math.min(left, 60_000));
      for (const { events } of this.net.sockets) events.pinged();
    }
  }

  taken(): string[] {
    return this.told.splice(0);
  }
}

const DONE = (id: string) => ({ id, status: 200, result: { subscriptionId: 0 } });
const refusal = (id: string | null, status: number, data: object = {}) => ({
  id,
  status,
  error: { code: status === 400 ? -2015 : -1003, msg: 'refused', ...data },
});

async function opened() {
  const c = new Case();
  const outcome = c.stream.open(6_000);
  c.says(DONE(await c.dials()));
  expect([await outcome, c.taken()]).toEqual([null, ['up']]);
  return c;
}

describe('the stream of a spot account', () => {
  it('asks to hear of the account, and is up once that is granted', async () => {
    const c = new Case();
    let outcome: string | null | undefined;
    void c.stream.open(6_000).then((problem) => {
      outcome = problem;
    });
    expect([c.stream.isUp, c.stream.silentMs]).toEqual([false, null]);
    const id = await c.dials();
    const [socket] = c.net.sockets;
    expect([socket?.request.url, socket?.sent.length]).toEqual([`${ADDRESS}?returnRateLimits=false`, 1]);
    expect(JSON.parse(socket?.sent[0] ?? '')).toMatchObject({
      ...{ id, method: 'userDataStream.subscribe.signature' },
      params: { recvWindow: 5_000, signature: expect.any(String) },
    });
    // An answer to what nobody has asked is none.
    c.says(DONE('subscribe-9'));
    c.says({ ...DONE(id), id: 1 });
    await c.clock.advance(10);
    expect([c.taken(), outcome]).toEqual([[], undefined]);
    c.says(DONE(id));
    await c.clock.advance(0);
    expect([c.taken(), outcome, c.stream.isUp]).toEqual([['up'], null, true]);
    await c.clock.advance(700);
    expect(c.stream.silentMs).toBe(700);
    // A second answer to the same is nothing new.
    c.says(DONE(id));
    expect(c.taken()).toEqual([]);
  });

  it.each<[string, (c: Case, id: string) => void, RegExp]>([
    ['a code', (c, id) => c.says(refusal(id, 400)), /not allowed to do this.*\(-2015\)/],
    ['an error at 200', (c, id) => c.says({ ...refusal(id, 200), result: {} }), /refused \(-1003\)/],
    ['no status', (c, id) => c.says({ id }), /cannot be read/],
    ['an error without an id', (c) => c.says(refusal(null, 400)), /^the socket of its events was not/],
  ])('does not open with %s, says why, and tries again after a while', async (_, answer, why) => {
    const c = new Case();
    const outcome = c.stream.open(6_000);
    answer(c, await c.dials());
    expect(c.net.sockets[0]?.isClosed).toBe(true);
    await c.clock.advance(6_000);
    expect(await outcome).toMatch(why);
    expect([c.net.sockets.length, c.taken()]).toEqual([2, []]);
    const id = await c.dials();
    expect(id).not.toBe(JSON.parse(c.net.sockets[0]?.sent[0] ?? '').id);
    c.says(DONE(id));
    expect(c.taken()).toEqual(['up']);
  });

  it('does not open in time where nothing is answered, nor where it is closed, and then stays closed', async () => {
    const c = new Case();
    const late = c.stream.open(2_000);
    let isLate = false;
    void late.then(() => {
      isLate = true;
    });
    await c.clock.advance(1_999);
    expect(isLate).toBe(false);
    await c.clock.advance(1);
    expect(await late).toBe('the socket of its events was not there in time');
    const other = new Case();
    const closed = other.stream.open(2_000);
    const id = await other.dials();
    other.stream.close();
    expect(await closed).toBe('it was closed');
    other.says(DONE(id));
    await other.clock.advance(60_000);
    expect([other.net.sockets.length, other.taken()]).toEqual([1, []]);
  });

  it('does not open where its request cannot be signed', async () => {
    const c = new Case();
    c.isLocked = true;
    const outcome = c.stream.open(6_000);
    await c.dials();
    expect([await outcome, c.net.sockets[0]?.isClosed]).toEqual(['the vault is locked', true]);
    expect(c.net.sockets[0]?.sent).toEqual([]);
  });

  it.each<[number, object, number]>([
    [429, { data: { serverTime: 1_000_000, retryAfter: 1_007_000 } }, 7_000],
    [418, { data: { serverTime: 1_000_000, retryAfter: 1_300_000 } }, 300_000],
    [418, { data: { retryAfter: 1_300_000 } }, 120_000],
    [429, { data: { serverTime: 1_000_000 } }, 120_000],
    [429, {}, 120_000],
    [403, { data: { serverTime: 1_000_000, retryAfter: 1_007_000 } }, 0],
  ])('that is refused with %s and %o stops the address for %s ms', async (status, data, ms) => {
    const c = new Case();
    void c.stream.open(6_000);
    c.says(refusal(await c.dials(), status, data));
    expect(c.way.budget.bannedMs(c.way.now)).toBe(ms);
    const dialled = c.net.sockets.length;
    await c.clock.advance(Math.max(0, ms - 1));
    expect(c.net.sockets.length).toBe(dialled);
    await c.clock.advance(2_000);
    expect(c.net.sockets.length).toBe(dialled + 1);
  });

  it('passes events on, asks for a comparison where one cannot be read, and goes on', async () => {
    const c = await opened();
    c.event(1);
    c.says('{"event": 5');
    c.says({ event: { e: 'executionReport', n: 2 }, id: 'subscribe-1', status: 400 });
    c.event(3);
    // Answers to other requests of this socket are nothing to it.
    c.says({ id: 'other', status: 200 });
    c.says({ subscriptionId: 0 });
    expect(c.taken()).toEqual(['event 1', 'unread', 'event 2', 'event 3']);
  });

  it.each<[string, (c: Case) => void, string]>([
    [
      'its subscription is ended',
      (c) => c.event(0, c.at, 'eventStreamTerminated'),
      'the exchange has ended the subscription',
    ],
    ['its key is taken away', (c) => c.says(refusal(null, 400)), 'not allowed to do this'],
    ['it is cut', (c) => c.net.sockets.at(-1)?.events.closed('socket hang up'), 'socket hang up'],
  ])('is down where %s, and up again with a subscription of its own, each time', async (_, end, why) => {
    const c = await opened();
    for (let times = 1; times <= 2; times++) {
      await c.pass(10_000);
      end(c);
      expect(c.taken()).toEqual([expect.stringContaining(why)]);
      expect(c.stream.isUp).toBe(false);
      const id = await c.dials();
      expect([c.net.sockets.length, c.taken()]).toEqual([times + 1, []]);
      c.says(DONE(id));
      c.event(times);
      expect(c.taken()).toEqual(['up', `event ${times}`]);
    }
  });

  it('is down where nothing was heard for 75 seconds, pings included', async () => {
    const c = await opened();
    await c.clock.advance(74_000);
    c.net.sockets[0]?.events.pinged();
    await c.clock.advance(74_999);
    expect(c.taken()).toEqual([]);
    await c.clock.advance(1);
    expect(c.taken()).toEqual(['down: nothing was heard for 75 s']);
  });

  it.each<[string, (c: Case) => Promise<void> | void]>([
    ['its day is nearly over', (c) => c.pass(23 * HOUR)],
    ['the exchange says that it ends', (c) => c.event(0, c.at, 'serverShutdown')],
  ])(
    'has another socket where %s, hears on both meanwhile, and says that something may be missing',
    async (_, ends) => {
      const c = await opened();
      const first = c.asks();
      for (let times = 1; times <= 2; times++) {
        await ends(c);
        const id = await c.dials();
        const [old, young] = [c.at - 1, c.at];
        expect([c.net.sockets.length, id === first]).toEqual([times + 1, false]);
        // The old socket's answer is none of the new one's.
        c.says(DONE(id), old);
        c.event(1, old);
        c.event(2, young);
        expect([c.taken(), c.net.sockets[old]?.isClosed]).toEqual([['event 1', 'event 2'], false]);
        c.says(DONE(id));
        expect([c.taken(), c.net.sockets[old]?.isClosed]).toEqual([['gap'], true]);
        c.event(3, old);
        c.event(4, young);
        expect(c.taken()).toEqual(['event 4']);
      }
    },
  );

  it('keeps the old socket where the new one is refused, and tries once more', async () => {
    const c = await opened();
    c.event(0, c.at, 'serverShutdown');
    c.says(refusal(await c.dials(), 400));
    c.event(1, 0);
    expect([c.taken(), c.net.sockets[1]?.isClosed]).toEqual([['event 1'], true]);
    await c.clock.advance(2_000);
    const id = await c.dials();
    expect(c.net.sockets).toHaveLength(3);
    c.says(DONE(id));
    expect([c.taken(), c.net.sockets.map(({ isClosed }) => isClosed)]).toEqual([
      ['gap'],
      [true, true, false],
    ]);
  });
});
