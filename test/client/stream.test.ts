/** The stream against a service that sends what the test tells it: real sockets, virtual time. */
import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseWsAuth, wsAuthMessage } from '../../src/access/ws-auth.ts';
import { NetworkError, StreamError } from '../../src/client/errors.ts';
import type { Stream } from '../../src/client/stream.ts';
import type { StreamOptions } from '../../src/client/stream-options.ts';
import type { OrdersUpdate } from '../../src/schemas/stream.ts';
import { SIGNING } from '../access/vectors.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { balanceUpdate, botUpdate, orderUpdate, positionsUpdate } from './orders.ts';
import { CHALLENGE, observed, type Peer, StreamServer, until } from './stream-server.ts';

let server: StreamServer;
let clock: VirtualClock;
beforeEach(async () => {
  server = await StreamServer.start();
  clock = new VirtualClock();
});
afterEach(() => server.stop());

/** An open stream, the service's end of it, and a record of its callbacks. */
async function opened(given: StreamOptions = {}) {
  const seen = observed(clock, given);
  const promise = server.client().stream(seen.options);
  const peer = await server.peer();
  await peer.admit();
  return { ...seen, stream: await promise, peer };
}

/** A stream subscribed to all orders; `ids` are those of the received events. */
async function subscribed(stream: Stream, peer: Peer, onResync?: () => void | Promise<void>) {
  const ids: string[] = [];
  const promise = stream.subscribe('orders', { onEvent: ({ order }) => void ids.push(order.id), onResync });
  await peer.acknowledge();
  return { ids, subscription: await promise };
}

/** Waits for the next attempt; virtual time must be moved on until then. */
async function reconnected(stream: Stream, n: number): Promise<Peer> {
  const state = await until(
    'the end of the connection',
    () => stream.state.status === 'waiting' && stream.state,
  );
  await clock.advance(state.delayMs);
  return server.peer(n);
}

/** Starts a subscription whose result does not matter here. */
const started = (promise: Promise<unknown>): void => void promise.catch(() => {});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );
describe('the handshake', () => {
  it('signs the challenge and resolves when the service says it is authenticated', async () => {
    const { peer, stream, states } = await opened();
    const [auth] = peer.sent;
    const args = parseWsAuth(auth?.args);
    if ('problem' in args) throw new Error(args.problem);
    expect(args.keyId).toBe(SIGNING.public_key_b64url);
    const message = wsAuthMessage(args.timestamp, CHALLENGE);
    expect(verify(null, message, createPublicKey(SIGNING.pkcs8_pem), args.signature)).toBe(true);
    expect(peer.request.url).toBe('/api/v2/ws');
    expect(peer.request.headers.origin).toBeUndefined();
    expect(stream.state).toEqual({ status: 'open', userId: 'owner' });
    expect(states).toEqual(['connecting', 'open']);
  });

  // proves: rule client-offset
  it('signs with the measured clock', async () => {
    const client = server.client({ now: () => 1_000_000 });
    server.serverTime = () => 1_007_000;
    await client.syncClock();
    started(client.stream(observed(clock).options));
    const auth = await (await server.peer()).admit();
    expect(auth.args.timestamp).toBe(1_007_000);
  });
  it('measures the clock once when its timestamp is refused, and signs again', async () => {
    server.serverTime = () => 1_030_000;
    const opening = server.client({ now: () => 1_000_000 }).stream(observed(clock).options);
    const peer = await server.peer();
    peer.say({ op: 'challenge', data: { challenge: CHALLENGE } });
    peer.refuse(await peer.message('auth'), 'TIMESTAMP_EXPIRED');
    const second = await peer.message('auth', 2);
    expect(second.args.timestamp).toBe(1_030_000);
    expect(server.timeAsked).toBe(1);
    peer.say({ op: 'auth', id: second.id, data: { authenticated: true, userId: 'owner' } });
    expect((await opening).state.status).toBe('open');
  });

  it('comes again later when the timestamp is still refused', async () => {
    const seen = observed(clock);
    started(server.client().stream(seen.options));
    const peer = await server.peer();
    peer.say({ op: 'challenge', data: { challenge: CHALLENGE } });
    peer.refuse(await peer.message('auth'), 'TIMESTAMP_EXPIRED');
    peer.refuse(await peer.message('auth', 2), 'TIMESTAMP_EXPIRED');
    await until('the wait', () => seen.waits.length === 1);
    expect(server.timeAsked).toBe(1);
    expect(seen.errors).toEqual([expect.objectContaining({ code: 'TIMESTAMP_EXPIRED' })]);
  });

  it('does not wait for ever', async () => {
    const seen = observed(clock, { connectTimeoutMs: 4_000, attempts: 1 });
    const opening = failureOf(server.client().stream(seen.options));
    await server.peer();
    await clock.advance(3_999);
    expect(seen.states).toEqual(['connecting']);
    await clock.advance(1);
    expect(await opening).toBeInstanceOf(NetworkError);
    expect(String(await opening)).toContain('not authenticated within 4000 ms');
  });

  it('ends with the last error once its attempts are used up', async () => {
    server.refuseWith = { status: 503 };
    const seen = observed(clock, { attempts: 3 });
    const opening = failureOf(server.client().stream(seen.options));
    for (let n = 1; n < 3; n++) {
      await until('the wait', () => seen.waits.length === n);
      await clock.advance(seen.waits[n - 1] ?? 0);
    }
    expect(await opening).toMatchObject({
      name: 'StreamError',
      message: 'the WebSocket was refused with HTTP 503',
    });
    expect(server.refused).toBe(3);
    expect(seen.states).toEqual(['connecting', 'waiting', 'connecting', 'waiting', 'connecting', 'closed']);
  });

  it('needs a key', async () => {
    await expect(server.client({ key: undefined }).stream()).rejects.toThrow('give the client a key');
  });

  it('can leave from a chosen address', async () => {
    const { peer } = await opened({ socket: { localAddress: '127.0.0.3' } });
    expect(peer.request.socket.remoteAddress).toBe('127.0.0.3');
  });
});
describe('subscriptions', () => {
  it('send the channel with its filter and nothing else', async () => {
    const { stream, peer } = await opened();
    const onEvent = () => {};
    started(stream.subscribe('orders', { exchange: 'paper-spot', symbol: 'BTCUSDT', onEvent }));
    started(stream.subscribe('balance', { exchange: 'paper-spot', onEvent }));
    started(stream.subscribe('positions', { onEvent }));
    started(stream.subscribe('botStatus', { onEvent }));
    await peer.message('subscribe', 4);
    expect(peer.sent.slice(1).map(({ args }) => args)).toEqual([
      { channel: 'orders', exchange: 'paper-spot', symbol: 'BTCUSDT' },
      { channel: 'balance', exchange: 'paper-spot' },
      { channel: 'positions' },
      { channel: 'botStatus' },
    ]);
  });

  it('are told apart by id when the replies come out of order', async () => {
    const { stream, peer } = await opened();
    const done: string[] = [];
    const each = (['orders', 'balance', 'positions'] as const).map((channel) =>
      stream.subscribe(channel, { onEvent() {} }).then(
        () => done.push(channel),
        (error) => done.push(`${channel} ${error.code}`),
      ),
    );
    const [orders, balance, positions] = await Promise.all(
      [1, 2, 3].map((n) => peer.message('subscribe', n)),
    );
    peer.say({ op: 'subscribed', id: positions?.id, channel: 'positions' });
    await until('the first', () => done.length === 1);
    peer.refuse(balance ?? null, 'INVALID_ARGS');
    await until('the second', () => done.length === 2);
    peer.say({ op: 'subscribed', id: orders?.id, channel: 'orders' });
    await Promise.all(each);
    expect(done).toEqual(['positions', 'balance INVALID_ARGS', 'orders']);
  });
  it('get the events that pass their filter, each once', async () => {
    const { stream, peer } = await opened();
    const seen: string[] = [];
    const note = (name: string) => ({ onEvent: (_: unknown, ts: number) => void seen.push(`${name} ${ts}`) });
    const all = [
      stream.subscribe('orders', note('all')),
      stream.subscribe('orders', { exchange: 'paper-spot', ...note('spot') }),
      stream.subscribe('orders', { exchange: 'paper-spot', symbol: 'BTCUSDT', ...note('btc') }),
      stream.subscribe('balance', { exchange: 'paper-spot', ...note('balance') }),
      stream.subscribe('positions', { exchange: 'paper-futures', ...note('positions') }),
      stream.subscribe('botStatus', note('bots')),
    ];
    for (let n = 1; n <= all.length; n++) await peer.acknowledge(n);
    await Promise.all(all);
    peer.say(orderUpdate({ exchange: 'paper-futures' }, 1));
    peer.say(orderUpdate({ symbol: 'ETHUSDT' }, 2));
    peer.say(orderUpdate({}, 3));
    peer.say(balanceUpdate('paper-spot', 4));
    peer.say(balanceUpdate('paper-futures', 5));
    peer.say(positionsUpdate('paper-futures', 6));
    peer.say(positionsUpdate('other-futures', 7));
    peer.say(botUpdate('paper-spot', 8));
    await until('the last', () => seen.includes('bots 8'));
    expect(seen).toEqual([
      'all 1',
      'all 2',
      'spot 2',
      'all 3',
      'spot 3',
      'btc 3',
      'balance 4',
      'positions 6',
      'bots 8',
    ]);
  });

  it('hand on the update as it came', async () => {
    const { stream, peer } = await opened();
    const seen: OrdersUpdate[] = [];
    started(stream.subscribe('orders', { onEvent: (update) => void seen.push(update) }));
    await peer.acknowledge();
    peer.say(orderUpdate({ executedQty: '0.005' }));
    await until('the event', () => seen.length === 1);
    expect(seen[0]).toEqual(orderUpdate({ executedQty: '0.005' }).data);
  });

  it('miss nothing that comes right behind the acknowledgement', async () => {
    const { stream, peer } = await opened();
    const ids: string[] = [];
    started(stream.subscribe('orders', { onEvent: ({ order }) => void ids.push(order.id) }));
    const { id } = await peer.message('subscribe');
    // Sent in one piece of TCP, so that both messages are read in one turn.
    const { socket } = peer.socket as unknown as { socket: { cork(): void; uncork(): void } };
    const raw = (peer.socket as unknown as { _socket: typeof socket })._socket;
    raw.cork();
    peer.say({ op: 'subscribed', id, channel: 'orders' });
    peer.say(orderUpdate({ id: 'ps-9' }));
    raw.uncork();
    await until('the event', () => ids.length === 1);
    expect(ids).toEqual(['ps-9']);
  });

  it('of one topic share one message, and the last one to go ends it', async () => {
    const { stream, peer } = await opened();
    const first = await subscribed(stream, peer);
    const second = await subscribed(stream, peer);
    peer.say(orderUpdate());
    await until('both', () => first.ids.length + second.ids.length === 2);
    await first.subscription.unsubscribe();
    expect(peer.sent.map(({ op }) => op)).toEqual(['auth', 'subscribe']);
    const gone = second.subscription.unsubscribe();
    await peer.acknowledge(1, 'unsubscribe');
    await gone;
    await second.subscription.unsubscribe();
    expect(peer.sent.at(-1)?.args).toEqual({ channel: 'orders' });
    peer.say(orderUpdate());
    const pong = stream.ping();
    peer.say({ op: 'pong', id: (await peer.message('ping')).id });
    await pong;
    expect([first.ids, second.ids]).toEqual([['ps-1'], ['ps-1']]);
  });
  it('that would never deliver are refused here', async () => {
    const { stream, peer } = await opened();
    const subscribe = stream.subscribe.bind(stream) as (channel: string, options: object) => Promise<unknown>;
    const onEvent = () => {};
    for (const [channel, filter] of [
      ['orders', { symbol: 'BTCUSDT' }],
      ['balance', { exchange: 'paper-spot', symbol: 'BTCUSDT' }],
      ['botStatus', { exchange: 'paper-spot' }],
    ] as const) {
      const failure = await failureOf(subscribe(channel, { ...filter, onEvent }));
      expect(failure).toMatchObject({ code: 'INVALID_ARGS' });
      expect(String(failure)).toContain('never delivers');
    }
    expect(peer.sent).toHaveLength(1);
  });

  it('are 200 at most', async () => {
    const { stream } = await opened();
    for (let n = 0; n < 200; n++) started(stream.subscribe('orders', { exchange: `e${n}`, onEvent() {} }));
    expect(await failureOf(stream.subscribe('orders', { onEvent() {} }))).toMatchObject({
      message: 'a stream has at most 200 subscriptions',
    });
  });
  it('go out below the message limit of the service, the rest as the window lets them', async () => {
    const { stream, peer } = await opened({ replyTimeoutMs: 60_000 });
    for (let n = 0; n < 200; n++) started(stream.subscribe('orders', { exchange: `e${n}`, onEvent() {} }));
    await peer.message('subscribe', 149);
    await clock.advance(9_999);
    expect(peer.sent).toHaveLength(150);
    await clock.advance(1);
    await peer.message('subscribe', 200);
    expect(new Set(peer.sent.slice(1).map(({ args }) => args.exchange)).size).toBe(200);
  });
});
describe('ping', () => {
  it('measures the round trip', async () => {
    let now = 5_000;
    const opening = server.client({ now: () => now }).stream(observed(clock).options);
    const peer = await server.peer();
    await peer.admit();
    const pong = (await opening).ping();
    now += 12;
    peer.say({ op: 'pong', id: (await peer.message('ping')).id });
    expect(await pong).toEqual({ roundTripMs: 12 });
  });

  it('fails with the connection', async () => {
    const { stream, peer } = await opened();
    const pong = failureOf(stream.ping());
    await peer.message('ping');
    peer.socket.terminate();
    expect(await pong).toBeInstanceOf(NetworkError);
    expect(await failureOf(stream.ping())).toMatchObject({ message: 'the stream is away' });
  });

  it('without an answer ends the connection', async () => {
    const { stream, peer, errors } = await opened({ replyTimeoutMs: 3_000 });
    const pong = failureOf(stream.ping());
    await peer.message('ping');
    await clock.advance(3_000);
    expect(await pong).toMatchObject({ message: 'no answer to ping' });
    expect(errors).toHaveLength(1);
    expect(stream.state.status).toBe('waiting');
  });
});

// proves: rule ws-reconnect
describe('after a disconnect', () => {
  const DROPS: [string, (peer: Peer) => void][] = [
    ['a broken connection (1006)', (peer) => peer.socket.terminate()],
    ['a service that goes away (1001)', (peer) => peer.socket.close(1001, 'going away')],
    ['a normal close (1000)', (peer) => peer.socket.close(1000)],
    ['too many messages (1008)', (peer) => peer.socket.close(1008, 'rate limit')],
    ['a frame too large (1009)', (peer) => peer.socket.close(1009)],
    ['an authentication that took too long (4001)', (peer) => peer.socket.close(4001)],
    ['an unknown code (4999)', (peer) => peer.socket.close(4999)],
    ['a message that is no JSON', (peer) => peer.socket.send('{')],
    ['a binary message', (peer) => peer.socket.send(Buffer.from('{}'))],
    ['a message without its data', (peer) => peer.say({ op: 'update.orders', channel: 'orders' })],
  ];

  it.each(DROPS)('by %s the stream authenticates and subscribes again', async (_name, drop) => {
    const { stream, peer, states } = await opened();
    const { ids } = await subscribed(stream, peer);
    const balance = stream.subscribe('balance', { exchange: 'paper-spot', onEvent() {} });
    await peer.acknowledge(2);
    await balance;
    drop(peer);
    const next = await reconnected(stream, 2);
    const auth = await next.admit();
    expect(auth.args.sign).not.toBe(peer.sent[0]?.args.sign);
    expect((await next.acknowledge(1)).args).toEqual({ channel: 'orders' });
    expect((await next.acknowledge(2)).args).toEqual({ channel: 'balance', exchange: 'paper-spot' });
    next.say(orderUpdate({ id: 'ps-2' }));
    await until('the event', () => ids.length === 1);
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
    expect(next.sent).toHaveLength(3);
  });
  it('nobody has told of, the silence of 45 s ends the connection', async () => {
    const { stream, peer, states, errors } = await opened();
    await subscribed(stream, peer);
    await clock.advance(44_999);
    expect(states).toEqual(['connecting', 'open']);
    await clock.advance(1);
    expect(states).toEqual(['connecting', 'open', 'waiting']);
    expect(String(errors[0])).toContain('the service was silent for 45000 ms');
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
  });

  it('is not believed while the service pings, and its pings are answered', async () => {
    const { peer, states } = await opened();
    for (let n = 0; n < 5; n++) {
      await clock.advance(44_000);
      const pong = new Promise((resolve) => peer.socket.once('pong', resolve));
      peer.socket.ping();
      await pong;
    }
    expect(states).toEqual(['connecting', 'open']);
  });

  it('waits longer each time, half of it random, thirty seconds at most', async () => {
    const { stream, peer, waits } = await opened();
    server.refuseWith = { status: 503 };
    peer.socket.terminate();
    for (let n = 1; n <= 9; n++) {
      await until('the wait', () => waits.length === n);
      const [wait = 0] = waits.slice(-1);
      await clock.advance(wait - 1);
      expect(server.refused).toBe(n - 1);
      await clock.advance(1);
      await until('the attempt', () => server.refused === n);
    }
    // random() is 0.5: three quarters of 500, 1000, 2000 ...
    expect(waits.slice(0, 9)).toEqual([375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500]);
    await stream.close();
  });

  it('that follows at once the waits go on growing; after a good while they start anew', async () => {
    const { stream, peer, waits } = await opened();
    let current = peer;
    for (let n = 2; n <= 4; n++) {
      current.socket.terminate();
      current = await reconnected(stream, n);
      await current.admit();
      await until('open', () => stream.state.status === 'open');
    }
    expect(waits).toEqual([375, 750, 1500]);
    // The stream's retry timers end with the first ten seconds without a break.
    await clock.advance(10_000);
    current.socket.terminate();
    await until('the wait', () => waits.length === 4);
    expect(waits.at(-1)).toBe(375);
  });

  it('stays away as long as a refused upgrade says', async () => {
    const { peer, waits } = await opened();
    server.refuseWith = { status: 429, headers: { 'Retry-After': '7' } };
    peer.socket.terminate();
    await until('the first wait', () => waits.length === 1);
    await clock.advance(1_000);
    await until('the second wait', () => waits.length === 2);
    expect(waits[1]).toBe(7_000);
  });

  it('subscribes what was asked for meanwhile, too', async () => {
    const { stream, peer } = await opened();
    peer.socket.terminate();
    await until('the wait', () => stream.state.status === 'waiting');
    const asked = stream.subscribe('positions', { onEvent() {} });
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    expect((await asked).channel).toBe('positions');
  });

  it('takes up a subscription whose acknowledgement was lost', async () => {
    const { stream, peer } = await opened();
    const ids: string[] = [];
    const asked = stream.subscribe('orders', { onEvent: ({ order }) => void ids.push(order.id) });
    await peer.message('subscribe');
    peer.socket.close(1008);
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    expect((await asked).channel).toBe('orders');
    next.say(orderUpdate({ id: 'ps-1' }));
    await until('the event', () => ids.length > 0);
    expect(ids).toEqual(['ps-1']);
    expect(next.sent.filter(({ op }) => op === 'subscribe')).toHaveLength(1);
  });

  it('leaves out what was unsubscribed, acknowledged or not', async () => {
    const { stream, peer } = await opened();
    const { subscription } = await subscribed(stream, peer);
    const balance = stream.subscribe('balance', { onEvent() {} });
    await peer.acknowledge(2);
    await balance;
    const gone = subscription.unsubscribe();
    await peer.message('unsubscribe');
    peer.socket.terminate();
    await gone;
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    expect(next.sent.slice(1).map(({ args }) => args)).toEqual([{ channel: 'balance' }]);
  });
});

describe('the stream does not come back', () => {
  async function stays(stream: Stream): Promise<Error | null> {
    const reason = await stream.closed;
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(3_600_000);
    expect(server.peers).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
    return reason;
  }
  // proves: rule ws-reconnect
  it.each([
    ['closes with 4003', (peer: Peer) => peer.socket.close(4003, 'key revoked')],
    ['says KEY_REVOKED', (peer: Peer) => peer.refuse(null, 'KEY_REVOKED')],
  ])('when the service %s', async (_name, end) => {
    const { stream, peer, states } = await opened();
    const { ids } = await subscribed(stream, peer);
    end(peer);
    expect(await stays(stream)).toMatchObject({ code: 'KEY_REVOKED', retryable: false });
    expect(states).toEqual(['connecting', 'open', 'closed']);
    expect(ids).toEqual([]);
    expect(await failureOf(stream.subscribe('orders', { onEvent() {} }))).toMatchObject({ code: 'CLOSED' });
    expect(await failureOf(stream.ping())).toMatchObject({ code: 'CLOSED' });
  });
  it.each(['INVALID_KEY', 'IP_REJECTED', 'INSUFFICIENT_PERMISSIONS', 'INVALID_SIGNATURE', 'UNAUTHORIZED'])(
    'when its authentication is refused with %s',
    async (code) => {
      const seen = observed(clock);
      const opening = failureOf(server.client().stream(seen.options));
      const peer = await server.peer();
      peer.say({ op: 'challenge', data: { challenge: CHALLENGE } });
      peer.refuse(await peer.message('auth'), code);
      expect(await opening).toMatchObject({ name: 'StreamError', code, message: `it says ${code}` });
      await until('the end of the connection', () => peer.closedWith);
      await clock.advance(3_600_000);
      expect(server.peers).toHaveLength(1);
      expect(seen.states).toEqual(['connecting', 'closed']);
    },
  );

  it('when it is refused on the way back', async () => {
    const { stream, peer } = await opened();
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    next.say({ op: 'challenge', data: { challenge: CHALLENGE } });
    next.refuse(await next.message('auth'), 'IP_REJECTED');
    expect(await stream.closed).toMatchObject({ code: 'IP_REJECTED' });
  });

  it('when a subscription it had is refused for good', async () => {
    const { stream, peer } = await opened();
    await subscribed(stream, peer);
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    await next.admit();
    next.refuse(await next.message('subscribe'), 'INSUFFICIENT_PERMISSIONS');
    expect(await stream.closed).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it.each([400, 401, 403, 404])('when the upgrade is refused with %i', async (status) => {
    server.refuseWith = { status };
    const opening = failureOf(server.client().stream(observed(clock).options));
    expect(await opening).toMatchObject({
      code: 'UPGRADE_REFUSED',
      message: `the WebSocket was refused with HTTP ${status}`,
    });
    expect(server.refused).toBe(1);
  });

  it('after close(), which says goodbye and may be called again', async () => {
    const { stream, peer, states } = await opened();
    await subscribed(stream, peer);
    const pending = failureOf(stream.subscribe('balance', { onEvent() {} }));
    const pong = failureOf(stream.ping());
    await peer.message('ping');
    await Promise.all([stream.close(), stream.close()]);
    await stream.close();
    expect(await stays(stream)).toBeNull();
    expect((await until('goodbye', () => peer.closedWith)).code).toBe(1000);
    expect(await pending).toMatchObject({ code: 'CLOSED' });
    expect(await pong).toMatchObject({ code: 'CLOSED' });
    expect(states).toEqual(['connecting', 'open', 'closed']);
  });

  it('after close() while it waits for the next attempt', async () => {
    const { stream, peer } = await opened();
    peer.socket.terminate();
    await until('the wait', () => stream.state.status === 'waiting');
    await stream.close();
    expect(await stays(stream)).toBeNull();
  });

  it('after close() of the client, which ends one that is not open yet, too', async () => {
    const client = server.client();
    const opening = failureOf(client.stream(observed(clock).options));
    await server.peer();
    await client.close();
    expect(await opening).toMatchObject({ code: 'CLOSED' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('after close() from within its own handlers', async () => {
    const seen = observed(clock);
    const opening = server.client().stream(seen.options);
    const peer = await server.peer();
    await peer.admit();
    const stream = await opening;
    const ids: string[] = [];
    void stream.subscribe('orders', {
      onEvent: ({ order }) => {
        ids.push(order.id);
        void stream.close();
      },
    });
    await peer.acknowledge();
    peer.say(orderUpdate({ id: 'ps-1' }));
    peer.say(orderUpdate({ id: 'ps-2' }));
    expect(await stays(stream)).toBeNull();
    expect(ids).toEqual(['ps-1']);
  });

  it('and a service that does not answer the goodbye is not waited for', async () => {
    const { stream, peer } = await opened();
    (peer.socket as unknown as { _socket: { pause(): void } })._socket.pause();
    let over = false;
    const closed = stream.close().then(() => {
      over = true;
    });
    await clock.advance(999);
    expect(over).toBe(false);
    await clock.advance(1);
    await closed;
    expect(stream.state.status).toBe('closed');
    expect(clock.pendingTimers).toBe(0);
  });
});
describe('onResync', () => {
  /** Reads of `onResync` that the test completes one by one. */
  function reads() {
    const reasons: string[] = [];
    const waiting: { resolve(): void; reject(error: Error): void }[] = [];
    return {
      reasons,
      onResync: (reason: string) => {
        reasons.push(reason);
        return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      },
      next: () => until('a read', () => waiting.shift()),
    };
  }

  async function reading(given: StreamOptions = {}) {
    const open = await opened(given);
    const state = reads();
    const seen: string[] = [];
    const subscribing = open.stream.subscribe('orders', {
      onEvent: ({ order }) => void seen.push(order.id),
      onResync: state.onResync,
    });
    await open.peer.acknowledge();
    return { ...open, state, seen, subscribing };
  }

  /** Waits until all messages sent before have been read. */
  async function settled(stream: Stream, peer: Peer, n = 1): Promise<void> {
    const pong = stream.ping();
    peer.say({ op: 'pong', id: (await peer.message('ping', n)).id });
    await pong;
  }

  it('runs before the first event; what comes meanwhile is held back, in order', async () => {
    const { stream, peer, state, seen, subscribing } = await reading();
    const read = await state.next();
    for (const id of ['ps-1', 'ps-2', 'ps-3']) peer.say(orderUpdate({ id }));
    await settled(stream, peer);
    expect(seen).toEqual([]);
    read.resolve();
    await subscribing;
    peer.say(orderUpdate({ id: 'ps-4' }));
    await until('the last', () => seen.length === 4);
    expect(seen).toEqual(['ps-1', 'ps-2', 'ps-3', 'ps-4']);
    expect(state.reasons).toEqual(['subscribed']);
  });

  it('runs again after each reconnect, and events go on after it', async () => {
    const { stream, peer, state, seen, subscribing } = await reading();
    (await state.next()).resolve();
    await subscribing;
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    const read = await state.next();
    next.say(orderUpdate({ id: 'ps-7' }));
    await settled(stream, next);
    expect(seen).toEqual([]);
    read.resolve();
    await until('the event', () => seen.length === 1);
    expect(state.reasons).toEqual(['subscribed', 'reconnected']);
  });

  it('runs anew, never twice at once, when the connection is lost meanwhile', async () => {
    const { stream, peer, state, seen, subscribing } = await reading();
    const first = await state.next();
    peer.say(orderUpdate({ id: 'lost' }));
    await settled(stream, peer);
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    next.say(orderUpdate({ id: 'kept' }));
    await settled(stream, next);
    expect(state.reasons).toHaveLength(1);
    first.resolve();
    const second = await state.next();
    expect(seen).toEqual([]);
    second.resolve();
    await subscribing;
    expect(seen).toEqual(['kept']);
    expect(state.reasons).toEqual(['subscribed', 'subscribed']);
  });

  it('runs again when more came than is held back', async () => {
    const { stream, peer, state, seen, subscribing } = await reading({ heldEvents: 3 });
    const first = await state.next();
    for (const id of ['1', '2', '3', '4']) peer.say(orderUpdate({ id }));
    await settled(stream, peer);
    first.resolve();
    const second = await state.next();
    peer.say(orderUpdate({ id: '5' }));
    await settled(stream, peer, 2);
    second.resolve();
    await subscribing;
    expect(seen).toEqual(['5']);
    expect(state.reasons).toEqual(['subscribed', 'overflow']);
  });

  it('after a lost connection knows nothing of what was too much before: one read is enough', async () => {
    const { stream, peer, state, seen, subscribing } = await reading({ heldEvents: 3 });
    const first = await state.next();
    for (const id of ['1', '2', '3', '4']) peer.say(orderUpdate({ id }));
    await settled(stream, peer);
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    first.resolve();
    const second = await state.next();
    next.say(orderUpdate({ id: '5' }));
    await settled(stream, next);
    second.resolve();
    await settled(stream, next, 2);
    expect(state.reasons).toEqual(['subscribed', 'subscribed']);
    expect(seen).toEqual(['5']);
    await subscribing;
  });

  it('that fails the first time refuses the subscription and ends it', async () => {
    const { peer, state, subscribing } = await reading();
    const failure = failureOf(subscribing);
    (await state.next()).reject(new Error('no state'));
    await peer.acknowledge(1, 'unsubscribe');
    expect(await failure).toMatchObject({ message: 'no state' });
  });

  it('that fails later is told and repeated, ever less often, while events wait', async () => {
    const { stream, peer, state, seen, errors, subscribing } = await reading();
    (await state.next()).resolve();
    await subscribing;
    peer.socket.terminate();
    const next = await reconnected(stream, 2);
    await next.admit();
    await next.acknowledge();
    (await state.next()).reject(new Error('first'));
    next.say(orderUpdate({ id: 'ps-8' }));
    await until('the error', () => errors.some(({ message }) => message === 'first'));
    await clock.advance(374);
    expect(state.reasons).toHaveLength(2);
    await clock.advance(1);
    (await state.next()).reject(new Error('second'));
    await until('the error', () => errors.some(({ message }) => message === 'second'));
    await clock.advance(750);
    (await state.next()).resolve();
    await until('the event', () => seen.length === 1);
    expect(state.reasons).toEqual(['subscribed', 'reconnected', 'reconnected', 'reconnected']);
  });
});

describe('errors', () => {
  it('of the service that answer nothing are told, and the stream goes on', async () => {
    const { peer, errors, states } = await opened();
    peer.refuse(null, 'INTERNAL_ERROR');
    await until('the error', () => errors.length === 1);
    expect(errors[0]).toBeInstanceOf(StreamError);
    expect(errors[0]).toMatchObject({
      code: 'INTERNAL_ERROR',
      retryable: true,
      message: 'it says INTERNAL_ERROR',
    });
    expect(states).toEqual(['connecting', 'open']);
  });

  it('of handlers are told, and the next handler still gets the event', async () => {
    const { stream, peer, errors } = await opened();
    void stream.subscribe('orders', {
      onEvent: () => {
        throw new Error('mine');
      },
    });
    started(stream.subscribe('orders', { onEvent: () => Promise.reject(new Error('later')) as never }));
    await peer.acknowledge();
    const { ids } = await subscribed(stream, peer);
    peer.say(orderUpdate());
    await until('both', () => errors.length === 2);
    expect(errors.map(({ message }) => message)).toEqual(['mine', 'later']);
    expect(ids).toEqual(['ps-1']);
  });

  it('of onState are told, too', async () => {
    const { states, errors } = await opened({
      onState() {
        throw new Error('state');
      },
    });
    expect(states).toEqual([]);
    expect(errors.map(({ message }) => message)).toEqual(['state', 'state']);
  });

  it.each(['UNKNOWN_OP', 'update.news'])('are not made of a message of a later version: %s', async (op) => {
    const { stream, peer, errors } = await opened();
    peer.say({ op, data: {} });
    const pong = stream.ping();
    peer.say({ op: 'pong', id: (await peer.message('ping')).id });
    await pong;
    expect(errors).toEqual([]);
  });
});
