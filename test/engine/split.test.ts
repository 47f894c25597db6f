/** Splitting a resting limit order: the plan, its parts, what stands against it (engine.md, submission rule 7; S36). */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { splitQuantities } from '../../src/engine/split.ts';
import { Bench } from './support/bench.ts';
import { BTC, START } from './support/market.ts';

const PRICES = ['49000', '48000', '47000'];

function children(bench: Bench, of: OrderRecord): OrderRecord[] {
  return [...bench.engine.memory.orders.values()].filter((o) => o.splitFrom === of.id);
}

describe('a split', () => {
  // proves: endpoint POST /orders/{id}/split, state OPENED to CANCELLED by split
  it('cancels, waits for the confirmed remainder, places the parts and answers with them', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { token, reply } = bench.split(order.id, PRICES);
    expect(bench.kinds('cancel')).toHaveLength(1);
    expect(children(bench, order)).toEqual([]);
    bench.fill(bench.trade(order, '0.1'));
    bench.cancelDone(order, '0.1');
    const parts = children(bench, order);
    expect(parts.map((p) => [p.price, p.origQty])).toEqual([
      ['49000', '0.3'],
      ['48000', '0.3'],
      ['47000', '0.3'],
    ]);
    expect(bench.kinds('submit')).toHaveLength(3);
    expect(bench.isAnswered(token)).toBe(false);
    for (const part of parts) bench.accepted(part);
    expect(reply().orders.map((o) => o.id)).toEqual(parts.map((p) => p.id));
    expect(reply().orders.every((o) => o.status === 'OPENED' && o.specific.splitFrom === order.id)).toBe(
      true,
    );
    expect(bench.engine.memory.splits.size).toBe(0);
  });

  // proves: endpoint POST /orders/{id}/split
  it('rounds down to the step and gives the rest to the last part', () => {
    const parts = splitQuantities(dec('1'), 3, dec('0.001'));
    expect(parts.map(str)).toEqual(['0.333', '0.333', '0.334']);
  });

  // proves: S36
  it('keeps a part that is refused, here or there, in the answer as ERROR', () => {
    const bench = new Bench();
    const order = bench.resting({ quantity: '0.01' });
    const { reply } = bench.split(order.id, ['49000', '48000']);
    bench.fill(bench.trade(order, '0.007'));
    bench.cancelDone(order, '0.007');
    const [small, rest] = children(bench, order);
    expect(small).toMatchObject({ origQty: '0.001', status: 'ERROR' });
    expect(bench.kinds('submit')).toHaveLength(1);
    bench.submitted(rest as OrderRecord, { kind: 'rejected', code: '-2010', message: 'no' });
    expect(reply()).toMatchObject({
      status: 200,
      orders: [{ status: 'ERROR' }, { status: 'ERROR', origQty: '0.002' }],
    });
    expect(bench.locked('USDT')).toBe(0n);
  });

  it('answers with a part whose outcome is unknown as NEW', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.split(order.id, ['49000', '48000']);
    bench.cancelDone(order);
    const [a, b] = children(bench, order);
    bench.accepted(a as OrderRecord);
    bench.lost(b as OrderRecord);
    expect(reply().orders).toMatchObject([
      { status: 'OPENED' },
      { status: 'NEW', specific: { unresolved: true } },
    ]);
  });

  it('comes to nothing when the order fills first', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.split(order.id, PRICES);
    bench.fill(bench.trade(order, '1'));
    expect(reply()).toMatchObject({
      status: 409,
      message: `order ${order.id} ended as CLOSED before it could be split`,
    });
    expect(children(bench, order)).toEqual([]);
  });

  it('comes to nothing when the exchange refuses the cancel, and the order can be split again', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.split(order.id, PRICES);
    bench.cancelled(order, { kind: 'rejected', code: '-1003', message: 'Too many requests.' });
    expect(reply()).toMatchObject({ status: 400, message: 'Too many requests.' });
    expect(bench.order(order.id)).toMatchObject({ status: 'OPENED' });
    bench.split(order.id, PRICES);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  // proves: S36, error CONFLICT
  it('S36: without a key is answered 409 after 10 s and goes on; nothing wakes the engine for it afterwards', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.wake();
    const { token, reply } = bench.split(order.id, PRICES);
    expect(bench.engine.nextWake()).toBe(START + 10_000);
    bench.wall = START + 9_999;
    bench.wake();
    expect(bench.isAnswered(token)).toBe(false);
    bench.wall = START + 10_000;
    bench.wake();
    expect(reply()).toMatchObject({ status: 409, message: 'the split goes on; read the orders again' });
    expect(reply().answer.body).toContain('"CONFLICT"');
    expect(bench.engine.nextWake()).toBeGreaterThan(bench.wall);
    bench.cancelDone(order);
    expect(children(bench, order)).toHaveLength(3);
  });

  // proves: S36, error IDEMPOTENCY_CONFLICT
  it('S36: with a key stays in progress beyond 10 s, a repeat is a conflict, and the answer comes with the plan', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.wake();
    const { token, reply } = bench.split(order.id, ['49000', '48000'], { key: 'k' });
    bench.wall = START + 11_000;
    bench.wake();
    expect(bench.isAnswered(token)).toBe(false);
    expect(bench.engine.nextWake()).toBeGreaterThan(bench.wall);
    const repeated = bench.split(order.id, ['49000', '48000'], { key: 'k' }).reply();
    expect(repeated.status).toBe(409);
    expect(repeated.answer.body).toContain('IDEMPOTENCY_CONFLICT');
    bench.cancelDone(order);
    for (const part of children(bench, order)) bench.accepted(part);
    expect(reply().orders).toHaveLength(2);
  });

  it('goes on after a restart, with the parts it had planned, and answers its key', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.split(order.id, PRICES, { key: 'k' });
    const planned = bench.store.splits.get(order.id)?.children;
    bench.restart();
    bench.queried(order, { kind: 'found', state: bench.state(order, { status: 'CANCELLED' }), fills: [] });
    expect(children(bench, order).map((c) => c.id)).toEqual(planned);
    bench.restart();
    expect(bench.kinds('submit')).toEqual([]);
    expect(bench.kinds('query')).toHaveLength(3);
    const { reply } = bench.split(order.id, PRICES, { key: 'k' });
    expect(reply().orders.map((o) => o.id)).toEqual(planned);
    expect(reply().answer.replayed).toBe(true);
  });
});

describe('a split is refused before anything is cancelled', () => {
  const refused = (bench: Bench, order: OrderRecord, prices: string[]) => {
    const reply = bench.split(order.id, prices).reply();
    expect(reply).toMatchObject({ status: 400, reason: 'NOT_SPLITTABLE' });
    expect(bench.kinds('cancel')).toEqual([]);
    expect(bench.engine.memory.splits.size).toBe(0);
    return reply.message;
  };

  it('when a part would be below the minimum', () => {
    const bench = new Bench();
    const order = bench.resting({ quantity: '0.003' });
    expect(refused(bench, order, ['49000', '48000'])).toBe(
      'part 1: quantity 0.001 is outside 0.002 to 100 BTC of BTCUSDT',
    );
  });

  it('when a part would be worth too little', () => {
    const bench = new Bench({ instruments: [{ ...BTC, minNotional: '100' }] });
    const order = bench.resting({ quantity: '0.004' });
    expect(refused(bench, order, ['49000', '51000'])).toBe(
      'part 1: quantity 0.002 is worth 98 USDT, below the minimum of 100; at 49000 at least 0.003 BTC',
    );
  });

  it('when a price is not one', () => {
    const bench = new Bench();
    expect(refused(bench, bench.resting(), ['49000.001', 'much'])).toBe(
      'prices[0] 49000.001 is not a multiple of the tick size 0.01; nearest: 49000, 49000.01; prices[1] "much" is not a positive decimal such as 61234.56',
    );
  });

  // proves: limit split-prices
  it('when there are too few or too many prices', () => {
    const bench = new Bench();
    const order = bench.resting();
    expect(refused(bench, order, ['49000'])).toBe('prices has 1 entries; 2 to 50 are allowed');
    expect(refused(bench, order, Array(51).fill('49000'))).toBe('prices has 51 entries; 2 to 50 are allowed');
  });

  it('when the parts would be more open orders than the symbol may have', () => {
    const bench = new Bench({ instruments: [{ ...BTC, maxOrders: 3 }] });
    const order = bench.resting();
    bench.resting();
    expect(refused(bench, order, PRICES)).toBe(
      '3 parts beside 1 other open orders of BTCUSDT are too many; at most 3 together',
    );
    bench.split(order.id, ['49000', '48000']);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  // proves: endpoint POST /orders/{id}/split
  it('when the order has ended, does not rest, is no LIMIT, or is being cancelled', () => {
    const bench = new Bench();
    const ended = bench.resting();
    bench.stream(bench.state(ended, { status: 'CANCELLED' }));
    expect(refused(bench, ended, PRICES)).toBe(
      `order ${ended.id} is CANCELLED; only a resting limit order can be split`,
    );
    const sending = bench.place({ price: '50000', quantity: '1' }).order;
    expect(refused(bench, sending, PRICES)).toBe(
      `order ${sending.id} is not a resting LIMIT order (LIMIT, NEW); only those can be split`,
    );
    const maker = bench.resting({ type: 'LIMIT_MAKER' });
    expect(refused(bench, maker, PRICES)).toBe(
      `order ${maker.id} is not a resting LIMIT order (LIMIT_MAKER, OPENED); only those can be split`,
    );
    const going = bench.resting();
    bench.cancel(going.id);
    expect(refused(bench, going, PRICES)).toBe(`order ${going.id} is being cancelled`);
  });
});
