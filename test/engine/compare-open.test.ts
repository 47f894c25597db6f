/** After which lists of open orders executions may still be on their way, so that wallets are not judged. */
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';
import { SPOT } from './support/market.ts';

it('a list that leads to a question leaves its account in doubt until one that leads to none', () => {
  const bench = new Bench({ ledger: true });
  const order = bench.resting();
  const { ledger } = bench.engine.memory.account(SPOT).wallet;
  const inDoubt = (...open: Parameters<Bench['stream']>) => {
    bench.event({ type: 'reconciled', exchange: SPOT, open });
    return [ledger?.asking.has(SPOT), bench.kinds('query').length];
  };
  const there = () => bench.state(order);
  // It is there as it is known; it is missing; it is there again; it has executed more than is known.
  expect(inDoubt(there())).toEqual([false, 0]);
  bench.event({ type: 'reconciled', exchange: SPOT, open: [] });
  expect([ledger?.asking.has(SPOT), bench.kinds('query').length]).toEqual([true, 1]);
  expect(inDoubt(there())).toEqual([false, 0]);
  expect(inDoubt(bench.state(order, { cumQty: '0.5' }))).toEqual([true, 1]);
});
