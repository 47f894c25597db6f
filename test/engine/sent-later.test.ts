/**
 * Orders that are sent later than they were asked for: in place of another one that is cancelled first, or
 * once a margin type is set. What has changed meanwhile counts: guards, another desk, the end date.
 */
import { describe, expect, it } from 'vitest';
import type { Guards } from '../../src/domain/guards.ts';
import { loadOthers, type OthersState } from '../../src/engine/other-desk.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, FUTURES_ACCOUNT, FUTURES_BTC, OPERATOR, START } from './support/market.ts';

function guard(bench: Bench, change: Partial<Guards>): void {
  bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
}

function changing(request: Partial<CreateOrder> = {}) {
  const bench = new Bench();
  const order = bench.resting(request);
  const { reply } = bench.ask(
    { type: 'amend', exchange: bench.exchange, id: order.id, price: '51000' },
    { actor: OPERATOR },
  );
  const next = () => [...bench.engine.memory.orders.values()].find(({ replaces }) => replaces === order.id);
  return { bench, order, reply, next };
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
