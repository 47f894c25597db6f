/**
 * The balance that a spot account may spend between two reports, against an exchange that is correct by
 * construction: never more than is there, and the exchange's own figure once it has been asked at rest.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZERO } from '../../src/domain/decimal.ts';
import { balanceOf } from '../../src/engine/balances.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR, SPOT } from './support/market.ts';
import { HOLDINGS, SPOT_STEPS, SpotHistory } from './support/spot-history.ts';
import { SpotModel, type Times } from './support/spot-model.ts';

describe('what is free between two reports of the balances', () => {
  it.each<Times>(['none', 'coarse', 'fine'])('is never more than there is, with times %s', (times) => {
    let filled = 0;
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(null, 'BNB'),
        fc.array(fc.constantFrom(...SPOT_STEPS), { minLength: 10, maxLength: 150, size: 'max' }),
        (seed, feeAsset, steps) => {
          const history = new SpotHistory(seed, (dice) => new SpotModel(dice, times, feeAsset, HOLDINGS));
          for (const step of steps) {
            history.do(step);
            history.check();
          }
          history.end();
          // The answer to a request settles events that arrived in any order.
          for (const step of ['ask', 'answer the question', 'hear the answer'] as const) history.do(step);
          const { here, there } = history.figures;
          expect(here).toEqual(there);
          expect(history.account.wallet.untold.hasDoubt).toBe(false);
          for (const order of history.model.orders.values()) if (order.cum > ZERO) filled += 1;
        },
      ),
      { numRuns: Number(process.env.OUTCRY_RUNS ?? 120) },
    );
    expect(filled).toBeGreaterThan(150);
  });
});

// A paused market stays at one time: times do not tell there which changes an answer includes.
it('what a cancel gives back is free at once, also at the time of the last answer', () => {
  const bench = new Bench({ balances: [{ asset: 'BTC', free: '5', locked: '0' }] });
  const order = bench.resting({ side: 'SELL', price: '70000', quantity: '5' });
  bench.restart();
  const time = bench.now.market;
  const { versions } = bench.engine.memory.account(SPOT).wallet;
  bench.event({
    type: 'venue.balances',
    exchange: SPOT,
    all: true,
    askedAt: versions.heard,
    changed: [{ asset: 'BTC', free: '0', locked: '5', time }],
  });
  bench.cancel(order.id);
  bench.cancelDone(order);
  expect(bench.place({ side: 'SELL', type: 'MARKET', quantity: '5' }).order.status).toBe('NEW');
  expect(bench.kinds('submit')).toHaveLength(1);
});

it('an amended order locks its rest at its exchange, not what it has executed', () => {
  const bench = new Bench({
    caps: { amends: PAPER_AMENDS },
    balances: [{ asset: 'BTC', free: '5', locked: '0' }],
  });
  const order = bench.resting({ side: 'SELL', price: '70000', quantity: '2' });
  bench.fill(bench.trade(order, '0.5'));
  const btc = () => balanceOf(bench.engine.memory.account(SPOT), 'BTC');
  expect(btc()).toMatchObject({ free: '3', locked: '1.5' });
  bench.ask({ type: 'amend', exchange: SPOT, id: order.id, quantity: '1' }, { actor: OPERATOR });
  const state = bench.state(order, { origQty: '1', cumQty: '0.5' });
  bench.event({ type: 'amended', exchange: SPOT, orderId: order.id, n: 1, outcome: { kind: 'done', state } });
  expect(btc()).toMatchObject({ free: '4', locked: '0.5' });
});
