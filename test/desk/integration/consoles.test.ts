/**
 * API and consoles on one desk: each sees the changes of the others, and a revoked key has no effect any
 * more. D41; engine.md.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { checkedHttp } from '../../support/openapi-check.ts';
import { clientOf, EXCHANGE, flat, ok, openTestDesk, writeCandles } from './support.ts';

const LIMIT = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '90',
  quantity: '0.5',
} as const;

async function deskWithTwoKeys() {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('100', 50) }), hold: true });
  await t.call('feed.control', { action: 'step' });
  const key = ok(await t.call('keys.generate', { label: 'bot', tier: 'trade' }));
  return { t, key, client: await clientOf(t, key), other: await clientOf(t) };
}

// proves: rule revocation, failure key, D41
it('refuses every call after a key was revoked, and only those of that key', async () => {
  const { t, key, client, other } = await deskWithTwoKeys();
  const placed = await client.orders.place(LIMIT);
  const revoked = ok(await t.call('keys.revoke', { id: key.key.id }));
  expect(revoked.key.id).toBe(key.key.id);
  for (const [method, path, body] of [
    ['GET', '/v2/ping', undefined],
    ['GET', '/v2/orders', undefined],
    ['POST', '/v2/orders', JSON.stringify(LIMIT)],
    ['DELETE', `/v2/orders/${placed.id}?exchange=${EXCHANGE}`, undefined],
  ] as const) {
    const answer = await client.raw(method, path, { body });
    expect(answer.status, `${method} ${path}`).toBe(401);
    expect(JSON.parse(answer.text).error.code).toBe('INVALID_KEY');
  }
  expect(await other.orders.list()).toHaveLength(1);
});

// proves: D41
it('orders revocation and requests on their way: what is answered 200 was stored before', async () => {
  const { t, key, client, other } = await deskWithTwoKeys();
  const running = Array.from({ length: 40 }, async (_, n) => {
    const answer = await client.raw('POST', '/v2/orders', { body: JSON.stringify(LIMIT) });
    return { n, ...answer };
  });
  await Promise.race(running);
  const revoked = t.call('keys.revoke', { id: key.key.id });
  const answers = await Promise.all(running);
  ok(await revoked);
  for (const { status } of answers) expect([200, 401]).toContain(status);
  const accepted = answers.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text).data.id);
  const orders = await other.orders.list();
  expect(orders.map(({ id }) => id).sort()).toEqual(accepted.sort());
  // The key stays revoked after a stop and a start.
  await t.stop();
  const again = await openTestDesk({ feed: t.desk.state().clock.feed, hold: true, dataDir: t.dataDir });
  const late = createClient({
    baseUrl: again.desk.info.apiUrl,
    transport: checkedHttp(again.desk.info.apiUrl),
    key: { privateKeyPem: readFileSync(key.path, 'utf8') },
    now: () => again.clock.wall(),
    retry: { attempts: 1 },
  });
  expect((await late.raw('GET', '/v2/ping')).status).toBe(401);
  await late.close();
});

it('refuses a request that comes after the revocation, before that is even stored', async () => {
  const { t, key, client, other } = await deskWithTwoKeys();
  const revoking = t.call('keys.revoke', { id: key.key.id });
  const answer = await client.raw('POST', '/v2/orders', { body: JSON.stringify(LIMIT) });
  ok(await revoking);
  expect(answer.status).toBe(401);
  expect(await other.orders.list()).toEqual([]);
});
