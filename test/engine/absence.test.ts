/** How often an order is asked about that its exchange does not know. */
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';

it('an order that its exchange does not know is asked about every thirty seconds, not at every wake between', () => {
  const bench = new Bench();
  const order = bench.resting();
  bench.queried(order, { kind: 'absent' });
  const asked: number[] = [];
  const from = bench.mono;
  for (let second = 1; second <= 95; second++) {
    bench.pass(1_000);
    bench.wake();
    // Its answers get lost: each of these is a question that nothing has settled.
    if (bench.kinds('query').length > 0) asked.push((bench.mono - from) / 1_000);
  }
  expect(asked).toEqual([30, 60, 90]);
});
