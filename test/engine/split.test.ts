/**
 * Splitting a resting limit order: the plan, its parts, what prevents a split (engine.md, submission rule 7;
 * S36).
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { splitQuantities } from '../../src/engine/split.ts';
import { Bench } from './support/bench.ts';
import { BTC, FUTURES_BTC, OPERATOR, SPOT, START } from './support/market.ts';
import { RowStore } from './support/row-store.ts';

const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '0.4',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: '0',
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};
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
    bench.submitted(rest as OrderRecord, { kind: 'rejected', reason: 'OTHER', code: '-2010', message: 'no' });
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
    bench.cancelled(order, {
      kind: 'rejected',
      reason: 'RATE_LIMITED',
      code: '-1003',
      message: 'Too many requests.',
    });
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
    expect(bench.engine.nextWake()).toBe(bench.mono + 10_000);
    bench.wall = START + 9_999;
    bench.wake();
    expect(bench.isAnswered(token)).toBe(false);
    bench.wall = START + 10_000;
    bench.wake();
    expect(reply()).toMatchObject({ status: 409, message: 'the split goes on; read the orders again' });
    expect(reply().answer.body).toContain('"CONFLICT"');
    expect(bench.engine.nextWake()).toBeGreaterThan(bench.mono);
    bench.cancelDone(order);
    expect(children(bench, order)).toHaveLength(3);
  });

  // proves: S57
  it('S57: waits 10 s and no longer when the wall clock is set back meanwhile', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.split(order.id, PRICES);
    bench.setWall(START - 3_600_000);
    bench.pass(10_000);
    bench.wake();
    expect(reply().status).toBe(409);
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
    expect(bench.engine.nextWake()).toBeGreaterThan(bench.mono);
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

// proves: S54
describe('a cancel that is asked for while the split waits', () => {
  /** The exchange is down: it is not known whether it has cancelled the order. */
  function waiting(bench: Bench, key?: string) {
    const order = bench.resting();
    const split = bench.split(order.id, ['50000', '49000'], key === undefined ? {} : { key });
    bench.cancelled(order, { kind: 'unknown', cause: 'timeout' });
    return { order, split };
  }
  const gone = (bench: Bench, order: OrderRecord) =>
    bench.queried(bench.order(order.id), {
      kind: 'found',
      state: bench.state(order, { status: 'CANCELLED' }),
      fills: [],
    });

  it('ends it: no part is placed, the splitter is told under its key, who cancelled gets the order', () => {
    const bench = new Bench();
    const { order, split } = waiting(bench, 'k');
    bench.wall += 60_000;
    const cancel = bench.cancel(order.id, { actor: OPERATOR });
    expect(cancel.reply()).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
    expect(split.reply()).toMatchObject({ status: 409, message: 'cancelled meanwhile' });
    expect(split.reply().answer.body).toContain('"CONFLICT"');
    bench.wall += 3_000_000;
    gone(bench, order);
    expect(bench.kinds('submit')).toEqual([]);
    expect(children(bench, order)).toEqual([]);
    expect(bench.order(order.id)).toMatchObject({
      status: 'CANCELLED',
      text: 'cancelled (asked by operator)',
    });
    const again = bench.split(order.id, ['50000', '49000'], { key: 'k' }).reply();
    expect(again).toMatchObject({ status: 409, message: 'cancelled meanwhile', answer: { replayed: true } });
  });

  it('waits for the answer of the cancel that is on its way already', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.split(order.id, ['50000', '49000']);
    const cancel = bench.cancel(order.id);
    expect(bench.kinds('cancel')).toEqual([]);
    expect(bench.isAnswered(cancel.token)).toBe(false);
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toEqual([]);
    expect(cancel.reply().order.status).toBe('CANCELLED');
  });

  it('has ended it for the desk that starts again, too', () => {
    const bench = new Bench();
    const { order } = waiting(bench);
    bench.cancel(order.id, { actor: OPERATOR });
    bench.wall += 86_400_000;
    bench.restart();
    gone(bench, order);
    expect(bench.kinds('submit')).toEqual([]);
  });

  it('counts when it comes a second time, after a split that the exchange had refused', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.split(order.id, ['50000', '49000']);
    bench.cancelled(order, {
      kind: 'rejected',
      reason: 'RATE_LIMITED',
      code: '-1003',
      message: 'Too many requests.',
    });
    const second = bench.split(order.id, ['50000', '49000']);
    bench.cancel(order.id);
    expect(second.reply().status).toBe(409);
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toEqual([]);
  });

  it('is lost with a commit that fails: the split goes on, and who cancelled is told', () => {
    const bench = new Bench();
    const { order, split } = waiting(bench);
    const before = bench.engine;
    const stored = bench.store.load(0);
    const cancel = bench.cancel(order.id);
    bench.answers.clear();
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before, bench.effects)).toEqual([cancel.token]);
    bench.start();
    gone(bench, order);
    expect(children(bench, order)).toHaveLength(2);
    expect(bench.isAnswered(split.token)).toBe(false);
  });

  it('is lost with a commit that fails while the first cancel is on its way: the same', () => {
    const bench = new Bench();
    const order = bench.resting();
    const split = bench.split(order.id, ['50000', '49000']);
    const before = bench.engine;
    const stored = bench.store.load(0);
    const cancel = bench.cancel(order.id);
    bench.answers.clear();
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before, bench.effects)).toEqual([cancel.token]);
    bench.start();
    gone(bench, order);
    for (const part of children(bench, order)) bench.accepted(part);
    expect(split.reply().orders).toHaveLength(2);
  });

  const DATED = { timeInForce: 'GTD', goodTillDate: START + 5_000 } as const;

  it('is the end date, too', () => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    const split = bench.split(order.id, ['61000', '62000']);
    bench.cancelled(order, { kind: 'unknown', cause: 'timeout' });
    bench.wall = START + 10_000;
    bench.tick('60000');
    expect(split.reply()).toMatchObject({ status: 409, message: 'cancelled meanwhile' });
    gone(bench, order);
    expect(bench.kinds('submit')).toEqual([]);
  });

  it.each([
    [5_000, 0],
    [4_999, 2],
  ])('is the end date, though no tick has told it: %d ms later %d parts are placed', (after, parts) => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    const split = bench.split(order.id, ['61000', '62000']);
    bench.wall = START + after;
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toHaveLength(parts);
    for (const part of children(bench, order)) {
      expect(part).toMatchObject(DATED);
      bench.accepted(part);
    }
    expect(split.reply().status).toBe(parts === 0 ? 409 : 200);
  });
});

describe('the parts of a split', () => {
  it('show as little of themselves as the iceberg they are of; one that is no larger than that is plain', () => {
    const bench = new Bench();
    const order = bench.resting({ quantity: '1.001', icebergQty: '0.5' });
    bench.split(order.id, ['50000', '49000']);
    bench.cancelDone(order);
    expect(children(bench, order).map(({ origQty, icebergQty }) => [origQty, icebergQty])).toEqual([
      ['0.5', undefined],
      ['0.501', '0.5'],
    ]);
    expect(bench.kinds('submit')).toMatchObject([{ order: {} }, { order: { icebergQty: '0.5' } }]);
  });

  const futures = (more: Parameters<Bench['resting']>[0], minNotional = '5') => {
    const bench = new Bench({ futures: true, instruments: [{ ...FUTURES_BTC, minNotional }] });
    bench.event({
      type: 'venue.positions',
      exchange: bench.exchange,
      changed: [LONG],
    });
    const order = bench.resting(more);
    return { bench, order };
  };

  it.each([
    ['what they open', { price: '50000' }, ['50000', '49000'], ['1250', '1225']],
    [
      'nothing of what they close, the position counted once',
      { side: 'SELL', price: '70000' },
      ['70000', '80000'],
      ['350', '2000'],
    ],
    [
      'nothing when they only reduce',
      { side: 'SELL', price: '70000', reduceOnly: true },
      ['70000', '71000'],
      ['0', '0'],
    ],
  ] as const)('lock on futures the margin of %s', (_name, more, prices, amounts) => {
    const { bench, order } = futures(more);
    bench.split(order.id, [...prices]);
    bench.cancelDone(order);
    const parts = children(bench, order);
    expect(parts.map(({ lock }) => lock)).toEqual(amounts.map((amount) => ({ asset: 'USDT', amount })));
    expect(parts.map(({ reduceOnly, positionSide }) => [reduceOnly, positionSide])).toEqual(
      prices.map(() => ['reduceOnly' in more, 'BOTH']),
    );
    for (const part of parts) bench.accepted(part);
    expect(bench.locked('USDT')).toBe(0n);
  });

  it('need no minimum notional when they only reduce', () => {
    const small = { side: 'SELL', price: '70000', quantity: '0.004', reduceOnly: true } as const;
    const { bench, order } = futures(small, '200');
    bench.split(order.id, ['70000', '71000']);
    bench.cancelDone(order);
    expect(children(bench, order).map(({ status }) => status)).toEqual(['NEW', 'NEW']);
  });
});

// proves: S25
describe('what the parts of a split need beyond what the order holds', () => {
  /** 50,000 USDT locked at the exchange for the order, and `free` in addition, of which bots keep `kept`. */
  function held(free: string, kept = '0') {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '60000', locked: '0' }] });
    const order = bench.resting({ price: '50000', quantity: '1' });
    bench.event({ type: 'venue.order', exchange: SPOT, state: bench.state(order) });
    bench.event({
      type: 'venue.balances',
      exchange: SPOT,
      changed: [{ asset: 'USDT', free, locked: '50000' }],
    });
    const excess = dec(kept);
    if (excess > 0n) bench.engine.memory.account(SPOT).wallet.reserved.set('USDT', { shown: excess, excess });
    return { bench, order };
  }

  it('is not taken from bots: refused before anything is cancelled', () => {
    const { bench, order } = held('100', '100');
    expect(bench.split(order.id, ['50000', '50100']).reply()).toMatchObject({
      status: 400,
      reason: 'RESERVED',
      message:
        'insufficient balance: the parts need 50 USDT more than the 50000 that the order holds, 0 USDT available (100 reserved by bots)',
    });
    expect(bench.kinds('cancel')).toEqual([]);
  });

  it.each([
    ['49.99', 'BALANCE'],
    ['50', undefined],
  ])('of %s free: %s', (free, reason) => {
    const { bench, order } = held(free);
    const { token } = bench.split(order.id, ['50000', '50100']);
    expect(bench.kinds('cancel')).toHaveLength(reason === undefined ? 1 : 0);
    if (reason !== undefined) expect(bench.reply(token)).toMatchObject({ status: 400, reason });
  });

  it('is nobody elses while the cancel is on its way, and free again when that is refused', () => {
    const { bench, order } = held('150');
    bench.split(order.id, ['50000', '50100']);
    expect(str(bench.locked('USDT'))).toBe('50');
    expect(bench.place({ price: '50500', quantity: '0.002' }).reply().reason).toBe('BALANCE');
    bench.cancelled(order, { kind: 'rejected', reason: 'RATE_LIMITED', code: '-1003', message: 'no' });
    expect(bench.locked('USDT')).toBe(0n);
    bench.split(order.id, ['50000', '50100']);
    bench.cancelDone(order);
    expect(str(bench.locked('USDT'))).toBe('50050');
  });

  it('is nothing for a SELL, whatever its prices', () => {
    const bench = new Bench({ balances: [{ asset: 'BTC', free: '1', locked: '0' }] });
    const order = bench.resting({ side: 'SELL', price: '70000' });
    const changed = [{ asset: 'BTC', free: '0', locked: '1' }];
    bench.event({ type: 'venue.balances', exchange: SPOT, changed });
    bench.split(order.id, ['70000', '90000']);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  it('is for the exchange to judge on futures, but where bots keep some', () => {
    const bench = new Bench({
      futures: true,
      balances: [{ asset: 'USDT', free: '2500', locked: '0' }],
    });
    const order = bench.resting();
    const { reserved } = bench.engine.memory.account(bench.exchange).wallet;
    const changed = [{ asset: 'USDT', free: '0', locked: '2500' }];
    bench.event({ type: 'venue.balances', exchange: bench.exchange, changed });
    reserved.set('USDT', { shown: dec('1'), excess: dec('1') });
    expect(bench.split(order.id, ['50000', '51000']).reply()).toMatchObject({
      status: 400,
      reason: 'RESERVED',
    });
    reserved.clear();
    bench.split(order.id, ['50000', '51000']);
    expect(bench.kinds('cancel')).toHaveLength(1);
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
    // For 2 and 50 the reason is a different one: the parts are too small.
    for (const count of [2, 50])
      expect(refused(bench, order, Array(count).fill('0.01'))).not.toMatch(/entries; 2 to 50 are allowed/);
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
