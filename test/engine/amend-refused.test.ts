/**
 * What stands against a change of an order, at the exact value where it begins to: the request, what is left
 * of the order, the account, its guards. What is refused leaves the order as it was, and nothing is sent.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { Guards } from '../../src/domain/guards.ts';
import type { Amendment, OrderRecord } from '../../src/domain/order.ts';
import type { EngineExtension } from '../../src/engine/extension.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { formsOf } from '../support/forms.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { BTC, ETH, OPERATOR } from './support/market.ts';

const CAPS = { amends: PAPER_AMENDS };

function benchOf({ caps, ...options }: BenchOptions = {}): Bench {
  return new Bench({ ...options, caps: { ...CAPS, ...caps } });
}

/** What came of a change: `sent`, `replaced`, `made` here, or the refusal. */
function change(bench: Bench, order: OrderRecord, to: Amendment): string {
  const before = structuredClone(order);
  const asked = { type: 'amend', exchange: order.exchange, id: order.id, ...to } as const;
  const { token } = bench.ask(asked, { actor: OPERATOR });
  if (bench.kinds('amend').length > 0) return 'sent';
  if (bench.kinds('cancel').length > 0) return 'replaced';
  const { status, reason, message } = bench.reply(token);
  if (status === 200) return 'made';
  expect(order).toEqual(before);
  const sends = ['submit', 'cancel', 'amend', 'query'];
  expect(bench.effects.filter(({ kind }) => sends.includes(kind))).toEqual([]);
  return `${status} ${reason ?? ''}: ${message}`;
}

function answered(bench: Bench, order: OrderRecord, origQty: string): void {
  const { exchange, id: orderId, changes: n = 0 } = order;
  const outcome = { kind: 'done', state: bench.state(order, { origQty }) } as const;
  bench.event({ type: 'amended', exchange, orderId, n, outcome });
}

function guard(bench: Bench, guards: Partial<Guards>): void {
  const asked = { type: 'guards', exchange: bench.exchange, change: guards } as const;
  expect(bench.ask(asked, { actor: OPERATOR }).reply().status).toBe(200);
}

const HELD_STOP: Partial<CreateOrder> = {
  side: 'SELL',
  type: 'STOP_MARKET',
  price: undefined as never,
  stopPrice: '55000',
  quantity: '1',
};

describe('an order that cannot be changed at all', () => {
  it.each(['IOC', 'FOK'] as const)('takes at once, as %s does', (timeInForce) => {
    const bench = benchOf();
    const order = bench.resting({ timeInForce });
    expect(change(bench, order, { quantity: '0.5' })).toMatch(/^400 NOT_AMENDABLE: .*does not rest/);
  });

  it('is of a symbol that is no longer traded', () => {
    const bench = benchOf();
    const order = bench.resting();
    bench.event({ type: 'instruments', exchange: bench.exchange, instruments: [ETH] });
    expect(change(bench, order, { quantity: '0.5' })).toMatch(/^400 NOT_AMENDABLE: .*no longer traded/);
  });

  it('is of a run that goes on, held here or at the exchange', () => {
    const bench = benchOf();
    const orders = [bench.resting(), bench.place(HELD_STOP).order];
    const claim = ({ id }: OrderRecord) => `order ${id} is of a run`;
    bench.engine.extension = { claim, before() {}, after: () => false } as unknown as EngineExtension;
    for (const order of orders)
      expect(change(bench, order, { quantity: '0.5' })).toMatch(/^400 NOT_AMENDABLE: .*is of a run/);
  });
});

describe('a change is refused where it asks for', () => {
  it.each<[string, Partial<CreateOrder>, Amendment, string]>([
    ['a trigger of a plain order', {}, { stopPrice: '55000' }, 'stopPrice does not apply to LIMIT orders'],
    [
      'a trigger of a trailing stop',
      { side: 'SELL', type: 'STOP_MARKET', price: undefined as never, trailingDelta: 100 },
      { stopPrice: '55000' },
      'stopPrice does not apply to a trailing stop',
    ],
    ['a price that is none', {}, { price: '1e5' }, 'price "1e5" is not a decimal'],
    ['a price of nothing', {}, { price: '0.00' }, 'price must be more than zero'],
    ['a trigger that is none', HELD_STOP, { stopPrice: '-1' }, 'stopPrice "-1" is not a decimal'],
    ['an amount of dots', {}, { quantity: '1.' }, 'quantity "1." is not a decimal'],
  ])('%s', (_, request, to, words) => {
    const bench = benchOf();
    const { order } = bench.place({ price: '50000', quantity: '1', ...request });
    if (order.phase === 'sending') bench.accepted(order);
    expect(change(bench, order, to)).toContain(`400 FIELD: ${words}`);
  });

  it('an end date that has come: at that very moment, not a millisecond before', () => {
    const bench = benchOf();
    const at = bench.wall;
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: at + 60_000 });
    expect(change(bench, order, { goodTillDate: at })).toMatch(/^400 FIELD: .*is in the past/);
    expect(change(bench, order, { goodTillDate: at + 1 })).toBe('made');
    expect(bench.engine.nextEndDate).toBe(at + 1);
  });

  it('another size of what closes its whole position', () => {
    const bench = benchOf({ futures: true });
    const { exchange } = bench;
    const changed = [positionOf('BTCUSDT', '1', bench.wall)];
    bench.event({ type: 'venue.positions', exchange, changed, all: true });
    const { order } = bench.place({ ...HELD_STOP, quantity: undefined, closePosition: true } as never);
    bench.accepted(order, { status: 'PENDING' });
    expect(change(bench, order, { quantity: '0.5' })).toMatch(/^400 FIELD: quantity does not apply/);
  });
});

it('what is asked for and is so already is no change', () => {
  const bench = benchOf();
  const goodTillDate = bench.wall + 60_000;
  const dated = bench.resting({ timeInForce: 'GTD', goodTillDate });
  const held = bench.place(HELD_STOP).order;
  const asked: [OrderRecord, Amendment][] = [
    [dated, { goodTillDate, price: '50000.00', quantity: '1.0' }],
    [held, { stopPrice: '55000.0' }],
  ];
  for (const [order, to] of asked) {
    expect(change(bench, order, to)).toBe('made');
    expect([bench.last.rows, bench.kinds('order-event')]).toEqual([[], []]);
  }
});

describe('what is left of the order', () => {
  const least = { ...BTC, minNotional: '100' };

  it.each<[string, Amendment, RegExp]>([
    ['exactly the least', { quantity: '0.012' }, /^sent/],
    ['less than that by its price', { quantity: '0.012', price: '49999.99' }, /^400 MIN_NOTIONAL: quantity/],
    ['less than that by its price alone', { price: '49999.99' }, /^sent/],
    ['exactly the most', { quantity: '18.01' }, /^sent/],
    ['more than that', { quantity: '18.011' }, /^400 MAX_NOTIONAL: quantity 18.001 is worth 900050/],
  ])('may be worth %s beside what it has executed', (_, to, outcome) => {
    const bench = benchOf({ instruments: [least, ETH] });
    const order = bench.resting({ quantity: '0.02' });
    bench.fill(bench.trade(order, '0.01'));
    expect(change(bench, order, to)).toMatch(outcome);
  });

  it('is named by the field that was changed', () => {
    const bench = benchOf({ instruments: [least, ETH] });
    const order = bench.resting({ quantity: '0.002' });
    expect(change(bench, order, { price: '49999.99' })).toMatch(/^400 MIN_NOTIONAL: price 0.002 is worth/);
    const stop = bench.place({ ...HELD_STOP, quantity: '0.002' }).order;
    expect(change(bench, stop, { stopPrice: '49999.99' })).toMatch(/^400 MIN_NOTIONAL: stopPrice/);
    expect(change(bench, stop, { stopPrice: '50000' })).toBe('made');
  });

  it('is bounded as what it turns into: a stop by what the market takes, a limit order by more', () => {
    const bench = benchOf({ instruments: [{ ...BTC, maxNotional: '0' }, ETH] });
    const limit = bench.resting({ quantity: '1', price: '50000' });
    expect(change(bench, limit, { quantity: '60' })).toBe('sent');
    const stop = bench.place(HELD_STOP).order;
    expect(change(bench, stop, { quantity: '50.001' })).toMatch(/^400 QUANTITY_RANGE/);
    expect(change(bench, stop, { quantity: '50' })).toBe('made');
  });
});

describe('the account', () => {
  it('that cannot be reached changes what is held here, and nothing at its exchange, however little is asked', () => {
    const bench = benchOf();
    const live = bench.resting();
    const held = bench.place(HELD_STOP).order;
    bench.event({ type: 'account', exchange: bench.exchange, away: 'no route' });
    expect(change(bench, live, { quantity: '0.5' })).toMatch(/^503 : .*no route/);
    expect(change(bench, held, { quantity: '0.5' })).toBe('made');
  });

  it('whose line is down changes what is held here and risks more', () => {
    const bench = benchOf();
    const held = bench.place({ side: 'BUY', type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' }).order;
    bench.event({ type: 'link', exchange: bench.exchange, up: false, gap: true });
    expect(change(bench, held, { quantity: '2' })).toBe('made');
    expect(str(bench.locked('USDT'))).toBe('130000');
  });

  it('that is not read yet takes no larger entry, and takes a smaller one and a larger exit', () => {
    const bench = benchOf();
    const [entry, exit] = [bench.resting(), bench.resting({ side: 'SELL', price: '61000' })];
    bench.engine.memory.account(bench.exchange).unread.add('balances');
    expect(change(bench, entry, { quantity: '1.001' })).toMatch(/^503 : .*could not be read yet/);
    expect(change(bench, entry, { quantity: '0.999' })).toBe('sent');
    expect(change(bench, exit, { quantity: '1.001' })).toBe('sent');
  });

  it.each([
    [false, '99999.99', '0', 'BALANCE'],
    [false, '100000.01', '0.02', 'RESERVED'],
    [true, '5000.01', '0.02', 'RESERVED'],
  ])(
    'of futures: %s, with %s USDT of which bots reserve %s pays no more: %s',
    (futures, free, excess, reason) => {
      const bench = benchOf({ futures, balances: [{ asset: 'USDT', free, locked: '0' }] });
      const order = bench.resting();
      const { reserved } = bench.engine.memory.account(bench.exchange).wallet;
      const reserve = (amount: string) => reserved.set('USDT', { shown: dec('1'), excess: dec(amount) });
      if (excess !== '0') reserve(excess);
      const refused = change(bench, order, { quantity: '2' });
      expect(refused).toContain(`400 ${reason}: insufficient balance`);
      expect(refused.includes('0.02 reserved by bots')).toBe(reason === 'RESERVED');
      if (reason === 'BALANCE') return;
      reserve('0.01');
      expect(change(bench, order, { quantity: '2' })).toBe('sent');
    },
  );
});

describe('the guards of a changed order', () => {
  it('count what is bought more as an entry of the minute, and no change of a sale', () => {
    const bench = benchOf();
    const [entry, exit] = [bench.resting(), bench.resting({ side: 'SELL', price: '61000' })];
    bench.pass(60_000);
    guard(bench, { maxOrdersPerMinute: 1 });
    expect(change(bench, exit, { quantity: '2' })).toBe('sent');
    expect(change(bench, entry, { quantity: '0.9' })).toBe('sent');
    answered(bench, entry, '0.9');
    expect(change(bench, entry, { quantity: '1' })).toBe('sent');
    answered(bench, entry, '1');
    expect(change(bench, entry, { quantity: '1.1' })).toMatch(/^400 GUARD_MAX_ORDERS_PER_MINUTE/);
  });

  it('count what is held here and is made larger, too', () => {
    const bench = benchOf();
    const stop = { side: 'BUY', type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' } as const;
    const { order } = bench.place(stop);
    guard(bench, { maxOrdersPerMinute: 1 });
    expect(change(bench, order, { quantity: '2' })).toBe('made');
    expect(change(bench, order, { quantity: '3' })).toMatch(/^400 GUARD_MAX_ORDERS_PER_MINUTE/);
  });

  it('take a sale far below the market for a slip of the hand', () => {
    const bench = benchOf();
    const order = bench.resting({ side: 'SELL', price: '61000' });
    guard(bench, { priceBand: '10' });
    expect(change(bench, order, { price: '53999.99' })).toMatch(/^400 GUARD_PRICE_BAND/);
    expect(change(bench, order, { price: '54000' })).toBe('sent');
  });

  const ENTRY = { type: 'STOP_LIMIT', stopPrice: '70000', price: '71000', quantity: '1' } as const;

  it.each([
    ['held here', ['LIMIT', 'MARKET'], 'made'],
    ['at its exchange', ['LIMIT', 'MARKET', 'STOP_LIMIT'], 'replaced'],
  ] as const)(
    'measure the price of a stop that waits %s from its trigger, the new one if it moves',
    (_, native, done) => {
      const changes: [Amendment, RegExp | string][] = [
        [{ price: '77000.01' }, /^400 GUARD_PRICE_BAND/],
        [{ price: '77000' }, done],
        [{ stopPrice: '65000', price: '71500.01' }, /^400 GUARD_PRICE_BAND/],
        [{ stopPrice: '65000', price: '71500' }, done],
      ];
      for (const [to, outcome] of changes) {
        const bench = benchOf({ caps: { forms: formsOf({ native }) } });
        guard(bench, { priceBand: '10' });
        const { order } = bench.place(ENTRY);
        if (order.phase !== 'held') bench.accepted(order, { status: 'PENDING' });
        expect(change(bench, order, to)).toMatch(outcome);
      }
    },
  );

  it('measure what a stop that waits at its exchange is worth at its trigger, before it is cancelled', () => {
    const bench = benchOf({ futures: true });
    guard(bench, { maxOrderValue: '70000' });
    const stop = { side: 'BUY', type: 'STOP_MARKET', stopPrice: '70000', quantity: '0.5' } as const;
    const { order } = bench.place(stop);
    bench.accepted(order, { status: 'PENDING' });
    expect(change(bench, order, { quantity: '1.001' })).toMatch(/^400 GUARD_MAX_ORDER_VALUE/);
    expect(change(bench, order, { quantity: '1' })).toBe('replaced');
  });

  it('measure one whose trigger is met from the price of now', () => {
    const bench = benchOf();
    guard(bench, { priceBand: '10' });
    const { order } = bench.place(ENTRY);
    bench.accepted(order, { status: 'PENDING' });
    bench.tick('70000');
    bench.stream(bench.state(order));
    bench.tick('60000');
    expect(change(bench, order, { price: '71001' })).toMatch(/^400 GUARD_PRICE_BAND/);
  });
});
