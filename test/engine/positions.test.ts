/** How much of a position can be closed for certain, and at most, before it is reported with the latest fills. */
import { expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import { mostReducible, surelyReducible } from '../../src/engine/positions.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench } from './support/bench.ts';

it.each([
  // A LONG of 1 as reported, then a fill: what a SELL closes for certain, and at most.
  ['BUY', '0.5', '1', '1.5'],
  ['SELL', '0.4', '0.6', '1'],
  ['SELL', '1', '0', '1'],
  ['SELL', '1.5', '0', '1'],
] as const)('after %s %s of a LONG of 1 is %s for certain, and %s at most', (side, qty, surely, most) => {
  const bench = new Bench({ futures: true });
  const { exchange } = bench;
  const changed = [positionOf('BTCUSDT', '1', bench.wall)];
  bench.event({ type: 'venue.positions', exchange, changed, all: true });
  bench.pass(5);
  const { order } = bench.place({ side, type: 'MARKET', quantity: qty });
  bench.accepted(order);
  bench.pass(5);
  bench.fill(bench.trade(order, qty, { commAsset: 'USDT', rPnl: '0' }));
  const account = bench.engine.memory.account(exchange);
  const figures = [surelyReducible, mostReducible].map((of) => str(of(account, 'BTCUSDT', 'SELL', 'BOTH')));
  expect(figures).toEqual([surely, most]);
});
