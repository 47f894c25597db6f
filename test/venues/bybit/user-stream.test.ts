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
  readonly stream = new UserStream({
    net: this.net,
    clock: this.clock,
    random: { next: () => 0 },
    requests: BYBIT.spot,
    address: 'wss://stream.example/v5/private',
    topics: () => ['order.spot', 'wallet'],
    caller: {
      say: async (form: RequestForm, _parameters: object, id: string, send: (text: string) => boolean) =>
        send(`${form.path} ${id}`),
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
