/** A change that its exchange answers late, and the lane on which a change is sent. */
import { expect, it } from 'vitest';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR } from './support/market.ts';

function changing(change: object, { futures = false, request = {} } = {}) {
  const bench = new Bench({ futures, caps: { amends: PAPER_AMENDS } });
  const { exchange } = bench;
  const changed = [positionOf('BTCUSDT', '5', bench.wall)];
  if (futures) bench.event({ type: 'venue.positions', exchange, changed, all: true });
  const order = bench.resting({ quantity: '2', ...request });
  bench.ask({ type: 'amend', exchange, id: order.id, ...change }, { actor: OPERATOR });
  return { bench, order };
}

it('an answer that is older than what is known of the order changes nothing of it', () => {
  const { bench, order } = changing({ price: '49000' });
  const terms = (price: string) => ({
    side: order.side,
    type: order.type,
    price,
    positionSide: order.positionSide,
    workingType: order.workingType,
    timeInForce: 'GTC' as const,
    reduceOnly: false,
    closePosition: false,
  });
  const answered = bench.state(order, { terms: terms('49000') });
  // Somebody else has changed it since, and the line of events is faster.
  bench.stream(bench.state(order, { terms: terms('48000') }));
  bench.event({
    type: 'amended',
    exchange: order.exchange,
    orderId: order.id,
    n: 1,
    outcome: { kind: 'done', state: answered },
  });
  expect([order.price, order.change]).toEqual(['48000', undefined]);
});

it.each([
  ['an entry made larger', { quantity: '3' }, {}, { lane: 'entry' }],
  ['an entry made smaller', { quantity: '1' }, {}, { lane: 'cancel', waitMs: null }],
  [
    'an exit made larger',
    { quantity: '3' },
    { futures: true, request: { side: 'SELL', price: '61000', reduceOnly: true } },
    { lane: 'exit', waitMs: null },
  ],
])('%s is sent as %j', (_name, change, options, terms) => {
  const { bench } = changing(change, options);
  expect(bench.kinds('amend')).toMatchObject([{ terms }]);
});

it('an order that shows only a part of itself is changed by another one, though its exchange changes others in place', () => {
  const { bench } = changing({ price: '49000' }, { request: { icebergQty: '0.5' } });
  expect([bench.kinds('amend').length, bench.kinds('cancel').length]).toEqual([0, 1]);
});
