/**
 * Executions around the cancel of an order that is split, or replaced by another one: told before the answer,
 * with it, after it, late, or never. What is placed is what is left, once, and only when that is known.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { OPERATOR, SPOT } from './support/market.ts';

type How = 'split' | 'change';

interface Divided {
  readonly bench: Bench;
  readonly order: OrderRecord;
  readonly token: number;
  /** Sizes and prices of what was sent since the last look. */
  sent(): string[];
  /** What was made in place of the order. */
  made(): OrderRecord[];
}

/** An order of 1 that becomes two, or one at another price. */
function divided(how: How, options: BenchOptions = {}): Divided {
  const bench = new Bench(options);
  const order = bench.resting({ price: '50000', quantity: '1' });
  const { token } =
    how === 'split'
      ? bench.split(order.id, ['49000', '48000'])
      : bench.ask({ type: 'amend', exchange: SPOT, id: order.id, price: '49000' }, { actor: OPERATOR });
  expect(bench.kinds('cancel')).toHaveLength(1);
  const made = () =>
    [...bench.engine.memory.orders.values()].filter(
      ({ splitFrom, replaces }) => (splitFrom ?? replaces) === order.id,
    );
  const sent = () =>
    bench.effects.flatMap((effect) =>
      effect.kind === 'submit' ? [`${effect.order.quantity} at ${effect.order.price}`] : [],
    );
  return { bench, order, token, sent, made };
}

const LEFT: Record<How, (rest: string) => string[]> = {
  split: (rest) => (rest === '0.6' ? ['0.3 at 49000', '0.3 at 48000'] : ['0.5 at 49000', '0.5 at 48000']),
  change: (rest) => [`${rest} at 49000`],
};

describe.each(['split', 'change'] as const)('a %s', (how) => {
  it('that nothing crosses places all of it', () => {
    const { bench, order, sent } = divided(how);
    bench.cancelDone(order);
    expect(sent()).toEqual(LEFT[how]('1'));
  });

  it('places what is left where the execution is told first, and where the answer counts it before it is told', () => {
    const first = divided(how);
    first.bench.fill(first.bench.trade(first.order, '0.4'));
    first.bench.cancelDone(first.order, '0.4');
    expect(first.sent()).toEqual(LEFT[how]('0.6'));
    const then = divided(how);
    then.bench.cancelDone(then.order, '0.4');
    expect([then.sent(), then.made()]).toEqual([[], []]);
    then.bench.fill(then.bench.trade(then.order, '0.3'));
    expect(then.sent()).toEqual([]);
    then.bench.fill(then.bench.trade(then.order, '0.1'));
    expect(then.sent()).toEqual(LEFT[how]('0.6'));
    expect(then.order).toMatchObject({ status: 'CANCELLED', executedQty: '0.4' });
  });

  it('places it once, however often and by whichever way its end is told', () => {
    const { bench, order, sent, made } = divided(how);
    const end = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    bench.fill(bench.trade(order, '0.4'));
    bench.stream(end);
    const placed = sent();
    expect(placed).toEqual(LEFT[how]('0.6'));
    for (const tell of [
      () => bench.cancelled(order, { kind: 'done', state: end }),
      () => bench.cancelled(order, { kind: 'gone', state: end }),
      () => bench.stream(end),
      () => bench.queried(order, { kind: 'found', state: end, fills: [] }),
    ]) {
      tell();
      expect(sent()).toEqual([]);
    }
    expect(made()).toHaveLength(placed.length);
  });

  it('asks for an execution that nobody tells, and places what is left once it is answered', () => {
    const { bench, order, sent } = divided(how);
    bench.cancelDone(order, '0.4');
    bench.pass(1_000);
    bench.wake();
    expect(bench.kinds('query')).toMatchObject([{ orderId: order.id }]);
    const state = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    bench.queried(order, { kind: 'found', state, fills: [bench.trade(order, '0.4')] });
    expect(sent()).toEqual(LEFT[how]('0.6'));
  });

  it('infers in the end what no answer contains, and places no more than what is left', () => {
    const { bench, order, sent } = divided(how);
    bench.cancelDone(order, '0.4');
    const state = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    for (const ms of [1_000, 15_000, 15_000, 15_000, 14_999]) {
      bench.pass(ms);
      bench.queried(order, { kind: 'found', state, fills: [] });
      expect(sent()).toEqual([]);
    }
    bench.pass(1);
    bench.queried(order, { kind: 'found', state, fills: [] });
    expect([order.executedQty, sent()]).toEqual(['0.4', LEFT[how]('0.6')]);
  });

  it('places nothing where the order was filled before its cancel arrived, told by the answer or the stream', () => {
    for (const kind of ['done', 'gone'] as const) {
      const { bench, order, token, sent, made } = divided(how);
      const state = bench.state(order, { status: 'FILLED', cumQty: '1' });
      bench.cancelled(order, { kind, state });
      expect(bench.isAnswered(token)).toBe(false);
      bench.fill(bench.trade(order, '1'));
      expect([order.status, sent(), made()]).toEqual(['CLOSED', [], []]);
      expect(bench.reply(token).status).toBe(409);
      expect(str(bench.locked('USDT'))).toBe('0');
    }
  });

  it('places nothing where it is cancelled with all of it executed', () => {
    const { bench, order, token, sent, made } = divided(how);
    bench.fill(bench.trade(order, '0.7'));
    bench.cancelDone(order, '1');
    bench.fill(bench.trade(order, '0.3'));
    expect([sent(), made(), bench.reply(token).status]).toEqual([[], [], 409]);
    expect(bench.engine.memory.splits.size).toBe(0);
  });

  it('places nothing where its exchange refused the order after all', () => {
    const { bench, order, token, sent } = divided(how);
    bench.stream(bench.state(order, { status: 'CANCELLED', text: 'delisted' }));
    expect(sent()).toEqual(LEFT[how]('1'));
    const other = divided(how);
    other.bench.stream(other.bench.state(other.order, { status: 'REJECTED' }));
    expect([other.order.status, other.sent(), other.bench.reply(other.token).status]).toEqual([
      'ERROR',
      [],
      409,
    ]);
    expect(bench.isAnswered(token)).toBe(false);
  });

  it('waits while the outcome of its cancel is not known, and asks', () => {
    const { bench, order, sent } = divided(how);
    bench.cancelled(order, { kind: 'unknown', cause: 'HTTP 502' });
    expect(sent()).toEqual([]);
    bench.wake();
    expect(bench.kinds('query')).toHaveLength(1);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect([sent(), bench.kinds('cancel').length]).toEqual([[], 1]);
    bench.queried(order, { kind: 'unknown', cause: 'HTTP 502' });
    bench.cancelDone(order);
    expect(sent()).toEqual(LEFT[how]('1'));
  });

  it('goes on after a restart between its cancel and the execution that crossed it', () => {
    const {
      bench,
      order: { id },
      sent,
    } = divided(how);
    bench.cancelDone(bench.order(id), '0.4');
    bench.restart();
    expect([sent(), bench.kinds('cancel')]).toEqual([[], []]);
    const order = bench.order(id);
    const state = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    bench.queried(order, { kind: 'found', state, fills: [bench.trade(order, '0.4')] });
    expect(sent()).toEqual(LEFT[how]('0.6'));
    bench.restart();
    expect(sent()).toEqual([]);
  });

  it('keeps from others what is to be placed, and no more than that, until its exchange has it', () => {
    const { bench, order, made } = divided(how, {
      balances: [{ asset: 'USDT', free: '50000', locked: '0' }],
    });
    bench.fill(bench.trade(order, '0.4'));
    bench.cancelDone(order, '0.4');
    const worth = how === 'split' ? '29100' : '29400';
    expect(str(bench.locked('USDT'))).toBe(worth);
    const left = 50_000 - 20_000 - Number(worth);
    expect(bench.place({ price: '50000', quantity: '0.5' }).reply().message).toContain(
      `${left} USDT available`,
    );
    for (const one of made()) bench.accepted(one);
    expect(str(bench.locked('USDT'))).toBe('0');
  });
});

describe('the second time', () => {
  it('a part is split as any other order is, once the split that made it is through', () => {
    const { bench, order, made } = divided('split');
    bench.cancelDone(order);
    const [a, b] = made() as [OrderRecord, OrderRecord];
    bench.accepted(a);
    const prices = ['47000', '46000'];
    const again = bench.split(a.id, prices);
    expect(bench.kinds('cancel')).toHaveLength(1);
    bench.accepted(b);
    bench.cancelDone(a);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { quantity: '0.25', price: '47000' } },
      { order: { quantity: '0.25', price: '46000' } },
    ]);
    expect(bench.isAnswered(again.token)).toBe(false);
    expect(b).toMatchObject({ status: 'OPENED', origQty: '0.5' });
  });

  it('an order that has taken the place of another one is changed as that was', () => {
    const { bench, order, made } = divided('change');
    bench.cancelDone(order);
    const [first] = made() as [OrderRecord];
    bench.accepted(first);
    bench.ask({ type: 'amend', exchange: SPOT, id: order.id, quantity: '2' }, { actor: OPERATOR });
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: first.id }]);
    bench.fill(bench.trade(first, '0.5'));
    bench.cancelDone(first, '0.5');
    expect(bench.kinds('submit')).toMatchObject([{ order: { quantity: '1.5', price: '49000' } }]);
    const last = bench.engine.memory.lastOfChain(order);
    expect([first.replacedBy, last.replaces]).toEqual([last.id, first.id]);
  });

  it('two plans at once each place their own, in whichever order their ends come', () => {
    const bench = new Bench();
    const orders = [
      bench.resting({ price: '50000' }),
      bench.resting({ price: '51000', quantity: '2' }),
    ] as const;
    bench.split(orders[0].id, ['49000', '48000']);
    bench.split(orders[1].id, ['47000', '46000']);
    bench.cancelDone(orders[1]);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { quantity: '1', price: '47000' } },
      { order: { quantity: '1', price: '46000' } },
    ]);
    bench.cancelDone(orders[0]);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { quantity: '0.5', price: '49000' } },
      { order: { quantity: '0.5', price: '48000' } },
    ]);
    expect(bench.engine.memory.splits.size).toBe(2);
    const ids = [...bench.engine.memory.orders.values()].filter(({ splitFrom }) => splitFrom);
    for (const one of ids) bench.accepted(one);
    expect([new Set(ids.map(({ id }) => id)).size, bench.engine.memory.splits.size]).toEqual([4, 0]);
  });
});

it('the parts of an order that opens beyond a position have the margin of what each of them opens', () => {
  const bench = new Bench({ futures: true });
  const { exchange } = bench;
  bench.event({
    type: 'venue.positions',
    exchange,
    changed: [positionOf('BTCUSDT', '0.6', 1)],
    all: true,
  });
  const order = bench.resting({ side: 'SELL', price: '61000', quantity: '1' });
  bench.split(order.id, ['62000', '64000']);
  bench.cancelDone(order);
  const parts = [...bench.engine.memory.orders.values()].filter(({ splitFrom }) => splitFrom);
  // The first 0.5 close; 0.4 of the second one open, at 64,000 and leverage 20.
  expect(parts.map(({ lock }) => lock?.amount)).toEqual(['0', '1280']);
});
