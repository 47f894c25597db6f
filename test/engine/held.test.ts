/** What the engine holds itself: trailing stops, stop and take-profit market orders, end dates (S26, S30, S32; engine.md "Advanced orders"). */
import { describe, expect, it } from 'vitest';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { SPOT, START } from './support/market.ts';

const SELL: Partial<CreateOrder> = { type: 'STOP_MARKET', side: 'SELL', quantity: '1', trailingDelta: 100 };
const BUY: Partial<CreateOrder> = { ...SELL, side: 'BUY' };

function ticks(bench: Bench, ...prices: string[]): number {
  for (const [i, price] of prices.entries()) {
    bench.tick(price);
    if (bench.kinds('submit').length > 0) return i;
  }
  return -1;
}

describe('a trailing stop', () => {
  // proves: order-type trailing stop, field order trailing, field order type, S26
  it('arms at once at the price known now, when nothing else is asked', () => {
    const { order, reply } = new Bench().place(SELL);
    expect(order.trailing).toEqual({ delta: 100, best: '60000', armedAt: START });
    expect(reply().order).toMatchObject({
      status: 'NEW',
      type: 'STOP_MARKET',
      isWorking: false,
      stopPrice: null,
      trailing: { delta: 100, time: START },
      specific: { emulated: true },
    });
  });

  // proves: field create-order trailingDelta
  it('of a sell follows the price up and fires the distance below the highest', () => {
    const bench = new Bench();
    const { order } = bench.place(SELL);
    expect(ticks(bench, '61000', '60500', '62000', '61380.01', '61999', '61380')).toBe(5);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { clientId: order.id, type: 'MARKET', side: 'SELL', quantity: '1' } },
    ]);
    expect(bench.store.eventsOf(order.id).at(-2)?.text).toBe('triggered at 61380: 1 % from 62000');
  });

  it('of a buy mirrors it: follows down and fires the distance above the lowest', () => {
    const bench = new Bench();
    bench.place(BUY);
    expect(ticks(bench, '59000', '59500', '58000', '58579.99', '58580')).toBe(4);
    expect(bench.kinds('submit')).toMatchObject([{ order: { type: 'MARKET', side: 'BUY' } }]);
  });

  // proves: field create-order activationPrice
  it('of a sell waits for its activation price from below, a buy from above', () => {
    const bench = new Bench();
    const sell = bench.place({ ...SELL, activationPrice: '61000' }).order;
    const buy = bench.place({ ...BUY, activationPrice: '59000' }).order;
    expect(ticks(bench, '60999.99', '59000.01', '60000')).toBe(-1);
    expect([sell.trailing?.best, buy.trailing?.best]).toEqual([undefined, undefined]);
    bench.wall += 5_000;
    bench.tick('61000');
    expect(sell.trailing).toMatchObject({ best: '61000', armedAt: START + 5_000 });
    expect(bench.kinds('order-event')).toHaveLength(1);
    expect(buy.trailing?.best).toBeUndefined();
    bench.tick('59000');
    expect(buy.trailing).toMatchObject({ best: '59000' });
    expect(bench.kinds('submit')).toMatchObject([{ order: { clientId: sell.id } }]);
  });

  // proves: field create-order percentPrice, S32
  it('S32: percentPrice arms above the current price for a sell, below for a buy', () => {
    const bench = new Bench();
    expect(bench.place({ ...SELL, percentPrice: '2.5' }).order.trailing?.activationPrice).toBe('61500');
    expect(bench.place({ ...BUY, percentPrice: '2.5' }).order.trailing?.activationPrice).toBe('58500');
  });

  it('S32: percentPrice lands on the tick', () => {
    const bench = new Bench({ price: '60000.01' });
    expect(bench.place({ ...SELL, percentPrice: '0.1' }).order.trailing?.activationPrice).toBe('60060.01');
  });

  it('forces no commit for a new peak, and gives its row at most once a second', () => {
    const bench = new Bench();
    bench.place(SELL);
    bench.tick('60100');
    expect(bench.last).toMatchObject({ force: false, rows: [{ kind: 'order' }] });
    bench.wall += 999;
    bench.tick('60200');
    expect(bench.last).toMatchObject({ force: false, rows: [] });
    bench.wall += 1;
    bench.tick('60300');
    expect(bench.last).toMatchObject({ force: false, rows: [{ kind: 'order' }] });
    expect(bench.effects).toEqual([]);
  });

  // proves: S26
  it('keeps its peak over a restart', () => {
    const bench = new Bench();
    const { order } = bench.place(SELL);
    bench.tick('62000');
    bench.store.commit(bench.last.rows);
    bench.restart();
    expect(bench.order(order.id).trailing).toEqual({ delta: 100, best: '62000', armedAt: START });
    expect(bench.locked('BTC')).toBe(10n ** 30n);
    expect(ticks(bench, '61381', '61380')).toBe(1);
  });

  it('lets go of what it locked once the exchange has it, and of everything when cancelled', () => {
    const bench = new Bench();
    const fired = bench.place(SELL).order;
    const dropped = bench.place({ ...SELL, trailingDelta: 2000 }).order;
    expect(bench.locked('BTC')).toBe(2n * 10n ** 30n);
    bench.tick('59000');
    bench.accepted(fired, { status: 'FILLED', cumQty: '1' });
    expect(bench.locked('BTC')).toBe(10n ** 30n);
    expect(bench.cancel(dropped.id).reply().order.status).toBe('CANCELLED');
    expect(bench.locked('BTC')).toBe(0n);
    expect(bench.kinds('cancel')).toEqual([]);
    expect(ticks(bench, '30000')).toBe(-1);
  });

  it('that the exchange refuses when it fires ends as ERROR', () => {
    const bench = new Bench();
    const { order } = bench.place(SELL);
    bench.tick('59000');
    bench.submitted(order, { kind: 'rejected', code: '-2010', message: 'Insufficient balance.' });
    expect(bench.order(order.id)).toMatchObject({
      status: 'ERROR',
      text: 'paper-spot refused: Insufficient balance. (-2010)',
    });
  });
});

describe('a stop held by the engine', () => {
  // proves: order-type STOP_MARKET, order-type TAKE_PROFIT_MARKET, S26, S30
  it.each([
    ['STOP_MARKET', 'SELL', '55000', '55000.01'],
    ['STOP_MARKET', 'BUY', '65000', '64999.99'],
    ['TAKE_PROFIT_MARKET', 'SELL', '65000', '64999.99'],
    ['TAKE_PROFIT_MARKET', 'BUY', '55000', '55000.01'],
  ] as const)('%s %s at %s fires there and not at %s', (type, side, stopPrice, before) => {
    const bench = new Bench();
    const { order } = bench.place({ type, side, stopPrice, quantity: '1' });
    expect(ticks(bench, before, stopPrice)).toBe(1);
    expect(bench.kinds('submit')).toMatchObject([{ order: { clientId: order.id, type: 'MARKET' } }]);
    bench.tick(stopPrice);
    expect(bench.kinds('submit')).toEqual([]);
    bench.accepted(order, { status: 'FILLED', cumQty: '1' });
    bench.fill(bench.trade(order, '1'));
    expect(bench.order(order.id)).toMatchObject({ type, stopPrice, status: 'CLOSED' });
  });

  it('heeds the price of its own symbol only, and no price that merely is known', () => {
    const bench = new Bench();
    bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' });
    bench.tick('1', 'ETHUSDT');
    expect(bench.kinds('submit')).toEqual([]);
    bench.event({ type: 'price', symbol: 'BTCUSDT', price: '1' });
    expect(bench.kinds('submit')).toEqual([]);
  });
});

describe('an end date', () => {
  const DATED: Partial<CreateOrder> = {
    type: 'LIMIT',
    price: '50000',
    quantity: '1',
    timeInForce: 'GTD',
    goodTillDate: START + 10_000,
  };

  // proves: field create-order goodTillDate, state open to CANCELLED, S31
  it('is kept here: the exchange sees GTC, and the order is cancelled when market time reaches it', () => {
    const bench = new Bench();
    const { order } = bench.place(DATED);
    expect(bench.kinds('submit')).toMatchObject([{ order: { timeInForce: 'GTC' } }]);
    bench.accepted(order);
    bench.wall = START + 9_999;
    expect(bench.tick('60000').filter((e) => e.kind === 'cancel')).toHaveLength(0);
    bench.wall += 1;
    expect(bench.tick('60001', 'ETHUSDT').filter((e) => e.kind === 'cancel')).toHaveLength(1);
    expect(bench.tick('60002').filter((e) => e.kind === 'cancel')).toHaveLength(0);
    bench.cancelDone(order);
    expect(bench.order(order.id)).toMatchObject({
      status: 'CANCELLED',
      text: 'cancelled (asked by the end date)',
    });
  });

  it('that passed while the desk was down is the first thing a start sends', () => {
    const bench = new Bench();
    const dated = bench.resting(DATED);
    bench.place({ price: '50000', quantity: '1' });
    bench.wall = START + 10_000;
    bench.restart();
    const sent = bench.effects.filter(
      (e) => e.kind === 'cancel' || e.kind === 'query' || e.kind === 'submit',
    );
    expect(sent.map((e) => e.kind)).toEqual(['cancel', 'query']);
    expect(sent[0]).toMatchObject({ orderId: dated.id });
  });

  it('of an unresolved order is carried out as soon as the order is found', () => {
    const bench = new Bench();
    const { order } = bench.place(DATED);
    bench.lost(order);
    bench.wall = START + 10_000;
    bench.tick('60000');
    expect(bench.kinds('cancel')).toEqual([]);
    bench.event({ type: 'reconciled', exchange: SPOT, open: [bench.state(order)] });
    expect(bench.kinds('cancel')).toHaveLength(1);
  });
});

describe('the last hour', () => {
  // proves: rule orders-recent, limit recent-window
  it('stays in memory and leaves it afterwards, with its fills', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    const open = bench.resting();
    bench.wall = START + 3_599_999;
    bench.wake();
    expect(bench.engine.memory.orders.has(order.id)).toBe(true);
    bench.wall = bench.engine.nextWake();
    expect(bench.wall).toBeLessThanOrEqual(START + 3_660_000);
    expect(bench.wake()).toContainEqual({ kind: 'forgotten', orderId: order.id });
    expect(bench.engine.memory.orders.has(order.id)).toBe(false);
    expect(bench.engine.memory.fills.has(order.id)).toBe(false);
    expect(bench.engine.memory.orders.has(open.id)).toBe(true);
  });
});
