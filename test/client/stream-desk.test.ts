/**
 * The client's stream against a whole desk: handshake, events, refusals, restart. The desk's time is virtual.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { StreamOptions } from '../../src/client/stream-options.ts';
import { type OpenSocket, type SocketOptions, wsSocket } from '../../src/client/stream-socket.ts';
import type { KeySettings } from '../../src/domain/access-key.ts';
import type { Order } from '../../src/schemas/order.ts';
import {
  EXCHANGE,
  flat,
  ok,
  openTestDesk,
  type TestDesk,
  type TestDeskOptions,
  writeCandles,
} from '../desk/integration/support.ts';
import { messageProblems } from './message-check.ts';
import { until } from './stream-server.ts';

const FUTURES = 'paper-futures';
const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.1', price: '40000' } as const;

/** All messages of the service, on any socket. */
let said: { op: string; [field: string]: unknown }[];
const clients: Client[] = [];
beforeEach(() => {
  said = [];
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** A desk whose market has one price and does not move. */
async function held(options: Partial<TestDeskOptions> = {}): Promise<TestDesk> {
  const feed = options.feed ?? writeCandles({ BTCUSDT: flat('50000', 5) });
  const t = await openTestDesk({ hold: true, ...options, feed });
  await t.call('feed.control', { action: 'step' });
  return t;
}

async function clientOf(
  t: TestDesk,
  settings: Partial<KeySettings> = {},
  options: Partial<ClientOptions> = {},
): Promise<Client & { file: string }> {
  const made = ok(
    await t.call('keys.generate', { label: `key ${clients.length}`, tier: 'trade', ...settings }),
  );
  const client = createClient({
    baseUrl: t.desk.info.apiUrl,
    key: { privateKeyPem: readFileSync(made.path, 'utf8') },
    now: () => t.clock.wall(),
    ...options,
  });
  clients.push(client);
  return Object.assign(client, { file: made.path });
}

/** Wraps the real socket and records its messages. */
function noted(options: SocketOptions = {}): OpenSocket {
  const open = wsSocket(options);
  return (url, events) =>
    open(url, {
      ...events,
      message(text) {
        said.push(JSON.parse(text ?? ''));
        events.message(text);
      },
    });
}

const QUICK: StreamOptions = { reconnect: { baseDelayMs: 20, maxDelayMs: 200 } };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('the stream of a desk', () => {
  it('tells an order from its creation to its end, every message by its schema', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ open: noted() });
    const steps: string[] = [];
    const assets = new Set<string>();
    await stream.subscribe('orders', {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      onEvent: ({ event, order }) => void steps.push(`${event} ${order.status}`),
    });
    await stream.subscribe('balance', {
      exchange: EXCHANGE,
      onEvent: ({ changes }) => {
        for (const asset of Object.keys(changes)) assets.add(asset);
      },
    });
    const order = await client.orders.place({ exchange: EXCHANGE, ...LIMIT });
    await client.orders.cancel({ exchange: EXCHANGE, id: order.id });
    await until('the cancellation', () => steps.includes('ORDER_UPDATE CANCELLED'));
    expect(steps[0]).toBe('ORDER_CREATE NEW');
    expect(steps).toContain('ORDER_UPDATE OPENED');
    await until('the balance', () => assets.has('USDT'));
    expect((await stream.ping()).roundTripMs).toBeGreaterThanOrEqual(0);
    expect(said.map(({ op }) => op)).toEqual(
      expect.arrayContaining(['challenge', 'auth', 'subscribed', 'update.orders', 'update.balance', 'pong']),
    );
    expect(said.flatMap((message) => messageProblems(message))).toEqual([]);
  });

  it('tells a position, and its balances with their total', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ open: noted() });
    const amounts: (string | undefined)[] = [];
    await stream.subscribe('positions', {
      exchange: FUTURES,
      onEvent: ({ changes }) => void amounts.push(changes.BTCUSDT?.amount),
    });
    const totals: boolean[] = [];
    await stream.subscribe('balance', {
      exchange: FUTURES,
      onEvent: ({ total }) => void totals.push(total?.crossWallet !== undefined),
    });
    await client.orders.place({
      exchange: FUTURES,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quantity: '0.1',
    });
    await until('the position', () => amounts.includes('0.1'));
    await until('the balance', () => totals.length > 0);
    expect(totals).not.toContain(false);
    expect(said.flatMap((message) => messageProblems(message))).toEqual([]);
  });

  it('is told nothing any more once unsubscribed', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ open: noted() });
    const ids: string[] = [];
    const all = await stream.subscribe('orders', { onEvent: ({ order }) => void ids.push(order.id) });
    const one = await client.orders.place({ exchange: EXCHANGE, ...LIMIT });
    await until('the order', () => ids.includes(one.id));
    await all.unsubscribe();
    const two = await client.orders.place({ exchange: EXCHANGE, ...LIMIT });
    await stream.ping();
    expect(ids).not.toContain(two.id);
    expect(JSON.stringify(said)).not.toContain(two.id);
  });

  // proves: rule ws-reconnect
  it('comes back after a restart and knows what happened meanwhile', async () => {
    const feed = writeCandles({ BTCUSDT: flat('50000', 5) });
    const first = await held({ feed });
    const client = await clientOf(first, {}, { now: () => current.clock.wall() });
    let current = first;
    const stream = await client.stream({ ...QUICK, open: noted() });
    let open = new Map<string, Order>();
    const reasons: string[] = [];
    await stream.subscribe('orders', {
      exchange: EXCHANGE,
      async onResync(reason) {
        reasons.push(reason);
        open = new Map((await client.orders.list({ exchange: EXCHANGE })).map((order) => [order.id, order]));
      },
      onEvent: ({ order }) => {
        if (order.status === 'NEW' || order.status === 'OPENED') open.set(order.id, order);
        else open.delete(order.id);
      },
    });
    const [one, two] = await Promise.all([
      client.orders.place({ exchange: EXCHANGE, ...LIMIT }),
      client.orders.place({ exchange: EXCHANGE, ...LIMIT }),
    ]);
    await until('both orders', () => open.size === 2);
    const port = Number(new URL(first.desk.info.apiUrl).port);
    await first.stop();
    await until('the loss', () => stream.state.status !== 'open');
    current = await openTestDesk({ feed, hold: true, port, dataDir: first.dataDir, clock: first.clock });
    ok(await current.call('orders.cancel', { exchange: EXCHANGE, id: one.id }));
    await until('the way back', () => reasons.length === 2);
    await until('the state', () => !open.has(one.id) && open.has(two.id));
    expect(reasons).toEqual(['subscribed', 'reconnected']);
    await client.orders.cancel({ exchange: EXCHANGE, id: two.id });
    await until('the end of the other', () => open.size === 0);
  });

  // proves: rule ws-reconnect
  it('ends for good when the key is revoked', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ ...QUICK, open: noted() });
    await stream.subscribe('orders', { onEvent() {} });
    ok(await t.call('keys.revoke', { id: client.keyId ?? '' }));
    expect(await stream.closed).toMatchObject({ code: 'KEY_REVOKED' });
    expect(said.at(-1)).toMatchObject({ op: 'error', data: { code: 'KEY_REVOKED' } });
    // The revoked key opens no other stream, either.
    const failure = await failureOf(client.stream(QUICK));
    expect(failure).toMatchObject({ code: 'INVALID_KEY', retryable: false });
    expect(said.flatMap((message) => messageProblems(message))).toEqual([]);
  });

  it('is not opened from an address that the key does not know, and is from one that it does', async () => {
    const t = await held();
    const client = await clientOf(t, { ipList: ['127.0.0.2/32'] });
    expect(await failureOf(client.stream(QUICK))).toMatchObject({ code: 'IP_REJECTED' });
    const stream = await client.stream({ socket: { localAddress: '127.0.0.2' } });
    expect(stream.state.status).toBe('open');
  });

  // proves: rule client-offset
  it('is opened with a clock that is a minute off', async () => {
    const t = await held();
    const client = await clientOf(t, {}, { now: () => t.clock.wall() - 60_000 });
    const stream = await client.stream({ ...QUICK, open: noted() });
    expect(stream.state).toEqual({ status: 'open', userId: 'owner' });
    expect(said.map(({ op }) => op)).toEqual(['challenge', 'error', 'auth']);
    expect(said[1]).toMatchObject({ data: { code: 'TIMESTAMP_EXPIRED', op: 'auth' } });
    // The client's requests use the same corrected clock.
    expect((await client.ping()).message).toBe('pong');
  });

  it('answers the heartbeats of the service, which would end the connection otherwise', async () => {
    const t = await held();
    const client = await clientOf(t);
    let pings = 0;
    const open = wsSocket();
    const stream = await client.stream({
      open: (url, events) =>
        open(url, {
          ...events,
          ping() {
            pings += 1;
            events.ping();
          },
        }),
    });
    for (let n = 1; n <= 6; n++) {
      await t.clock.advance(20_000);
      await until('the ping', () => pings === n);
      // The client's pong has arrived before this ping is sent.
      await stream.ping();
    }
    expect(stream.state.status).toBe('open');
  });

  it('takes a client to the edge of its limits without a close', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ open: noted() });
    const subscriptions = await Promise.all(
      Array.from({ length: 140 }, (_, n) => stream.subscribe('orders', { exchange: `x-${n}`, onEvent() {} })),
    );
    expect(subscriptions).toHaveLength(140);
    expect(stream.state.status).toBe('open');
    expect(said.filter(({ op }) => op === 'error')).toEqual([]);
  });

  it('is refused where there is none', async () => {
    const t = await held();
    const client = await clientOf(t, {}, { baseUrl: `${t.desk.info.apiUrl}/elsewhere` });
    expect(await failureOf(client.stream(QUICK))).toMatchObject({ code: 'UPGRADE_REFUSED' });
  });
});
