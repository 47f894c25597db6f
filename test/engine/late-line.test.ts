/**
 * An answer is ahead of the event stream: late events of an order prove nothing beyond what the answer
 * reported.
 */
import { expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { Bench } from './support/bench.ts';
import { SPOT } from './support/market.ts';

it('the end that an answer has told stays in doubt when the line comes to the order as it was before, and is settled by its own word', () => {
  const bench = new Bench();
  const account = bench.engine.memory.account(SPOT);
  const order = bench.resting({ side: 'SELL', price: '70000' });
  const working = bench.state(order);
  const told = [{ asset: 'BTC', free: '999', locked: '1' }];
  const report = () => bench.event({ type: 'venue.balances', exchange: SPOT, changed: told });
  report();
  bench.cancel(order.id);
  bench.cancelDone(order);
  bench.stream(working);
  report();
  expect(account.wallet.untold.hasDoubt).toBe(true);
  const { free, locked } = balanceNow(account, 'BTC');
  expect([free, locked].map(str)).toEqual(['999', '0']);
  bench.stream(bench.state(order, { status: 'CANCELLED' }));
  bench.event({
    type: 'venue.balances',
    exchange: SPOT,
    changed: [{ asset: 'BTC', free: '1000', locked: '0' }],
  });
  expect(account.wallet.untold.hasDoubt).toBe(false);
  expect(str(balanceNow(account, 'BTC').free)).toBe('1000');
});
