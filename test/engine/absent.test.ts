/**
 * An account that is no longer configured, known only for its open orders: nothing happens to it by itself,
 * and everything resumes when it is back.
 */
import { describe, expect, it } from 'vitest';
import { guardsName, NO_GUARDS } from '../../src/domain/guards.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineEvent } from '../../src/engine/step.ts';
import { orderOf } from '../../src/engine/views.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, CAPS, ETH, SPOT, START } from './support/market.ts';

/** The bench's store loaded by a desk that no longer has this account, or cannot reach it now. */
function without(bench: Bench, state: { away?: string | null; absent?: boolean }) {
  const engine = new Engine();
  engine.memory.addAccount(ACCOUNT, CAPS, [BTC, ETH], state);
  engine.load(bench.store.load(0));
  const first = engine.start(bench.now);
  const kinds = (event?: EngineEvent) => {
    const { effects } = event ? engine.step(event, bench.now) : first;
    return effects.map(({ kind }) => kind).filter((kind) => kind !== 'log');
  };
  return { engine, kinds, rows: first.rows };
}

describe('an account that is configured no more', () => {
  const ABSENT = { away: 'it is not configured any more', absent: true };

  it('is not asked about anything, and its orders say that nothing is known of them', () => {
    const bench = new Bench();
    const sending = bench.place({ price: '50000', quantity: '1' }).order;
    const live = bench.resting();
    const going = bench.resting();
    bench.cancel(going.id);
    const alive = bench.resting();
    bench.cancel(alive.id);
    bench.cancelDone(alive);
    bench.stream(bench.state(alive));
    const { engine, kinds, rows } = without(bench, ABSENT);
    expect(kinds()).toEqual([]);
    expect(rows).toEqual([]);
    for (const { id } of [sending, live, going]) {
      const order = engine.memory.orders.get(id);
      expect(order?.notConnected).toBe(true);
      expect(order && orderOf(order).specific.unresolved).toBe(true);
    }
    bench.pass(60_000);
    expect(kinds({ type: 'wake' })).toEqual([]);
    expect(kinds({ type: 'link', exchange: SPOT, up: true, gap: true })).toEqual([]);
  });

  it('fires nothing that is held and cancels nothing at its end date', () => {
    const bench = new Bench();
    const stop = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' }).order;
    bench.resting({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
    const { engine, kinds } = without(bench, ABSENT);
    bench.pass(2_000);
    expect(kinds({ type: 'tick', market: 'paper', symbol: 'BTCUSDT', price: '50000' })).toEqual([]);
    expect(engine.nextEndDate).toBe(Number.POSITIVE_INFINITY);
    expect(engine.memory.heldIds()).toEqual([]);
    // The orders count all the same.
    expect(engine.memory.openOn(SPOT, 'BTCUSDT')).toBe(2);
    expect(engine.memory.account(SPOT).wallet.locks.get('BTC')).toBe(10n ** 30n);
    expect(engine.memory.orders.get(stop.id)?.status).toBe('NEW');
  });

  it('has all of it again when it is connected while the desk runs: what is set aside, held and counted', () => {
    const bench = new Bench();
    const stop = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' }).order;
    const sending = bench.place({ price: '50000', quantity: '0.1' }).order;
    const live = bench.resting();
    bench.engine = without(bench, ABSENT).engine;
    const before = new Map(bench.engine.memory.account(SPOT).wallet.locks);
    const joining = { account: ACCOUNT, caps: CAPS, instruments: [BTC, ETH], known: {} };
    bench.event({ type: 'joined', joining });
    const { memory } = bench.engine;
    const { wallet } = memory.account(SPOT);
    expect(wallet.locks).toEqual(before);
    expect([wallet.locks.get('BTC'), wallet.locks.get('USDT')]).toEqual([10n ** 30n, 5_000n * 10n ** 30n]);
    expect(memory.openOn(SPOT, 'BTCUSDT')).toBe(3);
    expect(memory.heldIds()).toEqual([stop.id]);
    expect(bench.order(sending.id).phase).toBe('unresolved');
    expect(bench.order(live.id).notConnected).toBeFalsy();
    // The reserved amount becomes free once, with its order.
    bench.cancel(stop.id);
    expect(wallet.locks.get('BTC') ?? 0n).toBe(0n);
  });

  it('leaves the orders of other accounts as they are when it is back, and has each of its own once', () => {
    const other = { ...ACCOUNT, id: 'paper-other' };
    const bench = new Bench({ more: [other] });
    const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange: other.id, changed, all: true });
    const theirs = bench.resting({ exchange: other.id });
    const held = { exchange: other.id, type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' } as const;
    bench.place(held);
    bench.resting();
    const alive = bench.resting();
    bench.stream(bench.state(alive, { status: 'CANCELLED' }));
    bench.stream(bench.state(alive));
    expect(alive.contradiction?.cancel).toBe('sent');
    const { memory } = bench.engine;
    const locks = (id: string) => memory.account(id).wallet.locks.get('USDT') ?? 0n;
    const before = locks(other.id);
    bench.event({ type: 'left', exchange: SPOT, why: 'it is not configured any more' });
    const joining = { account: ACCOUNT, caps: CAPS, instruments: [BTC, ETH], known: {} };
    for (let times = 0; times < 2; times++) {
      bench.event({ type: 'joined', joining });
      expect([locks(other.id), memory.openOn(other.id, 'BTCUSDT')]).toEqual([before, 2]);
      expect([memory.openOn(SPOT, 'BTCUSDT'), memory.heldIds().length]).toEqual([2, 1]);
    }
    expect([theirs.phase, theirs.submission, alive.contradiction?.cancel]).toEqual([
      'live',
      undefined,
      'unknown',
    ]);
    bench.wake();
    expect(bench.kinds('query')).toMatchObject([{ orderId: alive.id }]);
  });

  it('takes guards that are given with it, at once', () => {
    const bench = new Bench();
    bench.event({ type: 'left', exchange: SPOT, why: 'it is not configured any more' });
    const guards = { ...NO_GUARDS, maxOpenOrders: 1 };
    bench.event({
      type: 'joined',
      joining: { account: ACCOUNT, caps: CAPS, instruments: [BTC, ETH], known: {}, guards },
    });
    expect(bench.engine.memory.account(SPOT).guards?.set).toEqual(guards);
    expect(bench.store.meta.get(guardsName(SPOT))).toEqual(guards);
    const again = { ...NO_GUARDS, maxOpenOrders: 7 };
    bench.event({
      type: 'joined',
      joining: { account: ACCOUNT, caps: CAPS, instruments: [], known: {}, guards: again },
    });
    // It was there already: it keeps what it trades.
    expect(bench.engine.memory.account(SPOT).guards?.set.maxOpenOrders).toBe(7);
    expect(bench.engine.memory.account(SPOT).instruments.size).toBe(2);
  });

  it('lets what is held be cancelled, of which nothing is unknown then', () => {
    const bench = new Bench();
    const { id } = bench.place({
      type: 'STOP_MARKET',
      side: 'SELL',
      stopPrice: '55000',
      quantity: '1',
    }).order;
    bench.engine = without(bench, ABSENT).engine;
    const { order } = bench.cancel(id).reply();
    expect(order).toMatchObject({ status: 'CANCELLED' });
    expect(order.specific).not.toHaveProperty('unresolved');
    expect(bench.store.orders.get(id)).not.toHaveProperty('notConnected');
    bench.restart();
    expect(orderOf(bench.order(id)).specific).not.toHaveProperty('unresolved');
  });
});

it('an account that is configured and cannot be reached yet is asked as always', () => {
  const bench = new Bench();
  bench.place({ price: '50000', quantity: '1' });
  const { kinds } = without(bench, { away: 'no answer' });
  expect(kinds()).toContain('query');
});

describe('an entry on an account that cannot be reached', () => {
  it('is refused with why, and when to try again; a close is not', () => {
    const bench = new Bench();
    const { engine } = bench;
    bench.event({ type: 'link', exchange: SPOT, up: false, gap: true });
    const down = bench.place({ price: '50000', quantity: '1' }).reply();
    expect(down).toMatchObject({
      status: 503,
      message: 'the connection to paper-spot is down; nothing was done, try again when it is up',
    });
    expect(down.answer.outcome).toMatchObject({ error: { retryAfterS: 5 } });
    bench.event({ type: 'account', exchange: SPOT, away: 'the key is wrong' });
    const away = bench.place({ price: '50000', quantity: '1' }).reply();
    expect(away).toMatchObject({
      status: 503,
      message: 'paper-spot is not connected: the key is wrong; nothing was done, try again later',
    });
    expect(away.answer.outcome).toMatchObject({ error: { retryAfterS: 5 } });
    bench.event({ type: 'account', exchange: SPOT, away: null });
    bench.event({ type: 'link', exchange: SPOT, up: true, gap: true });
    const gap = bench.place({ price: '50000', quantity: '1' }).reply();
    expect(gap).toMatchObject({
      status: 503,
      message: 'events of paper-spot may be missing and it is being compared; nothing was done, try again',
    });
    expect(gap.answer.outcome).toMatchObject({ error: { retryAfterS: 2 } });
    expect(engine.memory.orders.size).toBe(0);
    bench.place({ side: 'SELL', price: '70000', quantity: '1' });
    expect(bench.kinds('submit')).toHaveLength(1);
    bench.event({ type: 'link', exchange: SPOT, up: true, gap: false });
    bench.place({ price: '50000', quantity: '1' });
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  it('lets what has reached its end date meanwhile go first, once a gap is known', () => {
    const bench = new Bench();
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
    bench.pass(1_000);
    bench.event({ type: 'link', exchange: SPOT, up: true, gap: true });
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: order.id }]);
  });
});
