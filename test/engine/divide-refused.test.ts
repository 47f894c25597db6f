/**
 * What stands against splitting an order, or against replacing it by another one, at the exact value where it
 * begins to. Everything is checked before anything is cancelled: what is refused leaves the order where it is.
 */
import { describe, expect, it } from 'vitest';
import type { Amendment, OrderRecord } from '../../src/domain/order.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { BTC, ETH, NATIVE, OPERATOR } from './support/market.ts';

/** `goes` once the cancel is sent, or the refusal. */
function outcomeOf(bench: Bench, order: OrderRecord, token: number): string {
  if (bench.kinds('cancel').length > 0) return 'goes';
  expect([order.cancel, bench.engine.memory.splits.size, bench.kinds('submit')]).toEqual([undefined, 0, []]);
  const { status, message } = bench.reply(token);
  return `${status} ${message}`;
}

const split = (bench: Bench, order: OrderRecord, prices: string[]) =>
  outcomeOf(bench, order, bench.ask({ type: 'split', exchange: order.exchange, id: order.id, prices }).token);

function change(bench: Bench, order: OrderRecord, to: Amendment): string {
  const asked = { type: 'amend', exchange: order.exchange, id: order.id, ...to } as const;
  return outcomeOf(bench, order, bench.ask(asked, { actor: OPERATOR }).token);
}

const STOP: Partial<CreateOrder> = {
  side: 'SELL',
  type: 'STOP_LIMIT',
  price: '54000',
  stopPrice: '55000',
  quantity: '1',
};

function waiting(bench: Bench, request: Partial<CreateOrder> = STOP): OrderRecord {
  const { order } = bench.place(request);
  bench.accepted(order, { status: 'PENDING' });
  return order;
}

describe('a split', () => {
  const of = (count: number) => Array.from({ length: count }, (_, n) => `${49_000 - n}`);

  it.each([
    [1, /^400 prices has 1 entries; 2 to 50 are allowed/],
    [2, /^goes/],
    [50, /^goes/],
    [51, /^400 prices has 51 entries/],
  ])('into %d parts: %s', (count, outcome) => {
    const bench = new Bench();
    expect(split(bench, bench.resting(), of(count))).toMatch(outcome);
  });

  it('is of what is left: its parts may be as small as an order may be, and no smaller', () => {
    const bench = new Bench();
    const order = bench.resting({ quantity: '0.01' });
    bench.fill(bench.trade(order, '0.004'));
    expect(split(bench, order, of(4))).toMatch(/^400 part 1: quantity 0.001 is outside 0.002/);
    expect(split(bench, order, of(3))).toBe('goes');
  });

  it('is of parts that are worth enough each, the cheapest as well', () => {
    const bench = new Bench({ instruments: [{ ...BTC, minNotional: '100' }, ETH] });
    const order = bench.resting({ quantity: '0.004' });
    expect(split(bench, order, ['50000', '49999.99'])).toMatch(
      /^400 part 2: quantity 0.002 is worth 99.99998/,
    );
    expect(split(bench, order, ['50000', '50000.01'])).toBe('goes');
  });

  it('is bounded by the orders of its symbol at its account: those of others do not count', () => {
    const other = 'paper-other';
    const instruments = [{ ...BTC, maxOrders: 5 }, ETH];
    const bench = new Bench({ instruments, more: [{ id: other, name: 'Other', kind: 'spot' }] });
    const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange: other, changed, all: true });
    bench.resting({ exchange: other });
    bench.tick('3000', 'ETHUSDT');
    bench.resting({ symbol: 'ETHUSDT', price: '2900' });
    const order = bench.resting();
    bench.resting();
    expect(split(bench, order, of(5))).toMatch(/^400 5 parts beside 1 other open orders .* at most 5/);
    expect(split(bench, order, of(4))).toBe('goes');
  });

  it.each<[string, (bench: Bench) => OrderRecord, RegExp]>([
    ['waits for its trigger', (b) => waiting(b), /is not a resting LIMIT order \(STOP_LIMIT, NEW\)/],
    ['only rests', (b) => b.resting({ type: 'LIMIT_MAKER' }), /is not a resting LIMIT order \(LIMIT_MAKER/],
    ['is on its way', (b) => b.place({ price: '50000', quantity: '1' }).order, /\(LIMIT, NEW\)/],
    [
      'waits for its turn at its exchange',
      (b) => {
        const { order } = b.place({ price: '50000', quantity: '1' });
        b.accepted(order, { status: 'PENDING' });
        return order;
      },
      /\(LIMIT, NEW\)/,
    ],
    [
      'is not resolved',
      (b) => {
        const { order } = b.place({ price: '50000', quantity: '1' });
        b.lost(order);
        return order;
      },
      /\(LIMIT, NEW\)/,
    ],
    [
      'has ended',
      (b) => {
        const order = b.resting();
        b.stream(b.state(order, { status: 'CANCELLED' }));
        return order;
      },
      /is CANCELLED; only a resting limit order can be split/,
    ],
  ])('is of no order that %s', (_, make, words) => {
    const bench = new Bench();
    const order = make(bench);
    expect(split(bench, order, of(2))).toMatch(words);
  });

  it('is of no order whose cancel is under way, or of an account that cannot be reached or is not read', () => {
    const bench = new Bench();
    const [order, cancelled] = [bench.resting(), bench.resting()];
    bench.cancel(cancelled.id);
    expect(bench.split(cancelled.id, of(2)).reply().message).toContain('is being cancelled');
    const account = bench.engine.memory.account(bench.exchange);
    account.unread.add('balances');
    expect(split(bench, order, of(2))).toMatch(/^503 .*could not be read yet/);
    account.unread.clear();
    bench.event({ type: 'account', exchange: bench.exchange, away: 'no route' });
    expect(split(bench, order, of(2))).toMatch(/^503 .*no route/);
  });

  it.each(['0', '0.0', '-1', '1e5', '50000.001', 'x', '11999.99', '300000.01'])(
    'has no part at %s',
    (price) => {
      const bench = new Bench();
      expect(split(bench, bench.resting({ quantity: '0.1' }), ['50000', price])).toMatch(/^400 prices\[1\] /);
    },
  );
});

describe('another order in place of one', () => {
  it.each([
    ['BUY', '50000', '50000.01', '50000'],
    ['SELL', '70000', '69999.99', '70000'],
  ] as const)(
    'of a %s that only rests at %s is placed at a last price of %s, and not of %s',
    (side, price, ok, at) => {
      const bench = new Bench();
      const order = bench.resting({ side, type: 'LIMIT_MAKER', price, quantity: '1' });
      bench.tick(at);
      expect(change(bench, order, { quantity: '2' })).toMatch(/^400 .*would take at once/);
      bench.tick(ok);
      expect(change(bench, order, { quantity: '2' })).toBe('goes');
    },
  );

  it.each([
    ['0.2', 'goes'],
    ['0.201', '400 quantity 0.201 would make 101 parts of 0.002; at most 100'],
  ])('of an iceberg has as many parts as there may be: %s', (quantity, outcome) => {
    const bench = new Bench();
    const order = bench.resting({ icebergQty: '0.002', quantity: '0.1' });
    expect(change(bench, order, { quantity })).toBe(outcome);
  });

  it('is not placed while events may be missing, however little it risks', () => {
    const bench = new Bench();
    const order = bench.resting();
    const exit = bench.resting({ side: 'SELL', price: '61000' });
    const gap = (is: boolean) => bench.event({ type: 'link', exchange: bench.exchange, up: true, gap: is });
    gap(true);
    expect(change(bench, order, { price: '49000' })).toMatch(/^503 events .* may be missing/);
    expect(change(bench, exit, { price: '62000' })).toMatch(/^400 .*cannot be reached now/);
    gap(false);
    expect(change(bench, order, { price: '49000' })).toBe('goes');
  });

  it('keeps a price that the market has left as far as may be, and no farther', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.tick('250000.1');
    expect(change(bench, order, { quantity: '2' })).toMatch(/^400 .*too far from the last price/);
    bench.tick('250000');
    expect(change(bench, order, { quantity: '2' })).toBe('goes');
  });

  it.each([
    ['MARK_PRICE', '60000', '54000', 'goes'],
    ['MARK_PRICE', '54000', '60000', '400'],
    ['CONTRACT_PRICE', '60000', '54000', '400'],
    ['CONTRACT_PRICE', '54000', '60000', 'goes'],
    ['MARK_PRICE', null, '55000', '400'],
    ['MARK_PRICE', null, '55000.01', 'goes'],
  ] as const)(
    'of a stop at 55,000 by %s, the mark at %s and the last price at %s: %s',
    (workingType, mark, last, outcome) => {
      const bench = new Bench({ futures: true });
      const { exchange } = bench;
      bench.event({ type: 'venue.positions', exchange, changed: [positionOf('BTCUSDT', '9', 1)], all: true });
      const order = waiting(bench, { ...STOP, workingType, reduceOnly: true });
      if (mark !== null) bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: mark });
      bench.tick(last);
      expect(change(bench, order, { quantity: '2' }).slice(0, 4).trim()).toBe(outcome);
    },
  );

  it('takes the place of nothing that is executing at the market, and of no amount', () => {
    const bench = new Bench();
    const market = bench.resting({ type: 'MARKET', price: undefined as never });
    expect(change(bench, market, { quantity: '2' })).toMatch(/^400 .*does not rest on the book/);
    const spent = bench.resting({
      type: 'MARKET',
      quoteOrderQty: '5000',
      price: undefined as never,
      quantity: undefined as never,
    });
    expect(change(bench, spent, { quantity: '2' })).toMatch(/^400 .*does not rest on the book/);
  });

  it('is the way of what waits at its exchange, though that changes what rests in its place', () => {
    const amends = { ...PAPER_AMENDS, types: ['LIMIT', 'STOP_LIMIT'] as const };
    const bench = new Bench({ caps: { amends, forms: formsOf({ native: NATIVE }) } });
    const order = waiting(bench);
    expect(change(bench, order, { quantity: '2' })).toBe('goes');
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toMatchObject([
      { order: { type: 'STOP_LIMIT', quantity: '2', price: '54000', stopPrice: '55000' } },
    ]);
  });

  it.each([
    ['0.5', 'amend'],
    ['1', 'cancel'],
    ['1.5', 'cancel'],
  ])(
    'is the way to %s and more of 1 where its exchange only makes an order smaller: %s',
    (quantity, kind) => {
      const amends = { ...PAPER_AMENDS, fields: ['quantity', 'price'] as const, onlyLess: true as const };
      const bench = new Bench({ caps: { amends } });
      const order = bench.resting();
      const price = quantity === '1' ? { price: '49000' } : {};
      bench.ask(
        { type: 'amend', exchange: bench.exchange, id: order.id, quantity, ...price },
        { actor: OPERATOR },
      );
      const kinds = bench.effects
        .map((effect) => effect.kind)
        .filter((one) => one === 'amend' || one === 'cancel');
      expect(kinds).toEqual([quantity === '1' ? 'amend' : kind]);
    },
  );
});

it('an order in place of one of a run that has ended is of the person who has changed it; one of a program stays its own', () => {
  const bench = new Bench();
  const run = { kind: 'bot', user: 'owner', botId: 'b1', runId: 'r1' } as const;
  const orders = [
    bench.place({ price: '50000', quantity: '1' }, { actor: run }).order,
    bench.place({ price: '50000', quantity: '1' }).order,
  ];
  const next = orders.map((order) => {
    bench.accepted(order);
    expect(change(bench, order, { price: '49000' })).toBe('goes');
    bench.cancelDone(order);
    const made = [...bench.engine.memory.orders.values()].find(({ replaces }) => replaces === order.id);
    if (made) bench.accepted(made);
    return [made?.creator, made?.creatorId];
  });
  expect(next).toEqual([
    ['UI', 'owner000'],
    ['API', orders[1]?.creatorId],
  ]);
});
