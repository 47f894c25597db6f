/**
 * Orders that the engine holds itself: trailing stops, stop and take-profit market orders, end dates (S26,
 * S30, S32; engine.md "Advanced orders").
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { orderOf, trailLevel } from '../../src/engine/views.ts';
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

describe('what a console is told of a trailing stop', () => {
  it('is the best price so far and the level at which it fires now', () => {
    expect([trailLevel('SELL', 100, dec('60000')), trailLevel('BUY', 50, dec('1000'))].map(str)).toEqual([
      '59400',
      '1005',
    ]);
  });
});

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
    // The next commit includes it, whatever causes that commit.
    expect(bench.engine.movedPeaks()).toMatchObject([{ order: { trailing: { best: '60200' } } }]);
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
    bench.submitted(order, {
      kind: 'rejected',
      reason: 'BALANCE',
      code: '-2010',
      message: 'Insufficient balance.',
    });
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
    bench.event({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '1' });
    expect(bench.kinds('submit')).toEqual([]);
  });
});

describe('a market buy that is held', () => {
  /** All of 61,000 USDT locked for 1 BTC at 61,000; then `free` USDT, of which bots keep `kept`. */
  function allIn(more: Partial<CreateOrder> = {}, free = '61000', kept = '0') {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '61000', locked: '0' }] });
    const stop = { type: 'STOP_MARKET', side: 'BUY', stopPrice: '61000', quantity: '1' } as const;
    const { order } = bench.place({ ...stop, ...more });
    bench.event({
      type: 'venue.balances',
      exchange: SPOT,
      changed: [{ asset: 'USDT', free, locked: '0' }],
    });
    const excess = dec(kept);
    if (excess > 0n) bench.engine.memory.account(SPOT).wallet.reserved.set('USDT', { shown: excess, excess });
    return { bench, order };
  }

  it.each([
    ['at its stop: all of it', '61000', '61000', '0', '1'],
    [
      'beyond it, with no more money: what that buys, with room for a worse price',
      '62000',
      '61000',
      '0',
      '0.981',
    ],
    ['beyond it, with as much more as that costs', '62000', '62000', '0', '1'],
    ['beyond it, with more that bots keep', '62000', '62000', '1000', '0.981'],
  ])('buys what its money gives, %s', (_name, price, free, kept, quantity) => {
    const { bench, order } = allIn({}, free, kept);
    bench.tick(price);
    expect(bench.kinds('submit')).toMatchObject([{ order: { quantity } }]);
    bench.accepted(order, { status: 'FILLED', cumQty: quantity });
    bench.fill(bench.trade(order, quantity));
    expect(order).toMatchObject({ status: 'CLOSED', origQty: quantity, executedQty: quantity });
  });

  it('says in history and log that it buys less', () => {
    const { bench, order } = allIn();
    bench.tick('62000');
    const text = '0.981 of 1: 61000 USDT buy no more at 62000';
    expect(bench.store.eventsOf(order.id).map((event) => event.text)).toContain(text);
    expect(bench.kinds('log')).toMatchObject([{ level: 'warn', text: `${order.id}: ${text}` }]);
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

describe('a cancel that the exchange refuses', () => {
  const NO = {
    kind: 'rejected',
    reason: 'RATE_LIMITED',
    code: '-1003',
    message: 'Too many requests.',
  } as const;
  const DATED = { timeInForce: 'GTD', goodTillDate: START + 1_000 } as const;

  /**
   * Wall times, relative to now, of the cancels sent within `ms`, each of which is refused. A tick every 12
   * ms.
   */
  function asked(bench: Bench, order: OrderRecord, ms: number): number[] {
    const from = bench.wall;
    const times: number[] = [];
    const sent = () => {
      if (bench.kinds('cancel').length === 0) return;
      times.push(bench.wall - from);
      bench.cancelled(order, NO);
    };
    for (; bench.wall <= from + ms; bench.wall += 12) {
      bench.tick('60000', bench.wall % 2 ? 'ETHUSDT' : 'BTCUSDT');
      sent();
      if (bench.engine.nextWake() > bench.mono) continue;
      bench.wake();
      sent();
    }
    return times;
  }

  it('is asked again at the end date, after pauses that grow, and until the order has ended', () => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    bench.wall = DATED.goodTillDate;
    const times = asked(bench, order, 80_000);
    const pauses = times.slice(1).map((time, i) => Math.floor((time - (times[i] ?? 0)) / 1_000));
    expect(pauses).toEqual([1, 2, 5, 10, 30, 30]);
    expect(orderOf(order).specific).toMatchObject({ cancelPending: true });
    bench.wall += 30_000;
    bench.wake();
    bench.cancelDone(order);
    expect(order).toMatchObject({ status: 'CANCELLED', text: 'cancelled (asked by the end date)' });
    bench.wall += 30_000;
    bench.wake();
    expect(bench.kinds('cancel')).toEqual([]);
  });

  it('is said once in the log when nobody waits for an answer', () => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    bench.wall = DATED.goodTillDate;
    bench.tick('60000');
    const lines = [bench.cancelled(order, NO)];
    bench.wall += 1_000;
    bench.wake();
    lines.push(bench.cancelled(order, NO));
    expect(lines.map((effects) => effects.filter(({ kind }) => kind === 'log').length)).toEqual([1, 0]);
  });

  it('is kept over a restart at the end date', () => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    bench.wall = DATED.goodTillDate;
    bench.tick('60000');
    bench.cancelled(order, NO);
    bench.restart();
    expect(bench.kinds('cancel')).toHaveLength(1);
    expect(bench.kinds('query')).toEqual([]);
  });

  it.each([0, 1, 3, 10])('is kept without an end date, too: over a restart after %i refusals', (refusals) => {
    const bench = new Bench();
    const order = bench.resting();
    bench.ask({ type: 'cancel', exchange: SPOT, id: order.id, keep: true });
    bench.cancelled(order, NO);
    for (let n = 0; n < refusals; n++) {
      bench.passToWake();
      bench.wake();
      bench.cancelled(order, NO);
    }
    for (const _ of ['once', 'again']) {
      bench.restart();
      expect(bench.kinds('cancel')).toHaveLength(1);
      bench.cancelled(bench.order(order.id), NO);
    }
    expect(asked(bench, bench.order(order.id), 30_000).length).toBeGreaterThan(0);
  });

  it('is forgotten when a request asked for it, which is told; a second one is sent at once', () => {
    const bench = new Bench();
    const order = bench.resting();
    const first = bench.cancel(order.id);
    bench.cancelled(order, NO);
    expect(first.reply()).toMatchObject({ status: 400, message: 'Too many requests.' });
    bench.wall += 3_600_000;
    bench.wake();
    expect(bench.kinds('cancel')).toEqual([]);
    bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  it('of a request goes on when the end date passes meanwhile', () => {
    const bench = new Bench();
    const order = bench.resting(DATED);
    const first = bench.cancel(order.id);
    bench.wall = DATED.goodTillDate;
    bench.tick('60000');
    bench.cancelled(order, NO);
    expect(first.reply()).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
    expect(asked(bench, order, 2_000)).toHaveLength(1);
  });

  it('is kept for who says so, as a panic does: the answer is the order, and another request sends it at once', () => {
    const bench = new Bench();
    const order = bench.resting();
    const panic = bench.ask({ type: 'cancel', exchange: SPOT, id: order.id, keep: true });
    bench.cancelled(order, NO);
    expect(panic.reply()).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
    bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
    bench.cancelled(order, NO);
    expect(asked(bench, order, 3_000)).toHaveLength(1);
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
    bench.passToWake();
    expect(bench.wall).toBeLessThanOrEqual(START + 3_660_000);
    expect(bench.wake()).toContainEqual({ kind: 'forgotten', orderId: order.id });
    expect(bench.engine.memory.orders.has(order.id)).toBe(false);
    expect(bench.engine.memory.fills.has(order.id)).toBe(false);
    expect(bench.engine.memory.orders.has(open.id)).toBe(true);
  });
});

describe('a market buy of a run that is held', () => {
  it('is sent as it is: a run sizes its orders itself', () => {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '61000', locked: '0' }] });
    const actor = { kind: 'bot', user: 'owner', botId: 'b', runId: 'run0000001' } as const;
    const request = { type: 'STOP_MARKET', side: 'BUY', stopPrice: '61000', quantity: '1' } as const;
    const { order } = bench.place(request, { actor });
    bench.tick('70000');
    expect(bench.kinds('submit')).toMatchObject([{ order: { clientId: order.id, quantity: '1' } }]);
  });
});

describe('who else asks for a cancel', () => {
  const REFUSED = { kind: 'rejected', reason: 'OTHER', code: '-2011', message: 'no' } as const;
  const dated = () => {
    const bench = new Bench();
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
    return { bench, order };
  };

  it('while it is on its way makes it kept, where that one does not look after it', () => {
    const { bench, order } = dated();
    bench.cancel(order.id);
    expect(order.cancel).not.toHaveProperty('keep');
    bench.pass(1_000);
    bench.tick('60000');
    expect(bench.kinds('cancel')).toEqual([]);
    expect(order.cancel).toMatchObject({ keep: true, state: 'sent' });
    bench.cancelled(order, REFUSED);
    expect(order.cancel).toMatchObject({ state: 'refused', refusals: 1 });
  });

  it('without keeping it leaves it kept, and one that is not kept is not made so', () => {
    const { bench, order } = dated();
    bench.pass(1_000);
    bench.tick('60000');
    bench.cancel(order.id);
    expect(order.cancel).toMatchObject({ keep: true });
    const plain = bench.resting();
    bench.cancel(plain.id);
    bench.cancel(plain.id);
    expect(plain.cancel).not.toHaveProperty('keep');
    bench.cancelled(plain, REFUSED);
    expect(plain.cancel).toBeUndefined();
  });
});
