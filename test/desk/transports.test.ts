/**
 * What every transport must provide to a terminal: the same tests run over each. Real sockets and ports, no
 * waiting for times.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type DeskClient,
  type DeskDelta,
  type DeskState,
  LOG_LINES,
} from '../../src/desk/console/protocol.ts';
import { createSessionHub, type SessionHub } from '../../src/desk/console/session-hub.ts';
import { TOO_MANY_CALLS } from '../../src/desk/hosting/transports/client.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { MAX_FRAME_BYTES } from '../../src/desk/hosting/transports/frames.ts';
import { LINE_CLOSED } from '../../src/desk/hosting/transports/line.ts';
import { connectMessagePort, deskPortLine } from '../../src/desk/hosting/transports/message-port.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket, listenUnixSocket } from '../../src/desk/hosting/transports/unix-socket.ts';
import { emptyState, FakeDesk, withoutMe } from './session-fake-desk.ts';

interface Rig {
  connect(): Promise<DeskClient>;
  close(): Promise<void>;
}

const RIGS: Record<string, (hub: SessionHub) => Promise<Rig>> = {
  direct: async (hub) => ({
    connect: () => connectDirect(hub.accept, systemClock),
    close: async () => {},
  }),
  'message port': async (hub) => ({
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      hub.accept(deskPortLine(port2));
      return connectMessagePort(port1, systemClock);
    },
    close: async () => {},
  }),
  'unix socket': async (hub) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'outcry-test-'));
    const listener = await listenUnixSocket({ dataDir, clock: systemClock, accept: hub.accept });
    return {
      connect: async () => {
        const client = await connectUnixSocket(dataDir, systemClock);
        if (!client) throw new Error('nobody listens');
        return client;
      },
      close: async () => {
        await listener.close();
        rmSync(dataDir, { recursive: true });
      },
    };
  },
};

/** The state messages of a client, one at a time. */
function states(client: DeskClient) {
  type Item = { message: { snapshot?: DeskState; delta?: DeskDelta }; ack: () => void };
  const items: Item[] = [];
  let wake = () => {};
  client.onState((message, ack) => {
    items.push({ message, ack });
    wake();
  });
  return {
    items,
    async next(): Promise<Item> {
      while (items.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return items.shift() as Item;
    },
  };
}

const closedReason = (client: DeskClient) => new Promise<string>((resolve) => client.onClosed(resolve));

describe.each(Object.entries(RIGS))('over %s', (_name, open) => {
  let desk: FakeDesk;
  let hub: SessionHub;
  let rig: Rig;

  beforeEach(async () => {
    desk = new FakeDesk();
    hub = createSessionHub({ desk, clock: systemClock, report: () => {} });
    rig = await open(hub);
  });
  afterEach(async () => {
    hub.closeAll('the test is over');
    await rig.close();
  });

  test('a client begins with a snapshot and goes on with what changes', async () => {
    const client = await rig.connect();
    const seen = states(client);
    const first = await seen.next();
    expect(first.message.snapshot && withoutMe(first.message.snapshot)).toEqual(emptyState());
    desk.orders = { a: { id: 'a', price: '1.50' } as never };
    desk.mark({ kind: 'order', id: 'a' }, { kind: 'order', id: 'gone' });
    first.ack();
    const second = await seen.next();
    expect(second.message).toEqual({ delta: { orders: { a: { id: 'a', price: '1.50' }, gone: null } } });
  });

  test('a client that does not acknowledge gets nothing more, and all of it afterwards', async () => {
    const client = await rig.connect();
    const seen = states(client);
    const first = await seen.next();
    desk.log(...Array.from({ length: 1_000 }, (_, i) => `line ${i}`));
    expect(await client.call('orders.detail', { id: 'a' })).toEqual({ id: 'a' });
    expect(seen.items).toHaveLength(0);
    first.ack();
    const { message } = await seen.next();
    expect(message.delta?.log).toHaveLength(LOG_LINES);
    expect(message.delta?.log?.at(-1)?.text).toBe('line 999');
  });

  test('a state longer than any message arrives whole, as the first that a client hears of', async () => {
    const orders = Array.from({ length: 120 }, (_, i) => ({ id: `o${i}`, metadata: 'x'.repeat(200_000) }));
    desk.orders = Object.fromEntries(orders.map((order) => [order.id, order as never]));
    expect(JSON.stringify(desk.state()).length).toBeGreaterThan(MAX_FRAME_BYTES);
    const { message } = await states(await rig.connect()).next();
    expect(message.snapshot && withoutMe(message.snapshot)).toEqual(desk.state());
  });

  test('a listener that comes late still begins with the snapshot', async () => {
    const client = await rig.connect();
    await client.call('orders.detail', { id: 'a' });
    const { message } = await states(client).next();
    expect(message.snapshot && withoutMe(message.snapshot)).toEqual(emptyState());
  });

  test('nothing is shared: what one side changes later the other does not see', async () => {
    const client = await rig.connect();
    const live = { id: 'a', list: ['1'] };
    desk.answer = () => live;
    const result = (await client.call('orders.detail', { id: 'a' })) as unknown as typeof live;
    live.list.push('2');
    expect(result.list).toEqual(['1']);
  });

  test('calls are answered each with its own result, in whatever order', async () => {
    const client = await rig.connect();
    const gates = new Map<string, (value: unknown) => void>();
    desk.answer = (_method, params) =>
      new Promise((resolve) => gates.set((params as { id: string }).id, resolve));
    const slow = client.call('orders.detail', { id: 'slow' });
    const quick = client.call('orders.detail', { id: 'quick' });
    await expect.poll(() => gates.size).toBe(2);
    gates.get('quick')?.({ order: 'quick', text: 'ünïcödé ✓' });
    expect(await quick).toEqual({ order: 'quick', text: 'ünïcödé ✓' });
    gates.get('slow')?.(null);
    expect(await slow).toBeNull();
  });

  test('an internal failure rejects the call, and the line stays', async () => {
    const client = await rig.connect();
    desk.answer = () => Promise.reject(new Error('inside'));
    await expect(client.call('orders.detail', { id: 'a' })).rejects.toThrow(
      'the desk failed internally at orders.detail',
    );
    desk.answer = () => null;
    expect(await client.call('orders.detail', { id: 'a' })).toBeNull();
  });

  test('more calls than the bound are refused at once', async () => {
    const client = await rig.connect();
    desk.answer = () => new Promise(() => {});
    const waiting = Array.from({ length: 64 }, () => client.call('orders.detail', { id: 'a' }));
    await expect(client.call('orders.detail', { id: 'a' })).rejects.toThrow(TOO_MANY_CALLS);
    client.close();
    for (const call of waiting) await expect(call).rejects.toThrow(LINE_CLOSED);
  });

  test('a message of a megabyte arrives whole', async () => {
    const client = await rig.connect();
    const text = 'x'.repeat(1_000_000);
    desk.answer = () => ({ text });
    expect(await client.call('orders.detail', { id: 'a' })).toEqual({ text });
  });

  test("the desk's good-bye reaches every client with its reason, after the answers before it", async () => {
    const [one, two] = [await rig.connect(), await rig.connect()];
    const reasons = [closedReason(one), closedReason(two)];
    const answer = one.call('desk.stop', {});
    await answer;
    hub.closeAll('stopped at the terminal');
    expect(await Promise.all(reasons)).toEqual(['stopped at the terminal', 'stopped at the terminal']);
    await expect(one.call('orders.detail', { id: 'a' })).rejects.toThrow('stopped at the terminal');
    expect(await closedReason(one)).toBe('stopped at the terminal');
    await expect(rig.connect()).rejects.toThrow('stopped at the terminal');
  });

  test('a client that closes is forgotten by the desk, and told so itself', async () => {
    const client = await rig.connect();
    const reason = closedReason(client);
    client.close();
    client.close();
    expect(await reason).toBe(LINE_CLOSED);
    await expect.poll(() => hub.size()).toBe(0);
    expect(desk.listeners.size).toBe(0);
  });
});
