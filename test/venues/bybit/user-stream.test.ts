/**
 * The private socket of Bybit: it is up once its own subscription is confirmed, lives by pings, and is
 * replaced where it tells nothing of an order, each time.
 */
import { describe, expect, it } from 'vitest';
import { BYBIT } from '../../../src/venues/bybit/requests.ts';
import { UserStream } from '../../../src/venues/bybit/user-stream.ts';
import type { Caller } from '../../../src/venues/kit/caller.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet, type HandSocket } from '../kit/hand-net.ts';

const OWED_MS = 10_000;

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  /** Whether a message cannot be signed, or not be sent. */
  fault: { readonly what: RegExp; readonly how: 'unsigned' | 'unsent' } | null = null;
  readonly stream = new UserStream({
    net: this.net,
    clock: this.clock,
    random: { next: () => 0 },
    requests: BYBIT.spot,
    address: 'wss://stream.example/v5/private',
    topics: () => ['order.spot', 'wallet'],
    caller: {
      say: async (form: RequestForm, _parameters: object, id: string, send: (text: string) => boolean) => {
        if (this.fault?.what.test(form.path)) {
          if (this.fault.how === 'unsigned') throw new Error('the vault is locked');
          return false;
        }
        return send(`${form.path} ${id}`);
      },
    } as unknown as Caller,
    event: (topic) => this.told.push(topic),
    unread: (problem) => this.told.push(problem),
    up: () => this.told.push('up'),
    gap: () => this.told.push('gap'),
    down: () => this.told.push('down'),
  });

  get socket(): HandSocket {
    return this.net.sockets.at(-1) as HandSocket;
  }

  /** Opens and logs in the newest socket; returns the id of its subscription. */
  async logsIn(): Promise<string> {
    await this.clock.advance(600);
    this.socket.events.opened();
    await this.clock.advance(0);
    this.socket.events.message('{"op":"auth","success":true}');
    await this.clock.advance(0);
    return this.socket.sent.at(-1)?.split(' ')[1] ?? '';
  }

  confirm(id: string, socket = this.socket): void {
    socket.events.message(JSON.stringify({ op: 'subscribe', success: true, req_id: id }));
  }

  async opens(): Promise<void> {
    this.confirm(await this.logsIn());
  }

  owes(): void {
    this.stream.owes(this.clock.monotonic());
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 30_000) {
      await this.clock.advance(Math.min(left, 30_000));
      this.socket.events.message('{"op":"pong"}');
    }
  }
}

async function opened(): Promise<Case> {
  const c = new Case();
  void c.stream.open(60_000);
  await c.opens();
  expect(c.told.splice(0)).toEqual(['up']);
  return c;
}

describe('a stream that tells nothing of an order', () => {
  it('is replaced after ten seconds, and so is the one after it', async () => {
    const c = await opened();
    for (let round = 0; round < 3; round++) {
      c.owes();
      await c.clock.advance(OWED_MS - 1);
      expect(c.told).toEqual([]);
      await c.clock.advance(1);
      expect(c.told.splice(0)).toEqual(['down']);
      await c.opens();
      expect(c.told.splice(0)).toEqual(['up']);
    }
  });

  it('is not, where it tells anything after the order, or has done so before its answer came', async () => {
    const c = await opened();
    c.owes();
    await c.clock.advance(OWED_MS - 1);
    c.socket.events.message('{"topic":"wallet"}');
    await c.clock.advance(2 * OWED_MS);
    const since = c.clock.monotonic();
    await c.clock.advance(5);
    c.socket.events.message('{"topic":"order.spot"}');
    c.stream.owes(since);
    await c.clock.advance(2 * OWED_MS);
    expect(c.told.splice(0)).toEqual(['wallet', 'order.spot']);
    await c.clock.advance(5);
    c.owes();
    // A pong is no event.
    c.socket.events.message('{"op":"pong"}');
    await c.clock.advance(OWED_MS);
    expect(c.told).toEqual(['down']);
  });
});

it('it pings every 20 s for as long as it is open', async () => {
  const c = await opened();
  await c.pass(10 * 60_000);
  expect(c.socket.sent.filter((text) => text.startsWith('ping'))).toHaveLength(30);
  c.stream.close();
  await c.clock.advance(60_000);
  expect(c.socket.sent.filter((text) => text.startsWith('ping'))).toHaveLength(30);
});

it('a socket that takes the place of another is ready by its own subscription, and may have missed something', async () => {
  const c = await opened();
  await c.pass(23 * 3_600_000);
  const [before] = c.net.sockets;
  const id = await c.logsIn();
  if (!before || before === c.socket) throw new Error('there is no second socket');
  c.confirm(id, before);
  c.confirm('subscribe-1');
  expect([c.told, before.isClosed]).toEqual([[], false]);
  c.confirm(id);
  expect([c.told, before.isClosed]).toEqual([['gap'], true]);
});

it('a refused login or subscription ends its socket, and the next one is tried', async () => {
  const c = new Case();
  const problem = c.stream.open(60_000);
  await c.clock.advance(0);
  c.socket.events.opened();
  c.socket.events.message('{"op":"auth","success":false,"ret_msg":"Invalid apikey"}');
  expect(await problem).toContain('Invalid apikey');
  const id = await c.logsIn();
  c.socket.events.message(
    JSON.stringify({ op: 'subscribe', success: false, req_id: id, ret_msg: 'no such topic' }),
  );
  expect(c.told).toEqual([]);
  await c.clock.advance(1_000);
  await c.opens();
  expect(c.told).toEqual(['up']);
});

describe('an opening', () => {
  it('has six words for what keeps it, by the code or by the words of Bybit', async () => {
    for (const [answer, words] of [
      [{ op: 'auth', success: false, ret_msg: 'Invalid apikey' }, 'is it of this environment'],
      [{ op: 'auth', success: false, ret_msg: 'error sign' }, 'connect with the pair'],
      [{ op: 'auth', success: false, ret_msg: 'Params Error' }, 'the clocks differ'],
      [{ op: 'auth', success: false, ret_msg: 'expired' }, 'the clocks differ'],
      [{ op: 'auth', success: false, ret_msg: 'odd' }, 'odd (0)'],
      [{ op: 'auth', success: false }, 'refused (0)'],
      [{ op: 'auth', retCode: 10_010, retMsg: 'api key' }, 'other addresses'],
      [{ op: 'auth', success: true, retCode: 20_001, retMsg: 'sign' }, 'sign (20001)'],
    ] as const) {
      const c = new Case();
      const problem = c.stream.open(60_000);
      await c.clock.advance(0);
      c.socket.events.opened();
      c.socket.events.message(JSON.stringify(answer));
      expect(await problem).toContain(words);
      expect([c.socket.isClosed, c.told]).toEqual([true, []]);
    }
  });

  it('that is not there in time says so, or what kept the last try, and goes on in the background', async () => {
    const slow = new Case();
    const problem = slow.stream.open(5_000);
    let isOver = false;
    void problem.then(() => {
      isOver = true;
    });
    await slow.clock.advance(4_999);
    expect(isOver).toBe(false);
    await slow.clock.advance(1);
    expect(await problem).toBe('the socket of its events was not there in time');
    await slow.opens();
    expect(slow.told).toEqual(['up']);
    const again = slow.stream.open(5_000);
    expect(slow.net.sockets).toHaveLength(1);
    await slow.clock.advance(5_000);
    expect(await again).toContain('in time');
  });

  it.each([
    ['auth', 'unsigned', 'the vault is locked'],
    ['auth', 'unsent', 'the login could not be sent'],
    ['subscribe', 'unsent', 'the subscribe could not be sent'],
  ] as const)('whose %s is %s ends its socket, and the next one is tried', async (path, how, words) => {
    const c = new Case();
    c.fault = { what: new RegExp(path), how };
    const problem = c.stream.open(60_000);
    await c.logsIn();
    expect(await problem).toBe(words);
    expect(c.socket.isClosed).toBe(true);
    c.fault = null;
    await c.clock.advance(1_000);
    await c.opens();
    expect(c.told).toEqual(['up']);
  });

  it('that is closed on the way says so, and nothing follows', async () => {
    const c = new Case();
    const problem = c.stream.open(60_000);
    const id = await c.logsIn();
    c.stream.close();
    expect(await problem).toBe('it was closed');
    c.confirm(id);
    await c.clock.advance(120_000);
    expect([c.told, c.net.sockets.length]).toEqual([[], 1]);
  });
});

describe('a stream that is up', () => {
  it('is there though its pings cannot be sent, and tells each topic with all of its text', async () => {
    const c = await opened();
    c.fault = { what: /ping/, how: 'unsent' };
    await c.pass(30_000);
    c.socket.events.message('{"topic":"wallet","data":[]}');
    expect([c.told.splice(0), c.stream.isUp]).toEqual([['wallet'], true]);
    // What cannot be read may have been an event.
    c.socket.events.message('{"topic":5}');
    expect(c.told).toHaveLength(1);
    expect(c.stream.isUp).toBe(true);
  });

  it('has its subscription confirmed without a number, or under another one, only where that is its own', async () => {
    const c = new Case();
    void c.stream.open(60_000);
    const id = await c.logsIn();
    c.confirm(`${id}0`);
    expect(c.told).toEqual([]);
    c.socket.events.message('{"op":"subscribe","success":true}');
    expect(c.told).toEqual(['up']);
    c.confirm(id);
    c.socket.events.message('{"op":"subscribe","success":true,"req_id":null}');
    // It is up already: something may have been missed.
    expect(c.told.includes('down')).toBe(false);
  });

  it('owes nothing that it has told in the very moment, nor while it is down, nor twice', async () => {
    const c = await opened();
    c.socket.events.message('{"topic":"wallet"}');
    c.owes();
    await c.clock.advance(2 * OWED_MS);
    expect(c.told.splice(0)).toEqual(['wallet']);
    await c.clock.advance(5);
    c.owes();
    await c.clock.advance(OWED_MS / 2);
    c.owes();
    await c.clock.advance(OWED_MS / 2);
    expect(c.told.splice(0)).toEqual(['down']);
    c.owes();
    await c.opens();
    await c.clock.advance(2 * OWED_MS);
    expect(c.told).toEqual(['up']);
  });

  it('that is closed while it owes an event is not ended for it when it is open again', async () => {
    const c = await opened();
    c.owes();
    c.stream.close();
    void c.stream.open(60_000);
    await c.opens();
    await c.clock.advance(2 * OWED_MS);
    expect(c.told).toEqual(['up']);
    c.owes();
    await c.clock.advance(OWED_MS);
    expect(c.told).toEqual(['up', 'down']);
  });
});

it('sends every message under a number of its own', async () => {
  const c = await opened();
  await c.pass(60_000);
  expect(c.socket.sent).toEqual([
    'auth login-1',
    'subscribe subscribe-2',
    'ping ping-3',
    'ping ping-4',
    'ping ping-5',
  ]);
});

it('changes its socket after 23 hours, and is given up after 45 s of silence', async () => {
  const c = await opened();
  await c.pass(23 * 3_600_000 - 1_000);
  expect(c.net.sockets).toHaveLength(1);
  await c.pass(2_000);
  expect(c.net.sockets).toHaveLength(2);
  const quiet = await opened();
  await quiet.clock.advance(44_999);
  expect(quiet.told).toEqual([]);
  await quiet.clock.advance(1);
  expect(quiet.told).toEqual(['down']);
});
