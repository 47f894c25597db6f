/** The stream over real sockets: what subscribers get, in which form and order, and how connections end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiEvent } from '../../../src/desk/api/api-port.ts';
import { attackClass } from '../../support/attacks.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { WsSigner } from './session-rig.ts';
import { handshake, orderEvent, orderIds, StreamBench, type StreamClient } from './support.ts';

const UNREAD = attackClass('WebSockets that never read');

const SECOND = 1_000;

function virtualClock(): VirtualClock {
  return new VirtualClock(undefined, { autoTurns: true });
}

function balanceEvent(exchange = 'paper-spot'): ApiEvent {
  const change = { free: '90', wallet: '100', locked: '10', lockedByBot: '5', usd: '100.00' };
  return {
    channel: 'balance',
    user: 'owner',
    event: 'BALANCE_UPDATE',
    exchange,
    marketType: exchange === 'paper-spot' ? 'spot' : 'futures',
    changes: { USDT: change },
    ...(exchange === 'paper-spot' ? {} : { total: { ts: 1, mmr: '1', imr: '2', upnl: '3' } }),
  };
}

const POSITION: ApiEvent = {
  channel: 'positions',
  user: 'owner',
  event: 'POSITION_UPDATE',
  exchange: 'paper-futures',
  changes: { BTCUSDT: { symbol: 'BTCUSDT', side: 'BOTH', amount: '-0.5' } },
};

const BOT: ApiEvent = {
  channel: 'botStatus',
  user: 'owner',
  event: 'BOT_STARTED',
  exchange: 'paper-spot',
  bot: { id: 'b1', type: 'FIBO', status: 'STARTED', exchange: 'paper-spot', runId: 'r1' },
};

describe('a subscriber', () => {
  // proves: ws-message update.orders, ws-message update.balance, ws-message update.positions, ws-message update.botStatus
  it('gets each kind of event in the form of the specification', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    const client = await bench.subscribed('orders', 'balance', 'positions', 'botStatus');
    const ts = clock.wall();
    const order = orderEvent(1);
    bench.desk.tell({ ...order, event: 'ORDER_CREATE' } as ApiEvent);
    bench.desk.tell(balanceEvent());
    bench.desk.tell(balanceEvent('paper-futures'));
    bench.desk.tell(POSITION);
    bench.desk.tell(BOT);
    const data = { event: 'ORDER_CREATE', order: order.channel === 'orders' && order.order };
    expect(await client.next('update.orders')).toEqual({ op: 'update.orders', channel: 'orders', ts, data });
    const changes = { USDT: { free: '90', wallet: '100', locked: '10', lockedByBot: '5', usd: '100.00' } };
    expect(await client.next('update.balance')).toEqual({
      op: 'update.balance',
      channel: 'balance',
      ts,
      data: { event: 'BALANCE_UPDATE', exchange: 'paper-spot', marketType: 'spot', changes },
    });
    expect(await client.next('update.balance')).toMatchObject({
      data: {
        exchange: 'paper-futures',
        marketType: 'futures',
        total: { ts: 1, mmr: '1', imr: '2', upnl: '3' },
      },
    });
    expect(await client.next('update.positions')).toEqual({
      op: 'update.positions',
      channel: 'positions',
      ts,
      data: {
        event: 'POSITION_UPDATE',
        exchange: 'paper-futures',
        changes: { BTCUSDT: { symbol: 'BTCUSDT', side: 'BOTH', amount: '-0.5' } },
      },
    });
    expect(await client.next('update.botStatus')).toEqual({
      op: 'update.botStatus',
      channel: 'botStatus',
      ts,
      data: {
        event: 'BOT_STARTED',
        bot: { id: 'b1', type: 'FIBO', status: 'STARTED', exchange: 'paper-spot', runId: 'r1' },
      },
    });
  });

  // proves: rule every-change-is-told
  it('gets every event of its filter once and in order, among many others and many in one turn', async () => {
    const bench = await StreamBench.start({ stream: { perAddress: 200 } });
    const symbols = ['BTCUSDT', 'ETHUSDT', 'BNBUSDT'];
    const filters = [
      [{ channel: 'orders' }],
      [{ channel: 'orders' }, { channel: 'orders' }, { channel: 'orders', exchange: 'paper-spot' }],
      ...symbols.map((symbol) => [{ channel: 'orders', exchange: 'paper-spot', symbol }]),
      [{ channel: 'orders', exchange: 'paper-spot', symbol: 'NOPE' }],
    ];
    const clients = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const client = await (await bench.connect()).authenticate();
        for (const args of filters[i % filters.length] ?? []) await client.subscribe(args);
        return client;
      }),
    );
    const told = Array.from({ length: 600 }, (_, n) => ({ n, symbol: symbols[(n * 7) % 3] as string }));
    for (const { n, symbol } of told) {
      bench.desk.tell(orderEvent(n, { symbol }));
      if (n % 13 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const [i, client] of clients.entries()) {
      await client.settle();
      const [filter] = filters[i % filters.length] ?? [];
      const symbol = filter && 'symbol' in filter ? filter.symbol : undefined;
      const expected = told.filter((event) => symbol === undefined || event.symbol === symbol);
      expect(orderIds(client), `client ${i}`).toEqual(expected.map(({ n }) => `ps-${n}`));
    }
  });

  // proves: rule ws-per-user
  it("gets no other user's events", async () => {
    const bench = await StreamBench.start();
    const other = new WsSigner(9);
    bench.addKey(other, { user: 'other' });
    const mine = await bench.subscribed('orders');
    const theirs = await bench.connect();
    await theirs.authenticate(other);
    await theirs.subscribe({ channel: 'orders' });
    bench.desk.tell(orderEvent(1));
    bench.desk.tell(orderEvent(2, {}, 'other'));
    bench.desk.tell(orderEvent(3, {}, 'third'));
    await mine.settle();
    await theirs.settle();
    expect([orderIds(mine), orderIds(theirs)]).toEqual([['ps-1'], ['ps-2']]);
  });

  // proves: D40
  it('with a shielded key gets only what happens on its exchanges', async () => {
    const bench = await StreamBench.start({ key: { allowedExchanges: ['paper-futures'] } });
    const client = await bench.subscribed('orders', 'balance', 'botStatus');
    await client.subscribe({ channel: 'balance', exchange: 'paper-spot' });
    bench.desk.tell(orderEvent(1));
    bench.desk.tell(orderEvent(2, { exchange: 'paper-futures' }));
    bench.desk.tell(balanceEvent('paper-spot'));
    bench.desk.tell(balanceEvent('paper-futures'));
    bench.desk.tell(BOT);
    await client.settle();
    expect(orderIds(client)).toEqual(['ps-2']);
    expect(client.all('update.balance').map(({ data }) => data.exchange)).toEqual(['paper-futures']);
    expect(client.all('update.botStatus')).toEqual([]);
  });

  it('gets nothing from before, and nothing after it has taken the subscription back', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    await client.authenticate();
    expect(bench.desk.tell(orderEvent(1))).toBe(false);
    await client.subscribe({ channel: 'orders' });
    bench.desk.tell(orderEvent(2));
    await client.next('update.orders');
    client.send({ op: 'unsubscribe', args: { channel: 'orders' } });
    await client.next('unsubscribed');
    expect(bench.desk.tell(orderEvent(3))).toBe(false);
    await client.settle();
    expect(orderIds(client)).toEqual(['ps-2']);
  });

  it('leaves nobody to render for when it goes', async () => {
    const bench = await StreamBench.start();
    const client = await bench.subscribed('orders');
    expect(bench.desk.tell(orderEvent(1))).toBe(true);
    client.ws.terminate();
    await client.end();
    const next = await bench.connect();
    await next.settle();
    expect(bench.desk.tell(orderEvent(2))).toBe(false);
  });
});

describe('an event', () => {
  it('is rendered once, however many get it', async () => {
    const bench = await StreamBench.start();
    const clients = await Promise.all(Array.from({ length: 10 }, () => bench.subscribed('orders')));
    let rendered = 0;
    const event = orderEvent(1);
    const order = Object.assign(event.channel === 'orders' ? event.order : {}, {
      toJSON() {
        rendered++;
        return { id: 'ps-1' };
      },
    });
    bench.desk.tell({ ...event, order } as unknown as ApiEvent);
    for (const client of clients) await client.next('update.orders');
    expect(rendered).toBe(1);
  });
});

describe('an update', () => {
  it('of any length arrives as it is', async () => {
    const bench = await StreamBench.start();
    const client = await bench.subscribed('orders', 'botStatus');
    const bot = (note: string): ApiEvent => ({ ...BOT, bot: { note } }) as ApiEvent;
    bench.desk.tell(bot(''));
    const shell = JSON.stringify(await client.next('update.botStatus')).length;
    for (const length of [125, 126, 127, 65_535, 65_536, 65_537, 300_000]) {
      const note = 'x'.repeat(Math.max(0, length - shell));
      bench.desk.tell(bot(note));
      const message = await client.next('update.botStatus');
      expect(message.data.bot).toEqual({ note });
      if (length > shell) expect(JSON.stringify(message)).toHaveLength(length);
    }
    const metadata = 'price \u20ac, \ud83d\ude80';
    bench.desk.tell(orderEvent(1, { metadata }));
    expect((await client.next('update.orders')).data.order.metadata).toBe(metadata);
  });
});

describe('a connection', () => {
  it('has a challenge of its own, 32 random bytes in hex', async () => {
    const bench = await StreamBench.start();
    const challenges = await Promise.all(
      Array.from({ length: 20 }, async () => (await bench.connect()).challenge),
    );
    expect(new Set(challenges).size).toBe(20);
    for (const challenge of challenges) expect(challenge).toMatch(/^[0-9a-f]{64}$/);
  });

  it("does not authenticate with another's challenge", async () => {
    const bench = await StreamBench.start();
    const [one, two] = [await bench.connect(), await bench.connect()];
    two.send({ op: 'auth', args: bench.signer.args(one.challenge, bench.desk.now()) });
    expect((await two.next('error')).data.code).toBe('INVALID_SIGNATURE');
  });

  it('notes the use of its key with the address it comes from, once', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect({ localAddress: '127.0.0.9' });
    await client.authenticate();
    await client.subscribe({ channel: 'orders' });
    expect(bench.desk.touched).toEqual([{ id: bench.signer.keyId, from: '127.0.0.9' }]);
    expect(bench.desk.lines.map(({ text }) => text)).toEqual([
      `WebSocket by key ${bench.signer.keyId.slice(0, 8)} from 127.0.0.9: authenticated`,
    ]);
  });

  // proves: ws-error IP_REJECTED, rule ws-ip-list
  it('from an address that is not on the list of its key does not authenticate, and the refusal is noted', async () => {
    const bench = await StreamBench.start({ key: { ipList: ['127.0.0.2'] } });
    const stranger = await bench.connect();
    for (let i = 0; i < 2; i++) {
      stranger.send({ op: 'auth', args: bench.signer.args(stranger.challenge, bench.desk.now()) });
      expect((await stranger.next('error')).data.code).toBe('IP_REJECTED');
    }
    expect(bench.desk.refusals[0]).toEqual({
      id: bench.signer.keyId,
      code: 'IP_NOT_WHITELISTED',
      from: '127.0.0.1',
    });
    expect(bench.desk.lines.filter(({ text }) => text.includes('IP_REJECTED'))).toHaveLength(1);
    await (await bench.connect({ localAddress: '127.0.0.2' })).authenticate();
  });

  // proves: ws-close 4001, ws-error AUTH_TIMEOUT, limit auth-time, rule ws-auth-deadline
  it('that does not authenticate within 5 s is told so and closed with 4001', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    const [idle, quick] = [await bench.connect(), await bench.connect()];
    await quick.authenticate();
    await clock.advance(5 * SECOND - 1);
    await idle.settle();
    await clock.advance(1);
    expect(await idle.end()).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(idle.all('error')[0]?.data.code).toBe('AUTH_TIMEOUT');
    await clock.advance(5 * SECOND);
    await quick.settle();
  });

  // proves: ws-close 4001, ws-error TOO_MANY_ATTEMPTS, rule ws-auth-attempts, limit auth-attempts
  it('whose fifth attempt fails is closed with 4001', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    for (let i = 0; i < 5; i++) client.send({ op: 'auth', id: `${i}`, args: {} });
    expect(await client.end()).toEqual({ code: 4001, reason: 'TOO_MANY_ATTEMPTS' });
    const codes = client.all('error').map(({ data }) => data.code);
    expect(codes).toEqual([...Array(5).fill('INVALID_ARGS'), 'TOO_MANY_ATTEMPTS']);
  });

  // proves: limit frame-size, ws-close 1009
  it('may send 64 KiB at once; one byte more closes it with 1009', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    const ping = '{"op":"ping","x":""}';
    client.send(ping.replace('""', `"${'x'.repeat(65_536 - ping.length)}"`));
    await client.next('pong');
    client.send('x'.repeat(65_537));
    expect((await client.end()).code).toBe(1009);
  });

  it('may not do so in parts either', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    for (let i = 0; i < 3; i++) client.ws.send('x'.repeat(30_000), { fin: i === 2 });
    expect((await client.end()).code).toBe(1009);
  });

  // proves: ws-close 1008, ws-error RATE_LIMITED, limit ws-messages
  it('that sends its 201st message within 10 s is closed with 1008', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    for (let i = 0; i < 201; i++) client.send({ op: 'ping' });
    expect(await client.end()).toEqual({ code: 1008, reason: 'RATE_LIMITED' });
    expect(client.all('pong')).toHaveLength(200);
    expect(client.messages.at(-1)).toMatchObject({ op: 'error', data: { code: 'RATE_LIMITED' } });
  });

  // proves: ws-error INVALID_JSON, D35
  it('that sends a binary frame is told so', async () => {
    const bench = await StreamBench.start();
    const client = await bench.connect();
    client.ws.send(Buffer.from('{"op":"ping"}'));
    expect((await client.next('error')).data.code).toBe('INVALID_JSON');
    await client.settle();
  });

  it('is told to go when the service stops', async () => {
    const bench = await StreamBench.start();
    const clients = [await bench.connect(), await bench.subscribed('orders')];
    await bench.api.close();
    for (const client of clients) expect((await client.end()).code).toBe(1001);
  });
});

describe('the heartbeat', () => {
  // proves: rule ws-heartbeat
  it('pings every 20 s and cuts off who does not answer, within 20 to 40 s', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    const alive = await bench.subscribed('orders');
    const silent = await bench.connect({ autoPong: false });
    await silent.authenticate();
    let pings = 0;
    alive.ws.on('ping', () => pings++);
    await clock.advance(20 * SECOND);
    await alive.settle();
    expect(pings).toBe(1);
    await silent.settle();
    await clock.advance(20 * SECOND - 1);
    await silent.settle();
    await clock.advance(1 * SECOND);
    expect((await silent.end()).code).toBe(1006);
    await alive.settle();
    expect(pings).toBe(2);
    for (let i = 0; i < 3; i++) {
      await clock.advance(20 * SECOND);
      await alive.settle();
    }
    expect(alive.closed).toBeNull();
  });

  it('runs no timer while nobody is connected', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    expect(clock.pendingTimers).toBe(0);
    const client = await bench.connect();
    await client.authenticate();
    expect(clock.pendingTimers).toBe(1);
    client.ws.terminate();
    const next = await bench.connect();
    next.ws.terminate();
    await next.end();
    for (let i = 0; clock.pendingTimers > 0 && i < 1_000; i++) await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('begins again with whoever comes after the last one has gone', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    for (let visit = 1; visit <= 3; visit++) {
      const client = await bench.subscribed('orders');
      let pings = 0;
      client.ws.on('ping', () => pings++);
      await clock.advance(20 * SECOND);
      await client.settle();
      expect(pings, `visit ${visit}`).toBe(1);
      client.ws.terminate();
      await client.end();
      for (let i = 0; clock.pendingTimers > 0 && i < 1_000; i++) await clock.settle();
      expect(clock.pendingTimers).toBe(0);
    }
  });
});

describe('a revoked key', () => {
  // proves: ws-error KEY_REVOKED, ws-close 4003, rule revocation, D41
  it('closes its sockets at once, and only its own', async () => {
    const bench = await StreamBench.start();
    const other = new WsSigner(9);
    bench.addKey(other);
    const mine = [await bench.subscribed('orders'), await bench.subscribed('balance')];
    const stranger = await bench.connect();
    await stranger.authenticate(other);
    await stranger.subscribe({ channel: 'orders' });
    const waiting = await bench.connect();
    bench.desk.tell(orderEvent(1));
    bench.desk.keys.delete(bench.signer.keyId);
    expect(bench.api.closeSocketsOf(bench.signer.keyId)).toBe(2);
    bench.desk.tell(orderEvent(2));
    for (const client of mine) {
      expect(await client.end()).toEqual({ code: 4003, reason: 'KEY_REVOKED' });
      expect(client.messages.at(-1)).toMatchObject({ op: 'error', data: { code: 'KEY_REVOKED' } });
    }
    expect(orderIds(mine[0] as StreamClient)).toEqual(['ps-1']);
    await stranger.settle();
    expect(orderIds(stranger)).toEqual(['ps-1', 'ps-2']);
    await waiting.settle();
    expect(bench.api.closeSocketsOf(bench.signer.keyId)).toBe(0);
  });

  it('has nothing rendered for it any more, however long its client takes to go', async () => {
    const bench = await StreamBench.start();
    const client = await bench.subscribed('orders');
    client.ws.pause();
    expect(bench.api.closeSocketsOf(bench.signer.keyId)).toBe(1);
    expect(bench.desk.tell(orderEvent(1))).toBe(false);
    client.ws.resume();
    expect((await client.end()).code).toBe(4003);
  });

  it('closes its sockets at the next beat if nobody else did', async () => {
    const clock = virtualClock();
    const bench = await StreamBench.start({ clock });
    const client = await bench.subscribed('orders');
    bench.desk.keys.delete(bench.signer.keyId);
    await clock.advance(20 * SECOND);
    expect(await client.end()).toEqual({ code: 4003, reason: 'KEY_REVOKED' });
  });
});

describe('a slow reader', () => {
  // proves: limit ws-backlog, rule ws-slow-reader
  it(
    'is cut off without a close frame at its limit; the others get everything',
    UNREAD.counts(async () => {
      const bench = await StreamBench.start({ stream: { backlogBytes: 256 * 1_024 } });
      const slow = await bench.subscribed('orders');
      const quick = await bench.subscribed('orders');
      slow.ws.pause();
      // Far more than the kernel buffers on both sides.
      const metadata = 'm'.repeat(200_000);
      const cut = () => bench.desk.lines.find(({ text }) => text.includes('cut off'));
      let n = 0;
      for (; n < 400 && !cut(); n++) {
        bench.desk.tell(orderEvent(n, { metadata }));
        await quick.next('update.orders');
      }
      expect(cut()?.text).toMatch(/cut off, it did not read, \d+ bytes were waiting$/);
      bench.desk.tell(orderEvent(n));
      await quick.settle();
      expect(orderIds(quick)).toEqual(Array.from({ length: n + 1 }, (_, i) => `ps-${i}`));
      slow.ws.resume();
      expect((await slow.end()).code).toBe(1006);
      expect(orderIds(slow).length).toBeLessThan(n);
    }),
  );
});

describe('an update longer than what may wait', () => {
  // Far more than the kernel buffers on both sides.
  const metadata = 'm'.repeat(8 * 1_024 * 1_024);
  const cutOff = (bench: StreamBench) => bench.desk.lines.some(({ text }) => text.includes('cut off'));

  it('reaches who reads, again and again', async () => {
    const bench = await StreamBench.start({ stream: { backlogBytes: 64 * 1_024 } });
    const client = await bench.subscribed('orders');
    for (let n = 0; n < 3; n++) {
      bench.desk.tell(orderEvent(n, { metadata }));
      await client.next('update.orders');
    }
    await client.settle();
    expect(orderIds(client)).toEqual(['ps-0', 'ps-1', 'ps-2']);
    expect(cutOff(bench)).toBe(false);
  });

  it('is no room for more: who does not read is cut off by what follows', async () => {
    const bench = await StreamBench.start({ stream: { backlogBytes: 64 * 1_024 } });
    const slow = await bench.subscribed('orders');
    const quick = await bench.subscribed('orders');
    slow.ws.pause();
    let n = 0;
    for (; n < 10 && !cutOff(bench); n++) {
      bench.desk.tell(orderEvent(n, { metadata }));
      await quick.next('update.orders');
    }
    expect(cutOff(bench)).toBe(true);
    expect(n).toBeLessThan(4);
    slow.ws.resume();
    expect((await slow.end()).code).toBe(1006);
  });
});

describe('a stream over TLS', () => {
  it('is the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outcry-wss-'));
    try {
      const certificate = makeCertificate();
      const bench = await StreamBench.start({ tls: writeCertificate(folder, certificate) });
      expect(bench.api.wsUrl).toMatch(/^wss:/);
      const client = await bench.connect({ ca: certificate.cert });
      await client.authenticate();
      await client.subscribe({ channel: 'orders' });
      for (let n = 0; n < 20; n++) bench.desk.tell(orderEvent(n, { metadata: 'm'.repeat(n * 1_000) }));
      await client.settle();
      expect(orderIds(client)).toEqual(Array.from({ length: 20 }, (_, n) => `ps-${n}`));
      expect(bench.api.closeSocketsOf(bench.signer.keyId)).toBe(1);
      expect((await client.end()).code).toBe(4003);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a half-open connection', () => {
  // proves: D42
  it('gives its place back when it breaks', async () => {
    const bench = await StreamBench.start({ stream: { perAddress: 1 } });
    const raw = await bench.raw();
    expect((await raw.write(handshake()).answer(true))?.status).toBe(101);
    raw.socket.resetAndDestroy();
    for (let tries = 0; tries < 1_000; tries++) {
      const answer = await (await bench.raw()).write(handshake()).answer(true);
      if (answer?.status === 101) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error('the place was not given back');
  });
});
