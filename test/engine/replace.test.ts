/**
 * Changing an order that its exchange cannot change in place: it is cancelled, and the rest of it is placed
 * again, once (S54).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { AmendCaps } from '../../src/domain/exchange.ts';
import { NO_GUARDS } from '../../src/domain/guards.ts';
import type { Amendment, OrderRecord } from '../../src/domain/order.ts';
import type { FormRow } from '../../src/domain/order-form.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { CAPS, OPERATOR, START } from './support/market.ts';

const DATED: FormRow = { asked: 'end date', form: 'native', source: 'a test' };
const isOther = ({ asked }: FormRow) => asked !== 'end date';
const STOP: Partial<CreateOrder> = {
  side: 'SELL',
  type: 'STOP_LIMIT',
  quantity: '1',
  price: '54000',
  stopPrice: '55000',
};
const FUTURES: BenchOptions = { futures: true };

class ReplaceBench extends Bench {
  amend(order: Pick<OrderRecord, 'id'>, change: Amendment) {
    return this.ask({ type: 'amend', exchange: this.exchange, id: order.id, ...change }, { actor: OPERATOR });
  }

  waiting(request: Partial<CreateOrder> = STOP): OrderRecord {
    const { order } = this.place(request);
    this.accepted(order, { status: 'PENDING' });
    return order;
  }

  /** The orders that replace this one. */
  next(order: Pick<OrderRecord, 'id'>): OrderRecord[] {
    return [...this.engine.memory.orders.values()].filter(({ replaces }) => replaces === order.id);
  }

  only(order: Pick<OrderRecord, 'id'>): OrderRecord {
    const [next, ...more] = this.next(order);
    if (!next || more.length > 0) throw new Error(`${more.length + 1} orders in place of ${order.id}`);
    return next;
  }

  holds(amount: string): void {
    const position: ExchangePosition = {
      symbol: 'BTCUSDT',
      side: 'BOTH',
      amount,
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
    this.event({ type: 'venue.positions', exchange: this.exchange, changed: [position] });
  }
}

const kindsOf = (bench: Bench) => bench.effects.map(({ kind }) => kind).filter((kind) => kind !== 'log');

describe('a change that its exchange cannot make in its place', () => {
  it('cancels, waits for the confirmed remainder and places one order, which is the answer', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { token, reply } = bench.amend(order, { price: '51000', quantity: '2' });
    expect(bench.store.splits.get(order.id)).toMatchObject({
      stage: 'cancelling',
      change: { price: '51000', quantity: '2' },
    });
    expect([kindsOf(bench), bench.next(order)]).toEqual([['cancel'], []]);
    // 2 x 51,000, of which its exchange holds 50,000 for the order.
    expect(str(bench.locked('USDT'))).toBe('52000');
    bench.fill(bench.trade(order, '0.4'));
    expect(bench.isAnswered(token)).toBe(false);
    bench.cancelDone(order, '0.4');
    const next = bench.only(order);
    expect(bench.kinds('submit')).toMatchObject([{ order: { price: '51000', quantity: '1.6' } }]);
    expect([order.status, order.replacedBy, next.origQty]).toEqual(['CANCELLED', next.id, '1.6']);
    expect(str(bench.locked('USDT'))).toBe('81600');
    expect(bench.isAnswered(token)).toBe(false);
    bench.accepted(next);
    expect(reply().order).toMatchObject({ id: next.id, price: '51000', specific: { replaces: order.id } });
    expect([bench.engine.memory.splits.size, str(bench.locked('USDT'))]).toEqual([0, '0']);
    expect(bench.store.splits.get(order.id)?.stage).toBe('done');
  });

  it('says that it is on its way, and neither that it is cancelled nor that it is split', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    expect(order.cancel).toMatchObject({ forSplit: true, forChange: true });
    expect(bench.amend(order, { price: '52000' }).reply().message).toContain('being changed');
    expect(bench.split(order.id, ['49000', '48000']).reply().status).toBe(400);
    bench.cancelDone(order);
    expect(bench.amend(order, { price: '52000' }).reply().message).toContain('second half of a change');
  });

  it('keeps what is not changed', () => {
    const bench = new ReplaceBench(FUTURES);
    bench.holds('3');
    const until = bench.wall + 60_000;
    const order = bench.resting({
      side: 'SELL',
      price: '70000',
      quantity: '2',
      reduceOnly: true,
      workingType: 'CONTRACT_PRICE',
      timeInForce: 'GTD',
      goodTillDate: until,
    });
    bench.amend(order, { price: '71000' });
    bench.cancelDone(order);
    const kept = { side: 'SELL', reduceOnly: true, positionSide: 'BOTH', goodTillDate: until };
    expect(bench.only(order)).toMatchObject({ ...kept, timeInForce: 'GTD', creatorId: order.creatorId });
    expect(bench.kinds('submit')).toMatchObject([{ order: { price: '71000', reduceOnly: true } }]);
    const spot = new ReplaceBench();
    const iceberg = spot.resting({ icebergQty: '0.1' });
    spot.amend(iceberg, { price: '51000' });
    spot.cancelDone(iceberg);
    expect(spot.kinds('submit')).toMatchObject([{ order: { icebergQty: '0.1', quantity: '1' } }]);
  });

  it('goes in its place as far as its exchange can', () => {
    const amends: AmendCaps = { ...PAPER_AMENDS, fields: ['quantity'], onlyLess: true };
    const bench = new ReplaceBench({ caps: { amends } });
    const order = bench.resting({ quantity: '2' });
    const goes = (change: Amendment) => {
      bench.amend(order, change);
      const [kind] = kindsOf(bench);
      bench.restart();
      return kind;
    };
    expect(goes({ quantity: '1' })).toBe('amend');
    const other = new ReplaceBench({ caps: { amends } });
    for (const change of [{ quantity: '3' }, { price: '51000' }, { quantity: '1', price: '49000' }]) {
      const one = other.resting({ quantity: '2' });
      other.amend(one, change);
      expect(kindsOf(other)).toEqual(['cancel']);
    }
  });

  it('moves an end date that its exchange keeps by another order, and one that is kept here by none', () => {
    const bench = new ReplaceBench({ caps: { forms: [...CAPS.forms.filter(isOther), DATED] } });
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: bench.wall + 10_000 });
    bench.amend(order, { goodTillDate: bench.wall + 20_000 });
    expect(kindsOf(bench)).toEqual(['cancel']);
    const here = new ReplaceBench();
    const dated = here.resting({ timeInForce: 'GTD', goodTillDate: here.wall + 10_000 });
    here.amend(dated, { goodTillDate: here.wall + 20_000 });
    expect([here.kinds('cancel'), dated.goodTillDate]).toEqual([[], here.wall + 20_000]);
  });

  it('is placed until its new end date, though the old one has passed while it was cancelled', () => {
    const bench = new ReplaceBench({ caps: { forms: [...CAPS.forms.filter(isOther), DATED] } });
    const until = bench.wall + 60_000;
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: bench.wall + 1_000 });
    bench.amend(order, { goodTillDate: until });
    bench.pass(2_000);
    bench.cancelDone(order);
    expect(bench.only(order)).toMatchObject({ goodTillDate: until, origQty: order.origQty });
  });
});

describe('an order that ends otherwise while it is being changed', () => {
  it('has nothing placed when it was filled', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { quantity: '2' });
    bench.fill(bench.trade(order, '1'));
    expect([order.status, reply().status, bench.next(order)]).toEqual(['CLOSED', 409, []]);
    expect(str(bench.locked('USDT'))).toBe('0');
  });

  it('has nothing placed when as much is executed as it was to be', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { quantity: '0.5', price: '49000' });
    bench.fill(bench.trade(order, '0.5'));
    bench.cancelDone(order, '0.5');
    expect([order.status, reply().status, bench.next(order)]).toEqual(['CANCELLED', 409, []]);
    expect(reply().message).toContain('nothing is left');
  });

  it('stays as it is when the cancel is refused', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '51000' });
    bench.cancelled(order, { kind: 'rejected', reason: 'OTHER', code: '-2011', message: 'no' });
    expect([order.status, order.price, reply().status]).toEqual(['OPENED', '50000', 400]);
    expect([order.cancel, bench.engine.memory.splits.size, str(bench.locked('USDT'))]).toEqual([
      undefined,
      0,
      '0',
    ]);
  });

  it('has nothing placed after a cancel that was asked for meanwhile (S54)', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const change = bench.amend(order, { price: '51000' });
    const cancel = bench.cancel(order.id);
    expect(change.reply()).toMatchObject({ status: 409, message: 'cancelled meanwhile' });
    bench.cancelDone(order);
    expect([order.status, cancel.reply().status, bench.next(order)]).toEqual(['CANCELLED', 200, []]);
    expect(str(bench.locked('USDT'))).toBe('0');
  });

  it('is reached by its old id: a cancel acts on the one in its place (S53)', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.cancelDone(order);
    const next = bench.only(order);
    bench.cancel(order.id);
    expect(next.cancel?.state).toBe('wanted');
    bench.accepted(next);
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: next.id }]);
    bench.cancelDone(next);
    expect(next.status).toBe('CANCELLED');
  });

  it('says in words that it is gone when the one in its place is refused', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '51000' });
    bench.cancelDone(order);
    bench.submitted(bench.only(order), { kind: 'rejected', reason: 'OTHER', code: '-2010', message: 'no' });
    expect(reply()).toMatchObject({ status: 400, reason: 'VENUE' });
    expect(reply().message).toContain('is cancelled, and the one in its place was not taken');
  });

  it('keeps what is too little to be placed as an order that was not', () => {
    const bench = new ReplaceBench();
    const order = bench.resting({ quantity: '0.01' });
    bench.amend(order, { price: '49000' });
    bench.fill(bench.trade(order, '0.009'));
    bench.cancelDone(order, '0.009');
    expect(bench.only(order)).toMatchObject({ status: 'ERROR', origQty: '0.001' });
    expect(bench.kinds('submit')).toEqual([]);
  });
});

describe('a desk that dies in the middle of a change', () => {
  const ANSWER_LOST = { kind: 'unknown', cause: 'gone' } as const;

  it('goes on with the cancel, and places one order', () => {
    const bench = new ReplaceBench();
    const { id } = bench.resting();
    bench.amend({ id }, { price: '51000' });
    bench.restart();
    expect(bench.kinds('submit')).toEqual([]);
    const state = bench.state(bench.order(id), { status: 'CANCELLED' });
    bench.queried(bench.order(id), { kind: 'found', state, fills: [] });
    expect(bench.kinds('submit')).toHaveLength(1);
    expect(bench.only({ id }).id).toBe(bench.store.splits.get(id)?.children[0]);
  });

  it('sends nothing again when the new one may have left', () => {
    const bench = new ReplaceBench();
    const { id } = bench.resting();
    bench.amend({ id }, { price: '51000' });
    bench.cancelDone(bench.order(id));
    bench.restart();
    const next = bench.only({ id });
    expect([next.phase, bench.kinds('submit'), bench.kinds('query').length]).toEqual(['unresolved', [], 1]);
    bench.queried(next, { kind: 'found', state: bench.state(next), fills: [] });
    expect([next.status, bench.engine.memory.splits.size]).toEqual(['OPENED', 0]);
    bench.restart();
    expect([bench.engine.memory.splits.size, bench.next({ id }).length]).toEqual([0, 1]);
  });

  it('answers openly when nobody knows whether the new one is there', () => {
    const bench = new ReplaceBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '51000' });
    bench.cancelDone(order);
    bench.submitted(bench.only(order), ANSWER_LOST);
    expect(reply()).toMatchObject({ status: 200, order: { specific: { unresolved: true } } });
  });
});

describe('refused before anything is cancelled', () => {
  const refused = (bench: ReplaceBench, order: OrderRecord, change: Amendment) => {
    const { reply } = bench.amend(order, change);
    expect([bench.kinds('cancel'), order.cancel, bench.engine.memory.splits.size]).toEqual([
      [],
      undefined,
      0,
    ]);
    return reply();
  };
  const rests = (request: Partial<CreateOrder> = {}, options: BenchOptions = {}) => {
    const bench = new ReplaceBench(options);
    return { bench, order: bench.resting(request) };
  };

  it.each([
    ['off the grid', {}, { price: '51000.001' }, 'tick size'],
    ['too little', {}, { quantity: '0.001' }, 'outside'],
    ['too many parts', { icebergQty: '0.002', quantity: '0.1' }, { quantity: '0.3' }, 'parts'],
    ['takes at once', { type: 'LIMIT_MAKER' }, { price: '60000' }, 'only rests'],
    ['cannot be paid', {}, { quantity: '3' }, 'insufficient'],
  ] as const)('%s', (_, request, change, words) => {
    const balances = [{ asset: 'USDT', free: '50000', locked: '0' }];
    const { bench, order } = rests(request, { balances });
    const reply = refused(bench, order, change);
    expect([reply.status, reply.message]).toEqual([400, expect.stringContaining(words)]);
  });

  it('its exchange cannot be reached, also where it would risk less', () => {
    const { bench, order } = rests();
    bench.event({ type: 'link', exchange: bench.exchange, up: false, gap: true });
    expect(refused(bench, order, { price: '49000' }).status).toBe(503);
  });

  it('what is left too far from the market has moved away, or what it reduces is gone', () => {
    const { bench, order } = rests();
    bench.tick('9000');
    expect(refused(bench, order, { quantity: '2' }).message).toContain('too far');
    const futures = new ReplaceBench(FUTURES);
    futures.holds('1');
    const close = futures.resting({ side: 'SELL', price: '70000', reduceOnly: true });
    futures.holds('0');
    expect(refused(futures, close, { price: '71000' }).message).toContain('no BTCUSDT position');
  });

  it('a guard stands against the new one, also where it would risk less', () => {
    const bench = new ReplaceBench();
    const guard = (maxOrdersPerMinute: number | null) =>
      bench.ask(
        { type: 'guards', exchange: bench.exchange, change: { ...NO_GUARDS, maxOrdersPerMinute } },
        { actor: OPERATOR },
      );
    guard(1);
    const order = bench.resting();
    expect(refused(bench, order, { price: '49000' }).reason).toBe('GUARD_MAX_ORDERS_PER_MINUTE');
    guard(null);
    bench.amend(order, { price: '49000' });
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  it('a trailing stop, whose way would be lost, and what does not rest', () => {
    const bench = new ReplaceBench(FUTURES);
    bench.holds('1');
    const trailing = bench.waiting({ side: 'SELL', type: 'STOP_MARKET', quantity: '1', trailingDelta: 100 });
    expect(refused(bench, trailing, { quantity: '2' }).message).toContain('would be lost');
    const spot = rests({ timeInForce: 'IOC' });
    expect(refused(spot.bench, spot.order, { price: '51000' }).message).toContain('does not rest');
  });
});

describe('a stop that waits at its exchange', () => {
  it('has its stop changed by another one', () => {
    const bench = new ReplaceBench();
    const order = bench.waiting();
    bench.amend(order, { stopPrice: '57000' });
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { type: 'STOP_LIMIT', stopPrice: '57000', price: '54000', quantity: '1' } },
    ]);
  });

  it('is sent as what it turns into where its new trigger is met by then', () => {
    const bench = new ReplaceBench(FUTURES);
    bench.holds('1');
    const protects = { side: 'SELL', reduceOnly: true, quantity: '1', stopPrice: '55000' } as const;
    const order = bench.waiting({ ...protects, type: 'STOP_MARKET', workingType: 'CONTRACT_PRICE' });
    bench.amend(order, { stopPrice: '57000' });
    bench.tick('56900');
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toMatchObject([{ order: { type: 'MARKET', quantity: '1' } }]);
    expect(bench.only(order).stopPrice).toBeUndefined();
  });

  it('is refused where the new stop would trigger at once, and where the stop is past', () => {
    const bench = new ReplaceBench();
    const order = bench.waiting();
    expect(bench.amend(order, { stopPrice: '61000' }).reply().message).toContain('would trigger at once');
    bench.stream(bench.state(order, { status: 'WORKING' }));
    expect(bench.amend(order, { stopPrice: '53000' }).reply().message).toContain('has triggered');
    bench.amend(order, { price: '53000' });
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toMatchObject([{ order: { type: 'LIMIT', price: '53000' } }]);
  });
});
