/** What the guards of an account refuse, to the cent and to the order, and that they never refuse a close. */
import { describe, expect, it } from 'vitest';
import type { Guards } from '../../src/domain/guards.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { guardMeters } from '../../src/engine/guard-settings.ts';
import { validateGuarded } from '../../src/engine/guards.ts';
import { orderPreview } from '../../src/engine/order-preview.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { KEY_ACTOR, OPERATOR, SPOT } from './support/market.ts';

/** A quantity worth slightly less than ten thousand dollars at the price of 60,000. */
const ONE_SIXTH = '0.166';

function guarded(change: Partial<Guards>, options: ConstructorParameters<typeof Bench>[0] = {}): Bench {
  const bench = new Bench(options);
  expect(set(bench, change).message).toBe('');
  return bench;
}

function set(bench: Bench, change: Partial<Guards>) {
  return bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR }).reply();
}

/** Status and reason of the answer; `sent` while it is on its way. */
function outcome(bench: Bench, request: Partial<CreateOrder>): string {
  const { token } = bench.place({ quantity: '1', ...request });
  if (!bench.isAnswered(token)) return 'sent';
  const { status, reason } = bench.reply(token);
  return `${status} ${reason ?? ''}`.trim();
}

function why(bench: Bench, request: Partial<CreateOrder>): string {
  return bench.place({ quantity: '1', ...request }).reply().message;
}

const POSITION = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
} as const;

function hold(bench: Bench, amount: string, side: 'BOTH' | 'LONG' | 'SHORT' = 'BOTH') {
  const changed = [{ ...POSITION, side, amount, updateTime: bench.wall }];
  bench.event({ type: 'venue.positions', exchange: bench.exchange, changed, all: true });
}

function held(bench: Bench, free: string) {
  const changed = [{ asset: 'BTC', free, locked: '0' }];
  bench.event({ type: 'venue.balances', exchange: bench.exchange, changed });
}

describe('each guard, at its boundary', () => {
  it('maxOrderValue: a limit by its own price, a market order by the last', () => {
    const bench = guarded({ maxOrderValue: '1000' });
    expect(outcome(bench, { price: '50000', quantity: '0.02' })).toBe('sent');
    expect(outcome(bench, { price: '50000.01', quantity: '0.02' })).toBe('400 GUARD_MAX_ORDER_VALUE');
    expect(outcome(bench, { type: 'MARKET', quantity: '0.016' })).toBe('sent');
    expect(outcome(bench, { type: 'MARKET', quantity: '0.017' })).toBe('400 GUARD_MAX_ORDER_VALUE');
    const amount = { type: 'MARKET', quantity: undefined } as unknown as Partial<CreateOrder>;
    expect(outcome(bench, { ...amount, quoteOrderQty: '1000' })).toBe('sent');
    expect(outcome(bench, { ...amount, quoteOrderQty: '1000.01' })).toBe('400 GUARD_MAX_ORDER_VALUE');
  });

  it('maxOrderValue: a sale that opens counts at the market when its limit is below that', () => {
    const bench = guarded({ maxOrderValue: '1000' }, { futures: true });
    expect(outcome(bench, { side: 'SELL', price: '20000', quantity: '0.017' })).toBe(
      '400 GUARD_MAX_ORDER_VALUE',
    );
    expect(outcome(bench, { side: 'SELL', price: '20000', quantity: '0.016' })).toBe('sent');
  });

  it('maxPositionValue: what is held and what is open count together', () => {
    const bench = guarded(
      { maxPositionValue: '10000' },
      { balances: [{ asset: 'USDT', free: '900000', locked: '0' }] },
    );
    held(bench, '0.1');
    bench.resting({ price: '40000', quantity: '0.05' });
    expect(outcome(bench, { price: '40000', quantity: '0.051' })).toBe('400 GUARD_MAX_POSITION_VALUE');
    expect(outcome(bench, { price: '40000', quantity: '0.05' })).toBe('sent');
    expect(outcome(bench, { price: '40000', quantity: '0.002' })).toBe('400 GUARD_MAX_POSITION_VALUE');
  });

  it('maxPositionValue: of a flip what is beyond the close, by the dearest', () => {
    const bench = guarded({ maxPositionValue: '6000' }, { futures: true });
    hold(bench, '-1');
    expect(outcome(bench, { price: '50000', quantity: '1.12' })).toBe('sent');
    expect(outcome(bench, { price: '60000', quantity: '0.002' })).toBe('400 GUARD_MAX_POSITION_VALUE');
  });

  it('maxPositionValue: what can only reduce adds nothing', () => {
    const bench = guarded({ maxPositionValue: '6000' }, { futures: true });
    hold(bench, '0.05');
    bench.resting({ side: 'SELL', price: '60000', quantity: '0.05', reduceOnly: true });
    expect(outcome(bench, { side: 'SELL', price: '60000', quantity: '0.151' })).toMatch(/POSITION_VALUE/);
    expect(outcome(bench, { side: 'SELL', price: '60000', quantity: '0.15' })).toBe('sent');
  });

  it('maxOpenOrders: held ones and closing ones count, only entries are refused', () => {
    const bench = guarded({ maxOpenOrders: 2 });
    bench.resting({ price: '50000' });
    bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '50000', quantity: '1' });
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_OPEN_ORDERS');
    expect(outcome(bench, { price: '61000', side: 'SELL' })).toBe('sent');
    const [first] = bench.engine.memory.orders.keys();
    bench.cancel(first ?? '');
    bench.cancelDone(bench.order(first ?? ''));
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_OPEN_ORDERS');
  });

  it('maxOrdersPerMinute: entries of the last minute, by the clock that nobody sets', () => {
    const bench = guarded({ maxOrdersPerMinute: 2 });
    expect(outcome(bench, { price: '50000' })).toBe('sent');
    bench.pass(1);
    expect(outcome(bench, { price: '50000' })).toBe('sent');
    expect(outcome(bench, { price: '61000', side: 'SELL' })).toBe('sent');
    bench.setWall(bench.wall + 120_000);
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
    bench.pass(59_998);
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
    bench.pass(1);
    expect(outcome(bench, { price: '50000' })).toBe('sent');
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
  });

  it('priceBand: on the losing side only, by the last price or by the trigger', () => {
    const bench = guarded({ priceBand: '10' }, { futures: true });
    expect(outcome(bench, { price: '66000' })).toBe('sent');
    expect(outcome(bench, { price: '66000.01' })).toBe('400 GUARD_PRICE_BAND');
    expect(outcome(bench, { price: '20000' })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '54000' })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '53999.99' })).toBe('400 GUARD_PRICE_BAND');
    expect(outcome(bench, { side: 'SELL', price: '200000' })).toBe('sent');
    const stop = { type: 'STOP_LIMIT', stopPrice: '70000' } as const;
    expect(outcome(bench, { ...stop, price: '77000' })).toBe('sent');
    expect(outcome(bench, { ...stop, price: '77000.01' })).toBe('400 GUARD_PRICE_BAND');
  });

  it('symbols: others are refused as entries', () => {
    const bench = guarded({ symbols: ['ETHUSDT'] });
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_SYMBOLS');
    expect(outcome(bench, { price: '61000', side: 'SELL' })).toBe('sent');
    expect(outcome(bench, { symbol: 'ETHUSDT', price: '2000' })).toBe('sent');
  });

  it('says what it would be, what is allowed and what to do', () => {
    const bench = guarded({ maxOrderValue: '1000', priceBand: '10' });
    expect(why(bench, { price: '50000.001', quantity: '0.02' })).toContain('tick size');
    expect(why(bench, { price: '50000.01', quantity: '0.02' })).toBe(
      'the order is worth 1000.01 USDT and maxOrderValue of paper-spot allows 1000 USDT; make it smaller, or change the guard on the Accounts screen',
    );
    expect(why(bench, { price: '70000', quantity: '0.002' })).toBe(
      'price 70000 is too far on the losing side of 60000 and priceBand of paper-spot allows 10 %: at most 66000; change the price, or change the guard on the Accounts screen',
    );
  });

  it('the ticket says the same', () => {
    const bench = guarded({ maxOrderValue: '1000', maxOrdersPerMinute: 1 });
    const request = {
      exchange: SPOT,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
    } as const;
    const problems = (quantity: string) =>
      orderPreview(bench.engine.memory, { ...request, quantity }, bench.wall, FREE, bench.mono).problems;
    expect(problems('0.02')).toEqual([]);
    expect(problems('1')).toEqual([{ field: 'quantity', message: why(bench, { price: '50000' }) }]);
    bench.place({ price: '50000', quantity: '0.02' });
    expect(problems('0.02')).toMatchObject([{ field: 'symbol' }]);
  });

  it('without a price entries are refused, closes are not', () => {
    const bench = guarded({ maxOrderValue: '1000', priceBand: '10' }, { price: null });
    expect(outcome(bench, { price: '60000', quantity: '0.002' })).toBe('400 GUARD_PRICE_BAND');
    set(bench, { priceBand: null });
    expect(outcome(bench, { price: '60000', quantity: '0.002' })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '60000', quantity: '10' })).toBe('sent');
  });
});

const FREE = { maker: '0', taker: '0' };

/** Guards so tight that every entry of these tests is refused. */
const TIGHT: Partial<Guards> = {
  maxOrderValue: '0.01',
  maxPositionValue: '0.01',
  maxOpenOrders: 1,
  maxOrdersPerMinute: 1,
  symbols: ['ETHUSDT'],
};

describe('a close', () => {
  it('spot: what the account holds, less what other sales take of it', () => {
    const bench = guarded(TIGHT);
    held(bench, '5');
    bench.resting({ side: 'SELL', price: '61000', quantity: '2' });
    held(bench, '5');
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '3.001' })).toBe('400 BALANCE');
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '3' })).toBe('sent');
  });

  it('one-way: against the position, not larger than that less what others close', () => {
    const bench = guarded({ ...TIGHT, symbols: null, maxOrderValue: null }, { futures: true });
    hold(bench, '5');
    bench.resting({ side: 'SELL', price: '61000', quantity: '2' });
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '3.001' })).toMatch(/GUARD/);
    expect(outcome(bench, { side: 'BUY', price: '50000', quantity: '1' })).toMatch(/GUARD/);
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '3' })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '0.002' })).toMatch(/GUARD/);
  });

  it('one-way: what its exchange keeps from opening may be as large as the position, beside others', () => {
    const bench = guarded({ maxOrderValue: '1' }, { futures: true });
    hold(bench, '5');
    bench.resting({ side: 'SELL', price: '61000', quantity: '5' });
    const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '50000', reduceOnly: true } as const;
    expect(outcome(bench, { ...stop, quantity: '5' })).toBe('sent');
    expect(outcome(bench, { ...stop, quantity: '5.001' })).toBe('400 GUARD_MAX_ORDER_VALUE');
    const whole = { side: 'SELL', type: 'MARKET', closePosition: true, quantity: undefined } as unknown;
    expect(outcome(bench, whole as Partial<CreateOrder>)).toBe('sent');
  });

  it('the end of a position passes while an execution has made it smaller than its exchange has told', () => {
    const bench = guarded({ maxOrderValue: '1' }, { futures: true });
    hold(bench, '5');
    const order = bench.resting({ side: 'SELL', price: '61000', quantity: '2', reduceOnly: true });
    bench.fill(bench.trade(order, '2', { price: '61000' }));
    const whole = { side: 'SELL', type: 'MARKET', closePosition: true, quantity: undefined } as unknown;
    expect(outcome(bench, whole as Partial<CreateOrder>)).toBe('sent');
  });

  it('hedge: on the side of its position', () => {
    const bench = guarded({ maxOrderValue: '1' }, { futures: true });
    bench.event({ type: 'venue.settings', exchange: bench.exchange, hedge: true });
    hold(bench, '5', 'LONG');
    const sell = { side: 'SELL', price: '61000' } as const;
    expect(outcome(bench, { ...sell, positionSide: 'LONG', quantity: '5' })).toBe('sent');
    expect(outcome(bench, { ...sell, positionSide: 'LONG', quantity: '5.001' })).toMatch(/GUARD/);
    expect(outcome(bench, { ...sell, positionSide: 'SHORT', quantity: '1' })).toMatch(/GUARD/);
    expect(outcome(bench, { side: 'BUY', price: '50000', positionSide: 'LONG', quantity: '1' })).toMatch(
      /GUARD/,
    );
  });

  it('of a person is refused for one reason: a limit far on the losing side', () => {
    const bench = guarded({ ...TIGHT, priceBand: '10' });
    held(bench, '5');
    expect(outcome(bench, { side: 'SELL', price: '54000' })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '53999.99' })).toBe('400 GUARD_PRICE_BAND');
    expect(why(bench, { side: 'SELL', price: '50000' })).toContain('at least 54000;');
    const stop = { side: 'SELL', type: 'STOP_LIMIT', stopPrice: '55000', price: '40000' } as const;
    expect(outcome(bench, stop)).toBe('sent');
  });

  it('of a run passes whatever is known of what it holds', () => {
    const bench = guarded({ maxOrderValue: '1', priceBand: '1' }, { futures: true });
    const request = { exchange: bench.exchange, symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT' } as const;
    const judged = (exits: boolean) =>
      validateGuarded(
        bench.engine.memory,
        { ...request, price: '50000', quantity: '1' },
        { market: bench.wall, mono: bench.mono },
        { own: () => 0n, unheard: () => 0n, exits },
      ).problems.map(({ reason }) => reason);
    expect([judged(false), judged(true)]).toEqual([['GUARD_MAX_ORDER_VALUE'], []]);
  });

  it('cancels pass', () => {
    const bench = new Bench();
    const order = bench.resting();
    set(bench, TIGHT);
    bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });
});

describe('an order that waits', () => {
  const STOP = { type: 'STOP_MARKET', stopPrice: '62000', quantity: '0.02' } as const;

  it('is judged again when it fires: an entry ends as ERROR with its code, and what it kept is free', () => {
    const bench = guarded({ maxOrderValue: '1240' });
    const { order } = bench.place(STOP);
    expect(order.phase).toBe('held');
    bench.tick('62000.01');
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'GUARD_MAX_ORDER_VALUE' });
    expect(order.text).toMatch(/^not sent: the order is worth 1240.01 USDT/);
    expect([bench.kinds('submit'), bench.locked('USDT')]).toEqual([[], 0n]);
    const other = bench.place(STOP).order;
    expect(other.status).toBe('ERROR');
  });

  it('goes out at the boundary, and counts as one of the minute then', () => {
    const bench = guarded({ maxOrderValue: '1240', maxOrdersPerMinute: 1, maxOpenOrders: 1 });
    const { order } = bench.place(STOP);
    bench.tick('62000');
    expect(bench.kinds('submit')).toHaveLength(1);
    bench.accepted(order, { status: 'CANCELLED' });
    expect(outcome(bench, { price: '50000', quantity: '0.02' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
  });

  it('is sent if it protects, whatever has become of the position', () => {
    const bench = new Bench();
    held(bench, '5');
    const { order } = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '5' });
    set(bench, TIGHT);
    held(bench, '1');
    bench.tick('54000');
    expect(bench.kinds('submit')).toMatchObject([{ order: { clientId: order.id } }]);
  });

  it('for its margin type is judged when that is made', () => {
    const bench = new Bench({ futures: true });
    const { order, token } = bench.place({ price: '50000', quantity: '1', marginType: 'ISOLATED' });
    expect(order.phase).toBe('waiting');
    set(bench, { maxOrderValue: '1000' });
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } as never });
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'GUARD_MAX_ORDER_VALUE' });
    expect(bench.reply(token)).toMatchObject({ status: 400, reason: 'GUARD_MAX_ORDER_VALUE' });
  });
});

describe('a split', () => {
  it('is refused for one of its parts before anything is cancelled', () => {
    const bench = guarded({ maxOrderValue: '1000', maxOpenOrders: 3, maxOrdersPerMinute: 3 });
    const order = bench.resting({ price: '50000', quantity: '0.02' });
    const split = (...prices: string[]) => bench.split(order.id, prices);
    expect(split('50000', '100001').reply()).toMatchObject({ status: 400, reason: 'GUARD_MAX_ORDER_VALUE' });
    expect(split('40000', '40001', '40002').reply()).toMatchObject({ reason: 'GUARD_MAX_ORDERS_PER_MINUTE' });
    set(bench, { maxOrdersPerMinute: null });
    expect(split('40000', '40001', '40002', '40003').reply()).toMatchObject({
      reason: 'GUARD_MAX_OPEN_ORDERS',
    });
    expect(bench.kinds('cancel')).toEqual([]);
    expect(order.cancel).toBeUndefined();
    split('40000', '40001', '40002');
    expect(bench.kinds('cancel')).toHaveLength(1);
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toHaveLength(3);
  });

  it('of a close passes, but for the band', () => {
    const bench = new Bench();
    held(bench, '5');
    const order = bench.resting({ side: 'SELL', price: '61000', quantity: '5' });
    held(bench, '5');
    set(bench, { ...TIGHT, priceBand: '10' });
    expect(bench.split(order.id, ['61000', '53000']).reply()).toMatchObject({ reason: 'GUARD_PRICE_BAND' });
    bench.split(order.id, ['61000', '62000']);
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toHaveLength(2);
  });

  it('of a sale goes on though less is known to be held by then: on spot a sale opens nothing', () => {
    const bench = new Bench();
    held(bench, '5');
    const order = bench.resting({ side: 'SELL', price: '61000', quantity: '5' });
    held(bench, '5');
    set(bench, TIGHT);
    bench.split(order.id, ['61000', '62000']);
    held(bench, '1');
    bench.cancelDone(order);
    expect(bench.kinds('submit')).toHaveLength(2);
  });

  it('a part that others have left no room for meanwhile is ERROR, and not sent', () => {
    const bench = guarded({ maxOpenOrders: 3 });
    const order = bench.resting({ price: '50000', quantity: '0.02' });
    bench.split(order.id, ['40000', '40001', '40002']);
    bench.place({ price: '40000', quantity: '0.02' });
    bench.cancelDone(order);
    const parts = [...bench.engine.memory.orders.values()].filter(({ splitFrom }) => splitFrom === order.id);
    expect(parts.map(({ phase, rejectCode }: OrderRecord) => rejectCode ?? phase)).toEqual([
      'sending',
      'sending',
      'GUARD_MAX_OPEN_ORDERS',
    ]);
  });
});

describe('setting them', () => {
  it('is an operator’s alone, and is in the log', () => {
    const bench = new Bench();
    const asked = (actor: typeof OPERATOR) =>
      bench.ask({ type: 'guards', exchange: SPOT, change: { maxOpenOrders: 5 } }, { actor }).reply().status;
    for (const tier of ['read', 'trade', 'full'] as const)
      expect(asked({ ...KEY_ACTOR, tier } as never)).toBe(403);
    expect(asked({ kind: 'bot', user: 'owner', botId: 'b1', runId: 'r1' })).toBe(403);
    expect(bench.engine.memory.account(SPOT).guards).toBeNull();
    expect(asked(OPERATOR)).toBe(200);
    expect(bench.kinds('log')).toMatchObject([
      { text: 'paper-spot: guards: maxOpenOrders off to 5, asked by operator' },
    ]);
  });

  it('keeps what is not named, and null switches off', () => {
    const bench = guarded({ maxOpenOrders: 5, priceBand: '10' });
    expect(set(bench, { maxOpenOrders: null }).answer.outcome).toMatchObject({
      data: { maxOpenOrders: null, priceBand: '10' },
    });
    set(bench, { priceBand: null });
    expect(bench.engine.memory.account(SPOT).guards).toBeNull();
    expect([...bench.store.meta]).toEqual([]);
  });

  it.each([
    [{ maxOrderValue: '0' }, 'maxOrderValue: a number above 0'],
    [{ maxPositionValue: '1e3' }, 'maxPositionValue: a number above 0'],
    [{ maxOpenOrders: 0 }, 'maxOpenOrders: a whole number from 1'],
    [{ maxOrdersPerMinute: 1.5 }, 'maxOrdersPerMinute: a whole number from 1'],
    [{ priceBand: '1000' }, 'priceBand: percent above 0 and below 1000'],
    [{ symbols: [] }, 'symbols: 1 to 500 symbols'],
    [{ symbols: ['NOUSDT'] }, 'symbols: NOUSDT is not traded on this account'],
    [{ symbols: ['BTCUSDT', 'BTCUSDT'] }, 'symbols: BTCUSDT is named twice'],
    [{ other: '1' }, 'other: there is no such guard'],
  ])('refuses %j in words', (change, words) => {
    const bench = new Bench();
    const reply = set(bench, change as Partial<Guards>);
    expect([reply.status, reply.message]).toEqual([400, expect.stringContaining(words)]);
    expect([...bench.store.meta]).toEqual([]);
  });

  it('survives a restart, and so does the minute', () => {
    const bench = guarded({ maxOrdersPerMinute: 2, maxOrderValue: '2000' });
    bench.resting({ price: '50000', quantity: '0.02' });
    bench.pass(10_000);
    bench.restart();
    expect(outcome(bench, { price: '50000', quantity: '1' })).toBe('400 GUARD_MAX_ORDER_VALUE');
    expect(outcome(bench, { price: '50000', quantity: '0.02' })).toBe('sent');
    expect(outcome(bench, { price: '50000', quantity: '0.02' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
    bench.pass(50_000);
    expect(outcome(bench, { price: '50000', quantity: '0.02' })).toBe('sent');
  });

  it('shows where the account stands', () => {
    const bench = guarded(
      { maxOpenOrders: 5 },
      { balances: [{ asset: 'USDT', free: '900000', locked: '0' }] },
    );
    held(bench, '0.1');
    bench.resting({ price: '50000', quantity: ONE_SIXTH });
    const { memory } = bench.engine;
    expect(guardMeters(memory, memory.account(SPOT), bench.mono)).toEqual({
      position: { symbol: 'BTCUSDT', value: '14300' },
      loss: null,
      openOrders: 1,
      entries: 1,
    });
    bench.pass(60_000);
    expect(guardMeters(memory, memory.account(SPOT), bench.mono)?.entries).toBe(0);
  });
});

it('are changed by an operator alone, whoever brings the command', () => {
  const bench = guarded({ maxOpenOrders: 3 });
  for (const actor of [KEY_ACTOR, { kind: 'bot', user: 'owner', botId: 'b', runId: 'r' } as const]) {
    const asked = bench.ask({ type: 'guards', exchange: SPOT, change: { maxOpenOrders: null } }, { actor });
    expect(asked.reply()).toMatchObject({ status: 403, message: 'guards are changed at a console only' });
  }
  expect(bench.engine.memory.account(SPOT).guards?.set.maxOpenOrders).toBe(3);
});

describe('the minute of entries, where the guard is set only now', () => {
  const one = { maxOrdersPerMinute: 1 } as const;

  it('has those that were sent before it', () => {
    const bench = new Bench();
    bench.resting({ quantity: '0.1' });
    bench.pass(59_999);
    set(bench, one);
    expect(outcome(bench, { price: '50000' })).toBe('400 GUARD_MAX_ORDERS_PER_MINUTE');
    bench.pass(1);
    expect(outcome(bench, { price: '50000' })).toBe('sent');
  });

  it('has one that was held here since it went out, and none that a guard has kept back', () => {
    const bench = new Bench();
    const stop = { type: 'STOP_MARKET', stopPrice: '62000', quantity: ONE_SIXTH } as const;
    const { order } = bench.place(stop);
    bench.place({ ...stop, stopPrice: '61000', quantity: '0.16' });
    bench.pass(600_000);
    set(bench, { maxOrderValue: '10000' });
    bench.tick('62000');
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'GUARD_MAX_ORDER_VALUE' });
    for (const maxOrdersPerMinute of [1, 2]) {
      set(bench, { maxOrderValue: null });
      set(bench, { maxOrdersPerMinute });
      const answer = outcome(bench, { price: '50000', quantity: '0.1' });
      expect(answer).toBe(maxOrdersPerMinute === 1 ? '400 GUARD_MAX_ORDERS_PER_MINUTE' : 'sent');
      set(bench, { maxOrdersPerMinute: null });
    }
  });
});
