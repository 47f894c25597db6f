/**
 * Limits, address lists and shields on a whole desk: from its options and stored keys to the answer of the
 * API.
 */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { clientOf, EXCHANGE, flat, ok, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';

async function open(options: Partial<Parameters<typeof openTestDesk>[0]> = {}): Promise<TestDesk> {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('60000', 5) }), hold: true, ...options });
  await t.call('feed.control', { action: 'step' });
  return t;
}

async function clientWith(
  t: TestDesk,
  fields: { ipList?: string[]; allowedExchanges?: string[] },
): Promise<Client> {
  return clientOf(t, ok(await t.call('keys.generate', { label: 'ruled', tier: 'trade', ...fields })));
}

const figures = async (sent: ReturnType<Client['raw']>) => {
  const { status, headers } = await sent;
  return [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['retry-after']];
};

// proves: limit GET /ping, limit every other route, rule address-limit, S49
describe('the limits of a desk', () => {
  it('are the specified ones unless its options say otherwise', async () => {
    const t = await open({ limits: undefined });
    const client = await clientOf(t);
    for (let left = 9; left >= 0; left--) {
      expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([200, '10', String(left), undefined]);
    }
    expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([429, '10', '0', '5']);
    await t.clock.advance(5_000);
    expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([200, '10', '9', undefined]);
    const time = () => figures(client.raw('GET', '/v2/server/time', { signed: false }));
    expect(await time()).toEqual([200, '100', '98', undefined]);
  });

  it('are those of its options', async () => {
    const limits = {
      windowMs: 1_000,
      addressRequests: 3,
      routeRequests: { 'GET /ping': 1 },
      otherRouteRequests: 2,
    };
    const t = await open({ limits });
    const client = await clientOf(t);
    expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([200, '1', '0', undefined]);
    expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([429, '1', '0', '1']);
    expect(await figures(client.raw('GET', '/v2/exchange/supported'))).toEqual([200, '2', '1', undefined]);
    expect(await figures(client.raw('GET', '/v2/ping'))).toEqual([429, '3', '0', '1']);
  });

  // proves: D43
  it('go by the address that its trusted proxies name', async () => {
    const t = await open({ limits: { addressRequests: 1 }, trustedProxies: ['127.0.0.0/8'] });
    const client = await clientOf(t);
    const time = async (address: string) => {
      const headers = { 'X-Forwarded-For': address };
      return (await client.raw('GET', '/v2/server/time', { signed: false, headers })).status;
    };
    expect([await time('203.0.113.1'), await time('203.0.113.2'), await time('203.0.113.1')]).toEqual([
      200, 200, 429,
    ]);
  });
});

// proves: rule ip-list, rule shield, rule key-registration
describe('a key made at the console', () => {
  it('is held to its address list, and its holder sees what was turned away', async () => {
    const t = await open();
    const client = await clientWith(t, { ipList: ['10.0.0.0/8', '::1'] });
    const { status, text } = await client.raw('GET', '/v2/ping');
    expect([status, JSON.parse(text).error.code]).toEqual([403, 'IP_NOT_WHITELISTED']);
    expect(JSON.parse(text).error.message).toContain('127.0.0.1');
    const [key] = t.desk.state().keys.filter(({ label }) => label === 'ruled');
    expect(key).toMatchObject({
      lastUsedAt: null,
      lastRefusal: { code: 'IP_NOT_WHITELISTED', from: '127.0.0.1' },
    });
  });

  it('reaches with a shield no order of another account, by whatever name it calls it', async () => {
    const t = await open();
    const other = await place(t, {
      exchange: FUTURES,
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.01',
      price: '50000',
    });
    const own = await place(t, { side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' });
    const client = await clientWith(t, { allowedExchanges: [EXCHANGE] });
    const cancel = (id: string, exchange: string) =>
      client.raw('DELETE', `/v2/orders/${id}?exchange=${exchange}`);
    const split = { exchange: EXCHANGE, prices: ['50000', '49000'] };

    expect((await client.orders.list()).map(({ id }) => id)).toEqual([own.id]);
    expect((await cancel(other.id, FUTURES)).status).toBe(403);
    const named = await cancel(other.id, EXCHANGE);
    expect(named.status).toBe(404);
    expect(named.text).not.toContain(FUTURES);
    const parts = await client.raw('POST', `/v2/orders/${other.id}/split`, { body: JSON.stringify(split) });
    expect(parts.status).toBe(404);
    expect(t.view(other.id)).toMatchObject({ status: 'OPENED', exchange: FUTURES });

    expect((await cancel(own.id, EXCHANGE)).status).toBe(200);
    expect(t.view(own.id).status).toBe('CANCELLED');
  });
});
