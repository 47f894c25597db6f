/**
 * A hundred requests at once with one idempotency key are one order, before and after a kill. Specification,
 * "Idempotency".
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf, EXCHANGE, generateKey, startDesk, temporaryFolder } from '../support/desk-process.ts';

const ORDER = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '80000',
  quantity: '0.01',
};

// proves: rule idempotency-replay, rule idempotency-in-progress, rule idempotency-conflict, D16
it('makes one order of a hundred parallel requests with one key', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const desk = await startDesk(dataDir);
  const key = await generateKey(desk);
  const client = clientOf(desk, key, 100);
  const idempotencyKey = randomUUID();
  const send = (from = client, body: object = ORDER) =>
    from.raw('POST', '/v2/orders', { body: JSON.stringify(body), idempotencyKey });
  const answers = await Promise.all(Array.from({ length: 100 }, () => send()));
  const good = answers.filter(({ status }) => status === 200);
  expect(good.length).toBeGreaterThan(0);
  expect(new Set(good.map(({ text }) => text)).size).toBe(1);
  expect(good.filter(({ headers }) => headers['x-idempotent-replayed'] !== 'true')).toHaveLength(1);
  for (const { status, text } of answers.filter((answer) => answer.status !== 200)) {
    expect(status).toBe(409);
    expect(JSON.parse(text).error.code).toBe('IDEMPOTENCY_CONFLICT');
  }
  expect(await client.orders.list({ status: 'recent' })).toHaveLength(1);

  await desk.kill('SIGKILL');
  const reborn = await startDesk(dataDir);
  const again = clientOf(reborn, key);
  const repeated = await send(again);
  expect(repeated).toMatchObject({ status: 200, text: good[0]?.text });
  expect(repeated.headers['x-idempotent-replayed']).toBe('true');
  const other = await send(again, { ...ORDER, quantity: '0.02' });
  expect(other.status).toBe(409);
  expect(JSON.parse(other.text).error.code).toBe('IDEMPOTENCY_CONFLICT');
  const orders = await again.orders.list({ status: 'recent' });
  expect(orders.map(({ id }) => id)).toEqual([JSON.parse(good[0]?.text ?? '').data.id]);
});
