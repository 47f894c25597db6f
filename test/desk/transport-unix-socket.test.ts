import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../src/desk/console/protocol.ts';
import { createSessionHub, type SessionHub } from '../../src/desk/console/session-hub.ts';
import { openClient } from '../../src/desk/hosting/transports/client.ts';
import { encodeFrame, FrameReader, MAX_CALL_BYTES } from '../../src/desk/hosting/transports/frames.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import {
  connectUnixSocket,
  listenUnixSocket,
  MAX_UNREAD_BYTES,
  type SocketListener,
} from '../../src/desk/hosting/transports/unix-socket.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { FakeDesk } from './session-fake-desk.ts';

let root: string;
let desk: FakeDesk;
let hub: SessionHub;
let listeners: SocketListener[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outcry-test-'));
  desk = new FakeDesk();
  hub = createSessionHub({ desk, clock: systemClock, report: () => {} });
  listeners = [];
});
afterEach(async () => {
  hub.closeAll('the test is over');
  for (const listener of listeners) await listener.close();
  rmSync(root, { recursive: true, force: true });
});

async function listen(dataDir = root): Promise<SocketListener> {
  const listener = await listenUnixSocket({ dataDir, clock: systemClock, accept: hub.accept });
  listeners.push(listener);
  return listener;
}

const mode = (path: string) => statSync(path).mode & 0o777;

/** Leaves a socket file behind as a killed desk does. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await new Promise((resolve) => spawn(process.execPath, ['-e', code]).once('exit', resolve));
  expect(existsSync(path)).toBe(true);
}

/** A connection that sends arbitrary bytes. */
async function rawConnection(path: string): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect(path);
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, closed };
}

describe('the socket', () => {
  test('is in the data folder and open to its owner alone', async () => {
    const listener = await listen();
    expect(listener.path).toBe(join(root, 'outcry.sock'));
    expect(mode(listener.path)).toBe(0o600);
  });

  test('is gone once the desk has stopped, and nobody is there', async () => {
    const listener = await listen();
    await listener.close();
    expect(existsSync(listener.path)).toBe(false);
    expect(await connectUnixSocket(root, systemClock)).toBeNull();
  });

  test('of a killed desk is taken over', async () => {
    await leaveStaleSocket(join(root, 'outcry.sock'));
    expect(await connectUnixSocket(root, systemClock)).toBeNull();
    const listener = await listen();
    expect(mode(listener.path)).toBe(0o600);
    (await connectUnixSocket(root, systemClock))?.close();
  });

  test('of a living desk is left alone', async () => {
    await listen();
    await expect(listen()).rejects.toThrow(/Something else is at .*outcry\.sock/);
    const client = await connectUnixSocket(root, systemClock);
    expect(client).not.toBeNull();
    client?.close();
  });

  test('does not replace a file that is none', async () => {
    writeFileSync(join(root, 'outcry.sock'), 'precious');
    await expect(listen()).rejects.toThrow(/Something else is at/);
    expect(readFileSync(join(root, 'outcry.sock'), 'utf8')).toBe('precious');
  });
});

describe('a data folder whose path is too long for a socket', () => {
  let deep: string;
  beforeEach(() => {
    deep = join(root, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(deep, { recursive: true });
  });

  test('has it in a short private folder, which the data folder names', async () => {
    const listener = await listen(deep);
    expect(Buffer.byteLength(listener.path)).toBeLessThan(104);
    expect(mode(listener.path)).toBe(0o600);
    expect(mode(dirname(listener.path))).toBe(0o700);
    expect(mode(join(deep, 'outcry.sock.path'))).toBe(0o600);
    const client = await connectUnixSocket(deep, systemClock);
    expect(client).not.toBeNull();
    client?.close();
    await listener.close();
    expect(existsSync(dirname(listener.path))).toBe(false);
    expect(existsSync(join(deep, 'outcry.sock.path'))).toBe(false);
  });

  test('does not keep the short folder of a killed desk', async () => {
    const stale = mkdtempSync(join(tmpdir(), 'outcry-'));
    writeFileSync(join(deep, 'outcry.sock.path'), `${join(stale, 'outcry.sock')}\n`);
    await listen(deep);
    expect(existsSync(stale)).toBe(false);
  });

  test('ignores a record that names a path of another form', async () => {
    const other = join(root, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'outcry.sock'), '');
    writeFileSync(join(deep, 'outcry.sock.path'), join(other, 'outcry.sock'));
    await listen(deep);
    expect(existsSync(join(other, 'outcry.sock'))).toBe(true);
  });
});

describe('the desk cuts off a connection', () => {
  test.each([
    ['that sends no frames', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['that sends a frame that is no JSON', Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('{')])],
    ['that announces a call over the bound', Buffer.from([0, 0x10, 0, 1])],
    ['that sends another message than hello', encodeFrame({ t: 'ack', seq: 1 })],
  ])('%s', async (_what, bytes) => {
    const { path } = await listen();
    const { socket, closed } = await rawConnection(path);
    socket.resume();
    socket.write(bytes);
    await closed;
    await expect.poll(() => hub.size()).toBe(0);
  });

  test('that asks and asks and never reads', async () => {
    const { path } = await listen();
    const text = 'x'.repeat(1_000_000);
    desk.answer = () => ({ text });
    const { socket } = await rawConnection(path);
    socket.write(encodeFrame({ t: 'hello', protocol: PROTOCOL_VERSION }));
    await expect.poll(() => desk.listeners.size).toBe(1);
    const calls = MAX_UNREAD_BYTES / text.length + 10;
    for (let id = 1; id <= calls; id++) {
      socket.write(encodeFrame({ t: 'call', id, method: 'orders.detail', params: { id: 'a' } }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => hub.size(), { timeout: 5_000 }).toBe(0);
    socket.destroy();
  });
});

test('a desk that takes the connection and never answers is given up', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(join(root, 'outcry.sock'), resolve));
  const clock = new VirtualClock();
  const client = connectUnixSocket(root, clock);
  const outcome = expect(client).rejects.toThrow('the desk did not answer within 5 s');
  await expect.poll(() => clock.pendingTimers).toBe(1);
  await clock.advance(5_000);
  await clock.advance(1_000);
  await outcome;
  server.close();
});

test('a client is not opened before the first snapshot', async () => {
  const clock = new VirtualClock();
  let closed = (_reason: string) => {};
  const client = openClient(
    {
      send: () => {},
      onMessage: () => {},
      onClosed: (listener) => {
        closed = listener;
      },
      close: () => closed('closed'),
    },
    clock,
  );
  const outcome = expect(client).rejects.toThrow('did not answer');
  await clock.advance(5_000);
  await outcome;
});

describe('frames', () => {
  test('come out as they went in, however the bytes are cut', () => {
    const messages = [{ a: 1 }, 'zwölf', null, { list: ['x'.repeat(300)] }];
    const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)));
    for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
      const reader = new FrameReader(MAX_CALL_BYTES);
      const out: unknown[] = [];
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(Buffer.from(bytes.subarray(at, at + size)));
      for (const chunk of chunks) out.push(...reader.push(chunk));
      expect(out).toEqual(messages);
      // A passphrase may have been among the bytes.
      expect(Buffer.concat(chunks).every((byte) => byte === 0)).toBe(true);
    }
  });

  test('carry one change of the state to many terminals, each with its own number', () => {
    const delta = { log: [], orders: { 'ä"': null }, maintenance: undefined, equity: { usd: '1' } };
    const empty = { t: 'delta', delta: {}, seq: 0 };
    const messages = [1, 2, 3].map((seq) => ({ t: 'delta', delta, seq }));
    const bytes = Buffer.concat([...messages, empty].map((message) => encodeFrame(message)));
    const { maintenance: _, ...told } = delta;
    expect(new FrameReader(1_000).push(bytes)).toEqual([
      ...messages.map((message) => ({ ...message, delta: told })),
      empty,
    ]);
  });

  test('write a change once for all of them, however long it is', () => {
    let times = 0;
    const toJSON = () => {
      times++;
      return 'x'.repeat(200_000);
    };
    const delta = { log: { toJSON } };
    for (const seq of [1, 2, 3]) {
      const [told] = new FrameReader(MAX_CALL_BYTES).push(encodeFrame({ t: 'delta', delta, seq }));
      expect(told).toEqual({ t: 'delta', delta: { log: 'x'.repeat(200_000) }, seq });
    }
    expect(times).toBe(1);
  });

  test('over the bound are refused on both ends', () => {
    expect(() => encodeFrame('x'.repeat(20), 10)).toThrow('over the limit of 10');
    expect(() => new FrameReader(10).push(encodeFrame('x'.repeat(20)))).toThrow('over the limit of 10');
  });
});
