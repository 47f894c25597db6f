/** How an order that is alive after its end is asked about: after pauses that grow, by news since it was found. */
import { expect, it } from 'vitest';
import type { CancelOutcome } from '../../src/domain/exchange.ts';
import { Bench } from './support/bench.ts';

const REFUSED: CancelOutcome = { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' };

/** An order that was cancelled here and works at its exchange. */
function alive() {
  const bench = new Bench();
  const order = bench.resting();
  bench.cancel(order.id);
  bench.cancelDone(order);
  bench.stream(bench.state(order, { seq: 50 }));
  return { bench, order };
}

it('an order whose cancel has no answer is asked about after pauses that grow', () => {
  const { bench, order } = alive();
  bench.cancelled(order, { kind: 'unknown', cause: 'timeout' });
  const pauses: number[] = [];
  let last = bench.mono;
  for (let n = 0; n < 7; n++) {
    do {
      bench.pass(250);
      bench.wake();
    } while (bench.kinds('query').length === 0);
    pauses.push(bench.mono - last);
    last = bench.mono;
  }
  expect(pauses.slice(1)).toEqual([250, 500, 1_000, 2_000, 5_000, 10_000]);
});

it('an answer that was asked for since it was found counts, also where its cancel was sent again meanwhile', () => {
  const { bench, order } = alive();
  bench.cancelled(order, REFUSED);
  bench.pass(1_000);
  const askedAt = bench.mono;
  bench.pass(1_000);
  bench.cancel(order.id);
  expect(order.contradiction?.cancel).toBe('sent');
  const state = bench.state(order, { seq: 7, status: 'CANCELLED' });
  bench.queried(order, { kind: 'found', state, fills: [] }, askedAt);
  expect(order.contradiction).toMatchObject({ at: 'ENDED', goneAt: bench.wall });
});

it('a cancel that its exchange has put off is sent at once for who asks for it', () => {
  const { bench, order } = alive();
  bench.cancelled(order, { kind: 'rejected', reason: 'RATE_LIMITED', code: '-1003', message: 'later' });
  expect(order.contradiction?.cancel).toBe('unsent');
  bench.cancel(order.id);
  expect(bench.kinds('cancel')).toHaveLength(1);
});
