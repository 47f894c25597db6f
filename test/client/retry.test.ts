import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { ApiError, NetworkError } from '../../src/client/errors.ts';
import { HTTP_STATUS } from '../../src/domain/errors.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { clientWith, failure, NOW, success } from './fakes.ts';

const ORDER: CreateOrder = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'MARKET',
  quantity: '1',
};
const headerOf = (sent: { headers: Readonly<Record<string, string>> }[], name: string) =>
  sent.map((request) => request.headers[name]);
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

const AGAIN = ['RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'RISK_SHIELD_ERROR'];
/** The other codes: TIMESTAMP_EXPIRED has its own rule. */
const CODES = Object.entries(HTTP_STATUS).filter(([code]) => code !== 'TIMESTAMP_EXPIRED');

describe('retries', () => {
  // proves: rule retry-guidance
  it.each(CODES)('of %s (%i) follow the specification', async (code, status) => {
    const { client, sent } = clientWith([failure(status, code), success({ id: 'o1' })]);
    const outcome = await errorOf(client.orders.place(ORDER));
    if (AGAIN.includes(code)) {
      expect(outcome).toBeNull();
      expect(sent).toHaveLength(2);
    } else {
      expect(outcome).toBeInstanceOf(ApiError);
      expect(outcome).toMatchObject({
        code,
        status,
        retryable: false,
        requestId: 'r-1',
        message: `it says ${code}`,
      });
      expect(sent).toHaveLength(1);
    }
  });

  // proves: rule idempotency-retry, rule resign
  it('keep the idempotency key and sign anew with a later timestamp', async () => {
    const { client, sent } = clientWith([
      new Error('socket hang up'),
      failure(503, 'SERVICE_UNAVAILABLE'),
      success({ id: 'o1' }),
    ]);
    await client.orders.place(ORDER);
    expect(headerOf(sent, 'X-Idempotency-Key')).toEqual(['uuid-1', 'uuid-1', 'uuid-1']);
    expect(new Set(headerOf(sent, 'X-SVC-SIGN')).size).toBe(3);
    const times = headerOf(sent, 'X-SVC-TIMESTAMP').map(Number);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(3);
    expect(new Set(sent.map((request) => String(request.body))).size).toBe(1);
  });

  it('back off, twice as long each time', async () => {
    const { client, slept } = clientWith([failure(503, 'SERVICE_UNAVAILABLE')]);
    await errorOf(client.portfolio.get());
    expect(slept).toEqual([150, 300, 600, 1200]);
  });

  it('of an INTERNAL_ERROR end when its message stays the same, for reads and writes alike', async () => {
    const lacking = failure(500, 'INTERNAL_ERROR');
    for (const call of ['read', 'write']) {
      const { client, sent, slept } = clientWith([lacking]);
      const outcome = call === 'read' ? client.portfolio.get() : client.orders.place(ORDER);
      expect(await errorOf(outcome)).toMatchObject({
        code: 'INTERNAL_ERROR',
        message: 'it says INTERNAL_ERROR',
      });
      expect(sent).toHaveLength(3);
      expect(slept).toEqual([150, 300]);
    }
  });

  it('of INTERNAL_ERRORs go on while something changes', async () => {
    const saying = (message: string) => {
      const answer = failure(500, 'INTERNAL_ERROR');
      return { ...answer, text: answer.text.replace('it says INTERNAL_ERROR', message) };
    };
    const { client, sent } = clientWith([
      ...['a', 'a', 'b'].map(saying),
      failure(503, 'SERVICE_UNAVAILABLE'),
      saying('b'),
    ]);
    await errorOf(client.orders.list());
    expect(sent).toHaveLength(5);
    // Another error comes between them: it is not the same error several times in a row.
    const other = clientWith([
      ...['a', 'a'].map(saying),
      failure(503, 'SERVICE_UNAVAILABLE'),
      saying('a'),
      success([]),
    ]);
    expect(await errorOf(other.client.orders.list())).toBeNull();
  });

  it('start no attempt after the total time', async () => {
    const retry = { attempts: 100, baseDelayMs: 1000, maxDelayMs: 8000, maxTotalMs: 20_000 };
    const { client, slept } = clientWith([new Error('down')], { retry });
    expect(await errorOf(client.ping())).toBeInstanceOf(NetworkError);
    expect(slept).toEqual([750, 1500, 3000, 6000, 6000]);
  });

  it('wait no longer than the longest delay', async () => {
    const retry = { attempts: 8, baseDelayMs: 1000, maxDelayMs: 3000 };
    const { client, slept } = clientWith([new Error('down')], { retry, random: () => 0.999 });
    await errorOf(client.ping());
    expect(Math.max(...slept)).toBeLessThanOrEqual(3000);
    expect(slept).toHaveLength(7);
  });

  // proves: rule retry-guidance
  it('wait for Retry-After, never less', async () => {
    const { client, slept } = clientWith(
      [failure(429, 'RATE_LIMITED', { 'retry-after': '3' }), success([])],
      {
        random: () => 0,
      },
    );
    await client.orders.list();
    expect(slept).toEqual([3000]);
  });

  it('do not wait for a Retry-After that is too long', async () => {
    const { client, slept } = clientWith([failure(429, 'RATE_LIMITED', { 'retry-after': '3600' })]);
    expect(await errorOf(client.orders.list())).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 3_600_000,
    });
    expect(slept).toEqual([]);
  });

  it('end after the attempts with the last error and its idempotency key', async () => {
    const { client, sent } = clientWith([new Error('ECONNREFUSED')]);
    const error = await errorOf(client.orders.cancel({ exchange: 'paper-spot', id: 'o1' }));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ retryable: true, idempotencyKey: 'uuid-1' });
    expect(String(error)).toContain('no answer to DELETE /v2/orders/o1?exchange=paper-spot: ECONNREFUSED');
    expect(sent).toHaveLength(5);
  });

  it('do not happen with raw()', async () => {
    const { client, sent } = clientWith([failure(503, 'SERVICE_UNAVAILABLE')]);
    expect((await client.raw('GET', '/v2/ping')).status).toBe(503);
    expect(sent).toHaveLength(1);
  });

  it.each([
    [502, 'SERVICE_UNAVAILABLE', 5],
    [504, 'SERVICE_UNAVAILABLE', 5],
    [500, 'INTERNAL_ERROR', 3],
    [404, 'UNKNOWN_ERROR', 1],
  ])('of a %i page from a proxy are as of %s', async (status, code, attempts) => {
    const { client, sent } = clientWith([{ status, headers: {}, text: '<html>' }]);
    expect(await errorOf(client.orders.list())).toMatchObject({ code, status, requestId: null });
    expect(sent).toHaveLength(attempts);
  });

  it.each(['', '<html>', '[]', '{}', 'null'])('follow a success that cannot be read: %j', async (text) => {
    const { client, sent } = clientWith([{ status: 200, headers: {}, text }, success({ id: 'o1' })]);
    expect(await client.orders.place(ORDER)).toEqual({ id: 'o1' });
    expect(headerOf(sent, 'X-Idempotency-Key')).toEqual(['uuid-1', 'uuid-1']);
  });
});

describe('idempotency keys', () => {
  it('are the given one, else a new one for each write, and none for reads', async () => {
    const { client, sent } = clientWith([success({})]);
    await client.orders.place(ORDER, { idempotencyKey: 'mine' });
    await client.orders.place(ORDER);
    await client.orders.split({ exchange: 'paper-spot', id: 'o1', prices: ['1', '2'] });
    await client.orders.list();
    expect(headerOf(sent, 'X-Idempotency-Key')).toEqual(['mine', 'uuid-1', 'uuid-2', undefined]);
  });
});

describe('clock', () => {
  const expired = failure(401, 'TIMESTAMP_EXPIRED');
  const time = (serverTime: number) => success({ serverTime, timezone: 'UTC' });

  // proves: rule client-offset
  it('is measured when a timestamp is refused, and the request goes out at once with the same key', async () => {
    const { client, sent, slept } = clientWith([expired, time(NOW + 9000), success({ id: 'o1' })]);
    expect(await client.orders.place(ORDER)).toEqual({ id: 'o1' });
    expect(sent.map(({ path }) => path)).toEqual(['/api/v2/orders', '/api/v2/server/time', '/api/v2/orders']);
    expect(headerOf(sent, 'X-Idempotency-Key')).toEqual(['uuid-1', undefined, 'uuid-1']);
    expect(headerOf(sent, 'X-SVC-TIMESTAMP')).toEqual([String(NOW), undefined, String(NOW + 9000)]);
    expect(slept).toEqual([]);
  });

  it('is measured once a call only', async () => {
    const { client, sent } = clientWith([expired, time(NOW), expired]);
    expect(await errorOf(client.orders.list())).toMatchObject({ code: 'TIMESTAMP_EXPIRED' });
    expect(sent).toHaveLength(3);
  });

  it('is measured once for all calls that need it at the same time', async () => {
    let answers = 0;
    const { client, sent } = clientWith([success([])], {
      transport: {
        async send(request) {
          sent.push(request);
          if (request.path.endsWith('/time')) return time(NOW + 9000);
          return ++answers <= 3 ? expired : success([]);
        },
        async close() {},
      },
    });
    await Promise.all([client.orders.list(), client.orders.list(), client.orders.list()]);
    expect(sent.filter(({ path }) => path.endsWith('/time'))).toHaveLength(1);
    expect(sent).toHaveLength(7);
  });

  it('is not measured where one attempt is all', async () => {
    const { client, sent } = clientWith([expired], { retry: { attempts: 1 } });
    expect(await errorOf(client.ping())).toMatchObject({ code: 'TIMESTAMP_EXPIRED' });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['no answer', new Error('down')],
    ['an answer without a time', success({})],
  ])('that cannot be measured leaves the refusal as it is: %s', async (_name, answer) => {
    const { client, sent } = clientWith([expired, answer]);
    expect(await errorOf(client.ping())).toMatchObject({ code: 'TIMESTAMP_EXPIRED' });
    expect(sent).toHaveLength(2);
  });

  // proves: rule client-offset
  it('follows the service after syncClock, half the round trip taken off', async () => {
    const { client, sent, setNow } = clientWith([
      success({ serverTime: NOW + 7000, timezone: 'UTC' }),
      success({}),
    ]);
    expect(await client.syncClock()).toEqual({ offsetMs: 7000, roundTripMs: 0 });
    setNow(NOW + 100);
    await client.ping();
    expect(headerOf(sent, 'X-SVC-TIMESTAMP')).toEqual([undefined, String(NOW + 7100)]);
  });
});

describe('close', () => {
  it('may be called again and closes the connections once', async () => {
    let closed = 0;
    const transport = {
      send: () => Promise.reject(new Error('closed')),
      close: async () => {
        closed += 1;
      },
    };
    const { client } = clientWith([], { transport });
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(closed).toBe(1);
  });

  it('of the real connections may be called again, and nothing is sent afterwards', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(success({ message: 'pong' }).text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api`, retry: { attempts: 1 } });
    await client.server.time();
    expect(await Promise.all([client.close(), client.close()])).toEqual([undefined, undefined]);
    await client.close();
    await expect(client.server.time()).rejects.toThrow(NetworkError);
    expect(asked).toHaveLength(1);
    // This would not end while a connection is still open.
    await new Promise((resolve) => server.close(resolve));
  });
});
