/**
 * Orders that are filled part by part: the amount that stays reserved for them, and what a start knows to be
 * locked at the exchange.
 */
import { expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { Bench } from './support/bench.ts';
import { SPOT } from './support/market.ts';

it('each fill of an order that takes at once on futures frees its own share of what is set aside, the second as the first', () => {
  const bench = new Bench({ futures: true });
  const { order } = bench.place({ type: 'MARKET', quantity: '0.3' });
  const whole = bench.locked('USDT');
  expect(whole > 0n).toBe(true);
  bench.accepted(order);
  expect(bench.locked('USDT')).toBe(whole);
  bench.fill(bench.trade(order, '0.1', { commAsset: 'USDT' }));
  expect(bench.locked('USDT')).toBe((whole / 3n) * 2n);
  bench.fill(bench.trade(order, '0.1', { commAsset: 'USDT' }));
  expect(bench.locked('USDT')).toBe(whole / 3n);
});

it.each([
  ['BUY', '50000', 'USDT', '9950000', '30000', '9980000'],
  ['SELL', '70000', 'BTC', '999', '0.6', '999.6'],
] as const)(
  'the end of a %s that was filled in part before a start frees its rest and no more',
  (side, price, asset, free, locked, after) => {
    const bench = new Bench();
    const order = bench.resting({ side, price });
    bench.fill(bench.trade(order, '0.4'));
    bench.restart();
    const changed = [{ asset, free, locked, time: bench.wall }];
    bench.event({ type: 'venue.balances', exchange: SPOT, changed, all: true });
    bench.pass(1_000);
    bench.stream(bench.state(order, { status: 'CANCELLED', cumQty: '0.4' }));
    const now = balanceNow(bench.engine.memory.account(SPOT), asset);
    expect({ free: str(now.free), locked: now.locked }).toEqual({ free: after, locked: dec('0') });
  },
);
