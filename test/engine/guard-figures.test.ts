/** The orders and positions that count towards a guard: of their own side, position side and direction. */
import { expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { exposure } from '../../src/engine/guard-figures.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench } from './support/bench.ts';
import { FUTURES_ACCOUNT, OPERATOR } from './support/market.ts';

function futures(positions: readonly ExchangePosition[], hedge = false): Bench {
  const bench = new Bench({ futures: true, caps: { amends: PAPER_AMENDS } });
  const { exchange } = bench;
  bench.event({ type: 'venue.settings', exchange, hedge });
  bench.event({ type: 'venue.positions', exchange, changed: positions, all: true });
  return bench;
}

const worthOf = (bench: Bench, side: 'BUY' | 'SELL', positionSide: 'BOTH' | 'LONG' | 'SHORT') => {
  const { memory } = bench.engine;
  const value = exposure(
    memory,
    memory.account(bench.exchange),
    { symbol: 'BTCUSDT', side, positionSide },
    [],
  );
  return value === null ? null : str(value);
};

it('in hedge mode each side is worth its own position and its own entries', () => {
  const long = { ...positionOf('BTCUSDT', '1', 1), side: 'LONG' } as const;
  const short = { ...positionOf('BTCUSDT', '2', 1), side: 'SHORT' } as const;
  const bench = futures([long, short], true);
  const limits = [
    ['BUY', 'LONG', '50000', '3'],
    ['SELL', 'LONG', '70000', '1'],
    ['SELL', 'SHORT', '70000', '2'],
    ['BUY', 'SHORT', '50000', '1'],
  ] as const;
  for (const [side, positionSide, price, quantity] of limits)
    bench.resting({ side, positionSide, price, quantity });
  expect([worthOf(bench, 'BUY', 'LONG'), worthOf(bench, 'SELL', 'SHORT')]).toEqual(['210000', '260000']);
});

it('what can only close a position adds nothing to the other side of it', () => {
  const bench = futures([positionOf('BTCUSDT', '-1', 1)]);
  bench.resting({ price: '50000', quantity: '3' });
  bench.resting({ price: '50000', quantity: '1', reduceOnly: true });
  const stop = { type: 'STOP_MARKET', stopPrice: '65000', closePosition: true } as const;
  bench.accepted(bench.place(stop).order, { status: 'PENDING' });
  expect(worthOf(bench, 'BUY', 'BOTH')).toBe('100000');
});

it('an exit passes while positions are not read: its exchange keeps it from opening anything', () => {
  const exchange = 'other-futures';
  const bench = new Bench({ futures: true, more: [{ ...FUTURES_ACCOUNT, id: exchange }] });
  bench.ask({ type: 'guards', exchange, change: { maxOrderValue: '1' } }, { actor: OPERATOR });
  const exit = { exchange, side: 'SELL', price: '60000', quantity: '1', reduceOnly: true } as const;
  const { token } = bench.place(exit);
  expect([bench.isAnswered(token), bench.kinds('submit').length]).toEqual([false, 1]);
});

it('during a gap an order that is being made larger closes as much as it may come to', () => {
  const bench = futures([positionOf('BTCUSDT', '5', 1)]);
  const { exchange } = bench;
  const order = bench.resting({ side: 'SELL', price: '61000', quantity: '2' });
  bench.ask({ type: 'amend', exchange, id: order.id, quantity: '4' }, { actor: OPERATOR });
  bench.event({ type: 'link', exchange, up: true, gap: true });
  const answers = ['2', '1'].map((quantity) => {
    const { token } = bench.place({ side: 'SELL', price: '60500', quantity });
    return bench.isAnswered(token) ? bench.reply(token).status : 'sent';
  });
  expect(answers).toEqual([503, 'sent']);
});

it('a sale that waits at its exchange is worth its trigger, not the price of now', () => {
  const bench = futures([]);
  const stop = {
    side: 'SELL',
    type: 'STOP_LIMIT',
    stopPrice: '55000',
    price: '54000',
    quantity: '1',
  } as const;
  const { order } = bench.place(stop);
  bench.accepted(order, { status: 'PENDING' });
  expect(worthOf(bench, 'SELL', 'BOTH')).toBe('55000');
  bench.stream(bench.state(order));
  expect(worthOf(bench, 'SELL', 'BOTH')).toBe('60000');
});

it.each([
  ['3', 'sent'],
  ['4', 503],
] as const)(
  'during a gap an exit may grow to %s of a position of 5 beside another one of 2: %s',
  (quantity, answer) => {
    const bench = futures([positionOf('BTCUSDT', '5', 1)]);
    const { exchange } = bench;
    bench.resting({ side: 'SELL', price: '62000', quantity: '2' });
    const order = bench.resting({ side: 'SELL', price: '61000', quantity: '2' });
    bench.event({ type: 'link', exchange, up: true, gap: true });
    const { token } = bench.ask({ type: 'amend', exchange, id: order.id, quantity }, { actor: OPERATOR });
    expect(bench.isAnswered(token) ? bench.reply(token).status : 'sent').toBe(answer);
  },
);
