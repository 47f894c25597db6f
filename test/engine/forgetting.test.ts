/**
 * What leaves memory: an order that has ended leaves nothing behind but itself and what `recent` shows for an
 * hour; after that nothing at all. All of memory is searched, so that a new table is covered, too.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { FUTURES_ACCOUNT, SPOT, START, STRANGER } from './support/market.ts';

const HOUR = 3_600_000;
const BUSY = { kind: 'rejected', reason: 'OVERLOADED', code: '-1008', message: 'Busy.' } as const;
const LOST = { kind: 'unknown', cause: 'HTTP 502' } as const;
const STOP = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' } as const;

/** Paths in memory at which one of these ids occurs: as a key, in a set, or as a value. */
function placesOf(bench: Bench, ids: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const look = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (ids.has(value)) found.add(path);
      return;
    }
    if (value === null || typeof value !== 'object' || seen.has(value)) return;
    seen.add(value);
    if (value instanceof Map) {
      for (const [key, item] of value) {
        if (ids.has(key)) found.add(path);
        else look(item, path);
      }
    } else if (value instanceof Set || Array.isArray(value)) for (const item of value) look(item, path);
    else for (const [name, item] of Object.entries(value)) look(item, `${path}.${name}`);
  };
  for (const [name, value] of Object.entries(bench.engine.memory)) look(value, name);
  return [...found].sort();
}

/** Each brings one or several orders to their ends. */
const ENDS: [string, BenchOptions, (bench: Bench) => OrderRecord[]][] = [
  [
    'is filled',
    {},
    (bench) => {
      const order = bench.resting({ quantity: '2' });
      bench.fill(bench.trade(order, '0.5'));
      bench.fill(bench.trade(order, '1.5'));
      return [order];
    },
  ],
  [
    'is refused',
    {},
    (bench) => {
      const { order } = bench.place({ price: '50000', quantity: '1' });
      bench.submitted(order, BUSY);
      return [order];
    },
  ],
  [
    'never arrived',
    {},
    (bench) => {
      const { order } = bench.place({ price: '50000', quantity: '1' });
      bench.lost(order);
      bench.pass(6_000);
      bench.wake();
      bench.queried(order, { kind: 'absent' });
      return [order];
    },
  ],
  [
    'is cancelled at the second try',
    {},
    (bench) => {
      const order = bench.resting({ timeInForce: 'GTD', goodTillDate: START + 60_000 });
      bench.cancel(order.id);
      bench.cancelled(order, LOST);
      bench.wake();
      bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
      bench.cancelDone(order);
      return [order];
    },
  ],
  [
    'is cancelled although it was not known for a while',
    {},
    (bench) => {
      const order = bench.resting();
      bench.queried(order, { kind: 'absent' });
      bench.cancel(order.id);
      bench.cancelDone(order);
      return [order];
    },
  ],
  [
    'ends for want of an answer',
    {},
    (bench) => {
      const order = bench.resting();
      for (let n = 0; n < 3; n++) {
        bench.queried(order, { kind: 'absent' });
        bench.pass(30_000);
      }
      return [order];
    },
  ],
  [
    'has an execution that was told late',
    {},
    (bench) => {
      const order = bench.resting();
      const state = bench.state(order, { status: 'FILLED', cumQty: '1' });
      bench.stream(state);
      bench.pass(1_000);
      bench.wake();
      bench.queried(order, { kind: 'found', state, fills: [bench.trade(order, '1')] });
      return [order];
    },
  ],
  [
    'is no more known while it owes an execution',
    {},
    (bench) => {
      const order = bench.resting();
      bench.stream(bench.state(order, { cumQty: '0.5' }));
      for (let n = 0; n < 3; n++) {
        bench.queried(order, { kind: 'absent' });
        bench.pass(30_000);
      }
      return [order];
    },
  ],
  [
    'was held and trailed, then cancelled',
    {},
    (bench) => {
      const { order } = bench.place({ type: 'STOP_MARKET', side: 'SELL', trailingDelta: 100, quantity: '1' });
      for (const price of ['61000', '62000', '63000']) bench.tick(price);
      bench.event({ type: 'link', exchange: SPOT, up: false, gap: false });
      bench.tick('50000');
      bench.cancel(order.id);
      return [order];
    },
  ],
  [
    'was held, refused, and cancelled in the place of which it was tried again',
    {},
    (bench) => {
      const { order } = bench.place(STOP);
      bench.tick('54000');
      bench.submitted(order, BUSY);
      const next = bench.order(order.replacedBy ?? '');
      bench.cancel(next.id);
      return [order, next];
    },
  ],
  [
    'is split on an exchange whose executions come late',
    { caps: { settleMs: 2_000 } },
    (bench) => {
      const order = bench.resting();
      bench.split(order.id, ['50500', '49000']);
      bench.cancelDone(order);
      bench.pass(2_000);
      bench.wake();
      const state = bench.state(order, { status: 'CANCELLED' });
      bench.queried(order, { kind: 'found', state, fills: [] });
      const parts = [...bench.engine.memory.orders.values()].filter(
        ({ splitFrom }) => splitFrom === order.id,
      );
      expect(parts).toHaveLength(2);
      for (const part of parts) bench.submitted(part, BUSY);
      return [order, ...parts];
    },
  ],
  [
    'whose split comes to nothing',
    {},
    (bench) => {
      const order = bench.resting();
      bench.split(order.id, ['50500', '49000']);
      bench.cancel(order.id);
      bench.cancelDone(order);
      return [order];
    },
  ],
  [
    'proves to be alive, and is gone then',
    {},
    (bench) => {
      const order = bench.resting();
      bench.cancel(order.id);
      bench.cancelDone(order);
      bench.stream(bench.state(order));
      bench.cancelled(order, BUSY);
      bench.pass(1_000);
      bench.wake();
      bench.cancelDone(order);
      bench.stream(bench.state(order, { status: 'CANCELLED' }));
      return [order];
    },
  ],
  [
    'waited for its margin type',
    { futures: true },
    (bench) => {
      const { order } = bench.place({ price: '50000', quantity: '1', marginType: 'ISOLATED' });
      bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
      bench.accepted(order);
      bench.fill(bench.trade(order, '1', { commAsset: 'USDT', comm: '1' }));
      return [order];
    },
  ],
  [
    'is another one’s, with a name of its exchange',
    { futures: true },
    (bench) => {
      const theirs = { id: 'not ours!', symbol: 'BTCUSDT', side: 'SELL', origQty: '1' } as OrderRecord;
      const fill: ExchangeFill = { ...bench.trade(theirs, '1'), venueId: '77', liquidation: true };
      bench.fill(fill);
      return [...bench.engine.memory.orders.values()];
    },
  ],
];

/** Tables in which a recently ended order may still be found, by id and time. */
const RECENT = ['endedAt', 'fills', 'orders', 'wireIds'];
/**
 * Movements of the account that no report includes yet: they name their order, and leave with the next
 * report.
 */
const UNTOLD = /^accounts\.untold\.(balances|positions)/;

describe('an order that %s', () => {
  for (const [name, options, end] of ENDS) {
    it(`${name} is in no table but those of recent orders, and after an hour in none`, () => {
      const bench = new Bench(options);
      const orders = end(bench);
      const ids = new Set(orders.map(({ id }) => id));
      expect(orders.map(({ phase }) => phase)).toEqual(orders.map(() => 'done'));
      const left = placesOf(bench, ids).filter((place) => !UNTOLD.test(place));
      for (const place of left) expect(RECENT).toContain(place.split('.')[0]);
      const locks = [...bench.engine.memory.account(bench.exchange).wallet.locks.values()];
      expect(locks.every((lock) => lock === 0n)).toBe(true);
      expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(0);
      expect(bench.engine.memory.heldIds()).toEqual([]);
      expect(bench.engine.nextEndDate).toBe(Number.POSITIVE_INFINITY);
      bench.pass(60_000);
      bench.wake();
      expect(bench.effects).toEqual([]);
      expect(bench.engine.nextWake()).toBe(bench.mono + 60_000);
      bench.pass(HOUR);
      bench.wake();
      expect(bench.kinds('forgotten')).toHaveLength(orders.length);
      for (const { exchange, wireId, symbol } of bench.store.wireIds.values())
        expect(bench.engine.memory.wireIds.orderId(exchange, wireId, symbol)).toBeUndefined();
      expect(placesOf(bench, ids).filter((place) => !UNTOLD.test(place))).toEqual([]);
    });
  }
});

describe('the sweep', () => {
  it('lets an order go when its hour is over, not a moment before, and one that waits for something not at all', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.fill(bench.trade(order, '1'));
    const open = bench.resting();
    bench.pass(HOUR - 1);
    bench.wake();
    expect(bench.kinds('forgotten')).toEqual([]);
    bench.pass(60_000);
    bench.wake();
    expect(bench.kinds('forgotten')).toEqual([{ kind: 'forgotten', orderId: order.id }]);
    expect([...bench.engine.memory.orders.keys()]).toEqual([open.id]);
  });

  it('looks once a minute, and asks to be woken for that', () => {
    const bench = new Bench();
    bench.wake();
    expect(bench.engine.nextWake()).toBe(bench.mono + 60_000);
    const order = bench.resting();
    bench.fill(bench.trade(order, '1'));
    bench.pass(HOUR - 30_000);
    bench.wake();
    bench.pass(59_999);
    bench.wake();
    expect(bench.kinds('forgotten')).toEqual([]);
    bench.pass(1);
    bench.wake();
    expect(bench.kinds('forgotten')).toHaveLength(1);
  });

  it('keeps an order that is alive at its exchange, and one whose split is not over', () => {
    const bench = new Bench();
    const alive = bench.resting();
    bench.cancel(alive.id);
    bench.cancelDone(alive);
    bench.stream(bench.state(alive));
    const whole = bench.resting();
    bench.split(whole.id, ['50000', '49000'], { key: 'k' });
    bench.cancelDone(whole);
    bench.pass(2 * HOUR);
    bench.wake();
    expect(bench.kinds('forgotten')).toEqual([]);
    bench.stream(bench.state(alive, { status: 'CANCELLED' }));
    for (const part of [...bench.engine.memory.orders.values()].slice(2)) bench.accepted(part);
    bench.pass(60_000);
    bench.wake();
    expect(bench.kinds('forgotten')).toMatchObject([{ orderId: alive.id }, { orderId: whole.id }]);
  });

  it('lets the records of answered keys go after their hour, and none that is in progress', () => {
    const bench = new Bench();
    const keys = () => [...bench.engine.memory.idempotency.values()].map(({ key }) => key);
    bench.place({ price: '50000', quantity: '1' }, { key: 'open' });
    const { order } = bench.place({ price: '50000', quantity: '1' }, { key: 'done' });
    bench.accepted(order);
    bench.pass(HOUR - 1);
    bench.wake();
    expect(keys()).toEqual(['open', 'done']);
    bench.pass(60_000);
    bench.wake();
    expect(keys()).toEqual(['open']);
    expect(bench.engine.memory.idempotency.countOf('owner')).toBe(1);
    expect(bench.engine.memory.idempotency.countOf(STRANGER.user)).toBe(0);
  });
});

it('an exchange account that tells its contracts anew keeps those that it has no more as such, and nothing of what it does not tell', () => {
  const bench = new Bench({ futures: true });
  const { memory } = bench.engine;
  const account = memory.account(FUTURES_ACCOUNT.id);
  const [old] = [...account.instruments.values()];
  const bracket = {
    initialLeverage: 20,
    notionalFloor: '0',
    notionalCap: '1000',
    maintenanceMarginRate: '0.01',
    cumulative: '0',
  };
  const eth = { ...(old as NonNullable<typeof old>), symbol: 'ETHUSDC', base: 'ETH', quote: 'USDC' };
  const brackets = new Map([['ETHUSDC', [bracket]]]);
  bench.event({ type: 'account', exchange: account.account.id, away: null, instruments: [eth], brackets });
  const { futures } = account;
  const known = [...account.instruments.values()].map(({ symbol, delisted = false }) => [symbol, delisted]);
  expect(known).toEqual([
    ['ETHUSDC', false],
    ['BTCUSDT', true],
  ]);
  expect([...account.numbers.keys()]).toEqual(['ETHUSDC', 'BTCUSDT']);
  expect([...(futures?.tiers.keys() ?? [])]).toEqual(['ETHUSDC']);
  expect([...(futures?.marginAssets ?? [])]).toEqual(['USDC', 'USDT']);
  bench.event({ type: 'account', exchange: account.account.id, away: null, instruments: [eth] });
  expect(futures?.tiers.size).toBe(0);
});
