/** Consoles attached to a desk in another process see the changes made over the API, all of them the same. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  clientOf,
  EXCHANGE,
  generateKey,
  startDesk,
  temporaryFolder,
  until,
} from '../support/desk-process.ts';

const ORDER = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '80000',
  quantity: '0.01',
} as const;

it('shows an order of the API on every console, its unresolved time and its end; and a revoked key is out', async () => {
  const desk = await startDesk(join(temporaryFolder(), 'data'));
  const key = await generateKey(desk);
  const client = clientOf(desk, key);
  const [one, two] = await Promise.all([desk.attach(), desk.attach()]);
  await until(
    'there are prices',
    () => one.state()?.prices['paper BTCUSDT'] && two.state()?.prices['paper BTCUSDT'],
  );

  const { id } = await client.orders.place(ORDER);
  const seen = await Promise.all(
    [one, two].map((console) =>
      until('the order rests', () => {
        const order = console.state()?.orders[id];
        return order?.status === 'OPENED' ? order : undefined;
      }),
    ),
  );
  expect(seen[0]).toMatchObject({ id, status: 'OPENED', creator: 'API', price: '80000', origQty: '0.01' });
  expect(seen[1]).toEqual(seen[0]);

  await one.client.call('paper.fault', { fault: 'loseRequest' });
  const lost = await client.orders.place(ORDER);
  expect(lost).toMatchObject({ status: 'NEW', specific: { unresolved: true } });
  const waiting = await until('it is shown as unresolved', () => two.state()?.orders[lost.id]?.unresolved);
  expect(waiting.settlesAt).toBeGreaterThan(waiting.since + 5_000);

  const done = await two.client.call('orders.cancel', { exchange: EXCHANGE, id });
  expect(done).toMatchObject({ ok: true, data: { status: 'CANCELLED' } });
  await until('the cancel is seen', () => one.state()?.orders[id]?.status === 'CANCELLED');
  expect((await client.orders.list({ status: 'recent' })).find((o) => o.id === id)?.status).toBe('CANCELLED');

  await until('the lost order is an ERROR', () => one.state()?.orders[lost.id]?.status === 'ERROR');
  await until('on both', () => two.state()?.orders[lost.id]?.status === 'ERROR');
  expect(two.state()?.orders).toEqual(one.state()?.orders);
  expect(two.state()?.portfolios).toEqual(one.state()?.portfolios);

  const revoked = await two.client.call('keys.revoke', { id: key.id });
  expect(revoked.ok).toBe(true);
  expect((await client.raw('GET', '/v2/ping')).status).toBe(401);
  await until('the other console shows it', () => one.state()?.keys.every((k) => k.revokedAt !== null));
  one.client.close();
  two.client.close();
});
