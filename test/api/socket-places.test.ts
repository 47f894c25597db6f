/** Connection slots of one address: it may have its number of connections and no more, however they end. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { SocketPlaces } from '../../src/api/socket-places.ts';
import { compileServiceLimits } from '../../src/domain/limits.ts';
import { makeCertificate, writeCertificate } from '../support/certificate.ts';
import { ROOMY_LIMITS } from '../support/roomy-limits.ts';
import { PLAIN, TIME, until } from './hostile/support.ts';
import { Bench, type BenchOptions, expectError, RawClient } from './support.ts';

const MOST = 5;
const limited = { ...ROOMY_LIMITS, addressSockets: MOST };

let bench: Bench;
afterEach(() => bench.api.close());

async function start(options: BenchOptions = {}, limits: Parameters<typeof Bench.start>[0] = {}) {
  bench = await Bench.start(limits, { serviceLimits: limited, ...options });
}

async function clientAt(host: string): Promise<RawClient> {
  const socket = connect({ host, port: bench.api.port });
  await once(socket, 'connect');
  return new RawClient(socket);
}

const served = async (client: RawClient) => (await client.write(PLAIN).answer())?.status === 200;
const clients = (count: number, host = '127.0.0.1') =>
  Promise.all(Array.from({ length: count }, () => clientAt(host)));

describe('an address', () => {
  it('gets its places (200 unless set) and no more, others theirs, and there is room when one goes', async () => {
    await start({ host: '::', trustedProxies: ['192.0.2.1'] });
    expect(compileServiceLimits().addressSockets).toBe(200);
    const own = await clients(MOST);
    for (const client of own) expect(await served(client)).toBe(true);
    const late = await clients(3);
    for (const client of late) expect(await client.answer()).toBeNull();
    for (const client of await clients(MOST, '::1')) {
      expect(await served(client)).toBe(true);
      client.socket.destroy();
    }
    for (const client of own) expect(await served(client)).toBe(true);
    own[0]?.socket.destroy();
    await until('there is room', async () => {
      const next = await clientAt('127.0.0.1');
      const room = await served(next);
      next.socket.destroy();
      return room;
    });
    for (const client of own) client.socket.destroy();
    const lines = bench.desk.lines.map(({ text }) => text);
    expect(lines).toEqual([
      expect.stringMatching(/^connections refused by the limit of their address: 1, the last from 127/),
    ]);
  });

  it('has them over TLS too, and gets them back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outcry-places-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await start({ tls: writeCertificate(folder, makeCertificate()) });
    const shake = () =>
      new Promise<TLSSocket | null>((resolve) => {
        const socket = connectTls({ host: '127.0.0.1', port: bench.api.port, rejectUnauthorized: false });
        socket.on('error', () => {});
        socket.once('secureConnect', () => resolve(socket));
        socket.once('close', () => resolve(null));
      });
    for (let round = 0; round < 3; round++) {
      await until('all places are free', async () => {
        const all = await Promise.all(Array.from({ length: MOST }, shake));
        const one = all.includes(null) ? null : await shake();
        for (const socket of [...all, one]) socket?.destroy();
        expect(one).toBeNull();
        return !all.includes(null);
      });
    }
  });
});

// proves: D43
describe('a trusted proxy', () => {
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

  it('has as many connections as it likes', async () => {
    await start({ trustedProxies: ['127.0.0.1'] });
    const many = await clients(MOST * 4);
    for (const client of many) expect(await served(client)).toBe(true);
    for (const client of many) client.socket.destroy();
  });

  it('has requests of one client under way up to the limit of its address; those of others go through', async () => {
    await start({ trustedProxies: ['127.0.0.1'] });
    const waiting: (() => void)[] = [];
    bench.desk.onRead = () => new Promise((resolve) => void waiting.push(resolve));
    const slow = Array.from({ length: MOST }, () => bench.send('GET', '/api/v2/orders', from('203.0.113.1')));
    await until('all are under way', () => waiting.length === MOST);
    const refused = await bench.send('GET', TIME, from('203.0.113.1'));
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json.error.message).toContain('203.0.113.1');
    expect((await bench.send('GET', TIME, from('203.0.113.2'))).status).toBe(200);
    for (const go of waiting) go();
    for (const response of await Promise.all(slow)) expect(response.status).toBe(200);
    bench.desk.onRead = null;
    await until(
      'there is room',
      async () => (await bench.send('GET', TIME, from('203.0.113.1'))).status === 200,
    );
  });

  it('gives a place of a client back once, however often it is told that it is free', () => {
    const places = new SocketPlaces({
      perAddress: 2,
      firstByteMs: 1_000,
      trustedProxies: ['127.0.0.1/32'],
      clock: { monotonic: () => 0 },
      report: () => {},
    });
    const proxy = { remoteAddress: '127.0.0.1' } as Socket;
    const began = () => places.began(proxy, '192.0.2.1');
    const [first] = [began(), began()];
    for (const _ of [1, 2]) if (typeof first === 'function') first();
    expect([began(), began()]).toEqual([
      expect.any(Function),
      { code: 'RATE_LIMITED', message: expect.any(String), retryAfterS: 1 },
    ]);
  });

  it('has its own requests, and those of a proxy before it, as many as it likes', () => {
    const places = new SocketPlaces({
      perAddress: 1,
      firstByteMs: 1_000,
      trustedProxies: ['127.0.0.1/32', '10.0.0.0/8'],
      clock: { monotonic: () => 0 },
      report: () => {},
    });
    const proxy = { remoteAddress: '127.0.0.1' } as Socket;
    for (const own of ['127.0.0.1', '10.1.2.3', '127.0.0.1', '10.1.2.3'])
      expect(places.began(proxy, own)).toEqual(expect.any(Function));
  });

  it('is no way past the limit for whoever is none', async () => {
    await start({ trustedProxies: ['192.0.2.1'] });
    const own = await clients(MOST);
    for (const client of own) expect(await served(client)).toBe(true);
    const late = await clientAt('127.0.0.1');
    late.write(PLAIN.replace('Host: test', 'Host: test\r\nX-Forwarded-For: 198.51.100.1'));
    expect(await late.answer()).toBeNull();
    for (const client of own) client.socket.destroy();
  });
});

describe('a connection', () => {
  it('that says nothing loses its place soon, one that has said something only when its time is over', async () => {
    await start({}, { firstByteMs: 50, headersTimeoutMs: 600, requestTimeoutMs: 600, checkIntervalMs: 25 });
    const silent = await clientAt('127.0.0.1');
    const begun = await clientAt('127.0.0.1');
    begun.write('G');
    expect(await silent.answer()).toBeNull();
    expect((await begun.answer())?.status).toBe(408);
  });
});
