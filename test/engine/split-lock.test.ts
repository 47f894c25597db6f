/**
 * The amount that a split locks in addition to the lock of a taking order on futures: all of it is given
 * back in the end.
 */
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';

it('a split of an order that fills at once leaves nothing locked', () => {
  const bench = new Bench({ futures: true });
  const { order } = bench.place({ side: 'SELL', price: '59000', quantity: '1', timeInForce: 'FOK' });
  bench.accepted(order);
  const own = bench.locked('USDT');
  expect(own).toBeGreaterThan(0n);
  bench.split(order.id, ['61000', '62000']);
  expect(bench.locked('USDT')).toBeGreaterThan(own);
  bench.stream(bench.state(order, { status: 'FILLED', cumQty: '1' }));
  bench.fill(bench.trade(order, '1', { price: '60000' }));
  expect(bench.order(order.id).status).toBe('CLOSED');
  expect(bench.locked('USDT')).toBe(0n);
});
