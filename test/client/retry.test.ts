import { describe, expect, it } from 'vitest';
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

describe('retries', () => {
  it.each(Object.entries(HTTP_STATUS))('of %s (%i) follow the specification', async (code, status) => {
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
    const { client, slept } = clientWith([failure(500, 'INTERNAL_ERROR')]);
    await errorOf(client.portfolio.get());
    expect(slept).toEqual([150, 300, 600, 1200]);
  });

  it('wait no longer than the longest delay', async () => {
    const retry = { attempts: 8, baseDelayMs: 1000, maxDelayMs: 3000 };
    const { client, slept } = clientWith([new Error('down')], { retry, random: () => 0.999 });
    await errorOf(client.ping());
    expect(Math.max(...slept)).toBeLessThanOrEqual(3000);
    expect(slept).toHaveLength(7);
  });

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
    [500, 'INTERNAL_ERROR', 5],
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
