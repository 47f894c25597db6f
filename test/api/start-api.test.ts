import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ApiStartError, startApi } from '../../src/api/start-api.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { Bench, FakeDesk, order } from './support.ts';

const start = (host: string, port = 0) =>
  startApi(new FakeDesk(), { host, port, limits: {}, clock: systemClock });

describe('start', () => {
  // proves: S28
  it('says where it listens', async () => {
    const api = await start('127.0.0.1');
    expect(api.url).toBe(`http://127.0.0.1:${api.port}/api`);
    expect(api.wsUrl).toBe(`ws://127.0.0.1:${api.port}/api/v2/ws`);
    expect(api.closeSocketsOf('x')).toBe(0);
    await api.close();
  });

  it('names an occupied port and the way out', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const error = await start('127.0.0.1', port).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiStartError);
    expect(error).toMatchObject({
      code: 'PORT_IN_USE',
      message: `port ${port} on 127.0.0.1 is already in use; choose another with --port`,
    });
    other.close();
  });

  // proves: D46
  it.each(['0.0.0.0', '::', '192.168.1.10', 'example.org', '127.0.0.1.example.org', ''])(
    'refuses to listen on %j without TLS',
    async (host) => {
      await expect(start(host)).rejects.toMatchObject({ name: 'ApiStartError', code: 'HOST' });
    },
  );

  it('takes localhost as both loopback addresses, and lets go of both', async () => {
    const api = await start('localhost');
    expect(api.url).toContain('http://127.0.0.1:');
    const addresses = ['127.0.0.1', '[::1]'];
    for (const address of addresses) {
      const answer = await fetch(`http://${address}:${api.port}/api/v2/server/time`);
      expect(answer.status).toBe(200);
    }
    await api.close();
    for (const address of addresses) {
      await expect(fetch(`http://${address}:${api.port}/api/v2/server/time`)).rejects.toThrow();
    }
  });
});

describe('close', () => {
  it('ends idle connections, refuses new ones and is idempotent', async () => {
    const bench = await Bench.start();
    const idle = await bench.raw();
    await idle.write('GET /api/v2/server/time HTTP/1.1\r\nHost: a\r\n\r\n').answer();
    await Promise.all([bench.api.close(), bench.api.close()]);
    await idle.closed;
    await expect(bench.raw()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('lets a running request finish and then ends its connection', async () => {
    const bench = await Bench.start();
    let finish: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      bench.desk.onCommand = () => {
        resolve();
        return new Promise<void>((done) => {
          finish = done;
        });
      };
    });
    const client = await bench.raw();
    client.write(bench.rawRequest('POST', '/api/v2/orders', order()));
    await started;
    const closed = bench.api.close();
    finish();
    const answer = await client.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([200, 'close']);
    await closed;
  });

  it('does not wait longer than its grace', async () => {
    const bench = await Bench.start({ closeGraceMs: 50 });
    const started = new Promise<void>((resolve) => {
      bench.desk.onCommand = () => {
        resolve();
        return new Promise<void>(() => {});
      };
    });
    const client = await bench.raw();
    client.write(bench.rawRequest('POST', '/api/v2/orders', order()));
    await started;
    await bench.api.close();
    expect(await client.answer()).toBeNull();
  });
});
