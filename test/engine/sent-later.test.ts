/**
 * Orders that are sent later than they were asked for: in place of another one that is cancelled first, or
 * once a margin type is set. What has changed meanwhile counts: guards, another desk, the end date.
 */
import { describe, expect, it } from 'vitest';
import type { Guards } from '../../src/domain/guards.ts';
import { loadOthers, type OthersState } from '../../src/engine/other-desk.ts';
import { orderViewOf } from '../../src/engine/views.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, FUTURES_ACCOUNT, FUTURES_BTC, OPERATOR, START } from './support/market.ts';

function guard(bench: Bench, change: Partial<Guards>): void {
  bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
}

function changing(request: Partial<CreateOrder> = {}) {
  const bench = new Bench();
  const order = bench.resting(request);
  const { reply, token } = bench.ask(
    { type: 'amend', exchange: bench.exchange, id: order.id, price: '51000' },
    { actor: OPERATOR },
  );
  const next = () => [...bench.engine.memory.orders.values()].find(({ replaces }) => replaces === order.id);
  return { bench, order, reply, token, next };
}

describe('the order in place of one that is changed', () => {
  it('waits for its turn without limit: what it takes the place of is gone', () => {
    const { bench, order } = changing();
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toMatchObject([{ terms: { lane: 'entry', waitMs: null } }]);
  });

  it('is not sent where a guard that was set meanwhile stands against it, and says so', () => {
    const { bench, order, reply, next } = changing();
    guard(bench, { symbols: ['ETHUSDT'] });
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toEqual([]);
    expect(next()).toMatchObject({ status: 'ERROR', rejectCode: 'GUARD_SYMBOLS' });
    expect([reply().status, str(bench)]).toEqual([400, '0']);
  });

  it.each([
    [999, 1],
    [1_000, 0],
  ])('is none once its end date has come: %d of 1000 ms later %d are placed', (after, placed) => {
    const { bench, order } = changing({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
    bench.pass(after);
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toHaveLength(placed);
  });
});

it('a change that takes long is answered after ten seconds, not before, and goes on', () => {
  const { bench, order, token } = changing();
  bench.pass(9_999);
  bench.wake();
  expect(bench.isAnswered(token)).toBe(false);
  bench.pass(1);
  bench.wake();
  expect(bench.reply(token)).toMatchObject({
    status: 409,
    message: 'the change goes on; read the orders again',
  });
  bench.cancelDone(order);
  expect(bench.kinds('submit')).toHaveLength(1);
});

it('what is no larger than its visible part is placed anew without one', () => {
  const { bench, order } = changing({ icebergQty: '0.5' });
  bench.fill(bench.trade(order, '0.5'));
  bench.cancelDone(order, '0.5');
  const [sent] = bench.kinds('submit');
  expect(sent).toMatchObject({ order: { quantity: '0.5' } });
  expect(sent).not.toMatchObject({ order: { icebergQty: expect.anything() } });
});

it('a stop of a whole position is placed anew for the position as it is by then', () => {
  const bench = new Bench({ futures: true });
  const { exchange } = bench;
  const hold = (amount: string) => {
    const changed = [positionOf('BTCUSDT', amount, bench.wall)];
    bench.event({ type: 'venue.positions', exchange, changed, all: true });
  };
  hold('1');
  const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', closePosition: true } as const;
  const { order } = bench.place(stop);
  bench.accepted(order, { status: 'PENDING' });
  bench.ask({ type: 'amend', exchange, id: order.id, stopPrice: '56000' }, { actor: OPERATOR });
  bench.pass(1);
  hold('3');
  bench.cancelDone(order);
  const next = [...bench.engine.memory.orders.values()].find(({ replaces }) => replaces === order.id);
  expect(next).toMatchObject({ origQty: '3', closePosition: true, stopPrice: '56000' });
});

it('an order that was fired here is a plain one of its exchange once it is placed anew', () => {
  const bench = new Bench({ caps: { forms: formsOf({ native: ['MARKET', 'LIMIT'] }) } });
  const stop = {
    side: 'SELL',
    type: 'STOP_LIMIT',
    stopPrice: '55000',
    price: '56000',
    quantity: '1',
  } as const;
  const { order } = bench.place(stop);
  bench.tick('55000');
  bench.accepted(order);
  bench.ask({ type: 'amend', exchange: bench.exchange, id: order.id, price: '57000' }, { actor: OPERATOR });
  bench.cancelDone(order);
  const next = [...bench.engine.memory.orders.values()].find(({ replaces }) => replaces === order.id);
  expect([order.emulated, next?.emulated, next?.type]).toEqual([true, false, 'LIMIT']);
});

it('the end date of an order that was moved is the one that is waited for', () => {
  const bench = new Bench();
  const { exchange } = bench;
  const order = bench.resting({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
  bench.ask({ type: 'amend', exchange, id: order.id, goodTillDate: START + 9_000 }, { actor: OPERATOR });
  expect(bench.engine.nextEndDate).toBe(START + 9_000);
});

it('an order whose change a cancel has ended is being cancelled, and not being changed any more', () => {
  const { bench, order, reply } = changing();
  expect(orderViewOf(order)).toMatchObject({ amendPending: true, cancelPending: true });
  bench.cancel(order.id);
  expect(reply().status).toBe(409);
  expect(orderViewOf(order)).not.toHaveProperty('amendPending');
  expect(orderViewOf(order)).toMatchObject({ cancelPending: true });
});

/** An account that others can trade on as well, and its state as if another desk had been found there. */
function shared(futures: boolean, state: OthersState) {
  const bench = new Bench();
  const account = { ...(futures ? FUTURES_ACCOUNT : ACCOUNT), id: 'shared' };
  const others = loadOthers(new Map(), account.id);
  const instruments = [futures ? FUTURES_BTC : BTC];
  bench.engine.memory.addAccount(account, bench.caps, instruments, { others });
  const exchange = account.id;
  const changed = [
    { asset: 'USDT', free: '100000', locked: '0' },
    { asset: 'BTC', free: '9', locked: '0' },
  ];
  bench.event({ type: 'venue.balances', exchange, changed, all: true });
  if (futures) {
    bench.event({ type: 'venue.settings', exchange, hedge: false, leverage: [] });
    bench.event({ type: 'venue.positions', exchange, changed: [], all: true });
  }
  return { bench, exchange, find: () => Object.assign(others, { state, ids: ['ps-1'] }) };
}

describe('an account on which another desk is found', () => {
  it('sends no entry that waited for its margin type until then', () => {
    const { bench, exchange, find } = shared(true, 'paused');
    const request = { exchange, price: '50000', quantity: '0.1', marginType: 'ISOLATED' } as const;
    const { order, token } = bench.place(request);
    expect(order.phase).toBe('waiting');
    find();
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
    expect([order.status, bench.kinds('submit')]).toEqual(['ERROR', []]);
    expect(bench.reply(token).message).toContain('is traded by another desk too');
  });

  it.each([
    ['BUY', 503, 0],
    ['SELL', 200, 1],
  ] as const)('splits no %s that opens (%d)', (side, status, cancels) => {
    const { bench, exchange, find } = shared(false, 'paused');
    const order = bench.resting({ exchange, side, price: '61000', quantity: '1' });
    find();
    const prices = ['61000', '61010'];
    const { token } = bench.ask({ type: 'split', exchange, id: order.id, prices });
    expect(bench.kinds('cancel')).toHaveLength(cancels);
    if (status !== 200) expect(bench.reply(token).status).toBe(status);
  });
});

function str(bench: Bench): string {
  return `${bench.locked('USDT')}`;
}
