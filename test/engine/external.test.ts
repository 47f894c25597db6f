/**
 * Orders of an account that were not made here, and the exchange's own order ids besides the ids that we
 * give.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState, ExchangeOrderTerms } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { availability } from '../../src/engine/balances.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { PARK_MS, PARKED_MAX } from '../../src/engine/parked-fills.ts';
import { protection } from '../../src/engine/positions.ts';
import type { Effect } from '../../src/engine/step.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, FUTURES_ACCOUNT, FUTURES_BTC, SPOT } from './support/market.ts';

const of = <K extends Effect['kind']>(effects: Effect[], kind: K) =>
  effects.filter((e): e is Extract<Effect, { kind: K }> => e.kind === kind);

const terms = (more: Partial<ExchangeOrderTerms> = {}): ExchangeOrderTerms => ({
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  positionSide: 'BOTH',
  workingType: 'MARK_PRICE',
  ...more,
});
let seq = 1;
const state = (more: Partial<ExchangeOrderState> = {}): ExchangeOrderState => ({
  clientId: 'web_1',
  symbol: 'BTCUSDT',
  status: 'WORKING',
  origQty: '1',
  cumQty: '0',
  seq: ++seq,
  time: 1,
  terms: terms(),
  ...more,
});
let trades = 0;
const fill = (more: Partial<ExchangeFill> = {}): ExchangeFill => ({
  tradeId: `x${++trades}`,
  clientId: 'web_1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '50000',
  qty: '0.1',
  comm: '0',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  time: 1,
  ...more,
});
const ordersOf = (b: Bench) => [...b.engine.memory.orders.values()];
const listed = (b: Bench, ...open: ExchangeOrderState[]) =>
  b.event({ type: 'reconciled', exchange: b.exchange, open });

describe('a resting order of others', () => {
  it.each([
    ['the line of events', (b: Bench, s: ExchangeOrderState) => b.stream(s)],
    ['a list of open orders', (b: Bench, s: ExchangeOrderState) => listed(b, s)],
  ])('is known from %s on, in full, after a restart as well', (_, tell) => {
    const b = new Bench();
    const effects = tell(b, state());
    const events = of(effects, 'order-event').map(({ event, order }) => `${event} ${order.status}`);
    expect(events).toEqual(['ORDER_CREATE NEW', 'ORDER_UPDATE OPENED']);
    const expected = {
      id: 'web_1',
      external: true,
      type: 'LIMIT',
      side: 'BUY',
      price: '50000',
      origQty: '1',
      status: 'OPENED',
      reduceOnly: false,
    };
    expect(ordersOf(b)).toMatchObject([expected]);
    expect(b.engine.memory.openOn(SPOT, 'BTCUSDT')).toBe(1);
    b.restart();
    expect(ordersOf(b)).toMatchObject([expected]);
    b.stream(state({ status: 'CANCELLED' }));
    expect(b.order('web_1').status).toBe('CANCELLED');
  });

  it('is not closed by its first execution, and gives back what is locked for it as it executes', () => {
    const b = new Bench();
    b.stream(state());
    const changed = [{ asset: 'USDT', free: '50000', locked: '50000', time: b.wall }];
    b.event({ type: 'venue.balances', exchange: SPOT, changed });
    b.fill(fill({ qty: '0.4', price: '49000', time: b.wall + 1 }));
    const order = b.order('web_1');
    expect(order).toMatchObject({ status: 'OPENED', executedQty: '0.4', origQty: '1' });
    // 400 are given back: it was filled at a better price.
    expect(availability(b.engine.memory.account(SPOT), 'USDT').available).toBe(dec('50000') + dec('400'));
    b.fill(fill({ qty: '0.6', time: b.wall + 1 }));
    expect(order.status).toBe('CLOSED');
  });

  it('that has ended before it was heard of is none, unless it has executed something', () => {
    const b = new Bench();
    b.stream(state({ status: 'CANCELLED' }));
    expect(ordersOf(b)).toEqual([]);
    b.stream(state({ clientId: 'web_2', status: 'CANCELLED', cumQty: '0.2' }));
    expect(ordersOf(b)).toMatchObject([{ id: 'web_2', status: 'OPENED' }]);
    b.fill(fill({ clientId: 'web_2', qty: '0.2' }));
    expect(ordersOf(b)).toMatchObject([{ status: 'CANCELLED', executedQty: '0.2' }]);
  });

  it('that is not told what it is stays a line of the log', () => {
    const b = new Bench();
    const { terms: _, ...bare } = state();
    expect(of(listed(b, bare), 'log')).toHaveLength(1);
    expect(ordersOf(b)).toEqual([]);
  });

  it('can be cancelled, by the ids that its exchange has given it', () => {
    const b = new Bench();
    b.stream(state({ clientId: 'has spaces', venueIds: ['77'] }));
    const order = ordersOf(b)[0] as OrderRecord;
    expect(order.id).toMatch(/^ext-[a-z0-9]+-[a-z0-9]+$/);
    b.restart();
    b.cancel(order.id);
    expect(b.kinds('cancel')).toMatchObject([
      { clientId: 'has spaces', venueIds: ['77'], symbol: 'BTCUSDT' },
    ]);
  });

  it.each(['BOTH', 'LONG'] as const)('protects a position of the side %s as one of ours does', (side) => {
    const b = new Bench({ futures: true });
    const position: ExchangePosition = {
      symbol: 'BTCUSDT',
      side,
      amount: '0.5',
      entryPrice: '60000',
      breakEvenPrice: '60000',
      markPrice: '60000',
      unrealizedProfit: '0',
      marginType: 'CROSSED',
      leverage: 20,
      isolatedWallet: '0',
      liquidationPrice: null,
      maintenanceMarginRate: '0.004',
      maintenanceMargin: '120',
      realizedPnl: '0',
      updateTime: 1,
    };
    b.event({ type: 'venue.positions', exchange: FUTURES, changed: [position] });
    const { price: _, ...stop } = terms({
      side: 'SELL',
      type: 'STOP_MARKET',
      stopPrice: '55000',
      reduceOnly: side === 'BOTH',
      positionSide: side,
    });
    listed(b, state({ clientId: 'ios_stop', status: 'PENDING', origQty: '0.3', terms: stop }));
    expect(protection(b.engine.memory, b.engine.memory.account(FUTURES), position).cover).toBe('0.3');
  });
});

describe('an order of others that is known by an execution alone', () => {
  it('is asked for, and becomes what its exchange tells', () => {
    const b = new Bench({ futures: true });
    const effects = b.fill(fill({ qty: '0.1' }));
    const order = b.order('web_1');
    expect(of(effects, 'query')).toHaveLength(1);
    expect(order).toMatchObject({ status: 'OPENED', reduceOnly: false, executedQty: '0.1' });
    b.queried(order, { kind: 'found', state: state({ cumQty: '0.1' }), fills: [] });
    expect(order).toMatchObject({ type: 'LIMIT', price: '50000', origQty: '1', status: 'OPENED' });
    b.fill(fill({ qty: '0.9' }));
    expect(order.status).toBe('CLOSED');
  });

  it('has locked what the last report of the balances says, over a restart too, until its own figures change', () => {
    const b = new Bench();
    b.fill(fill({ side: 'SELL' }));
    b.restart();
    const locked = () => str(balanceNow(b.engine.memory.account(SPOT), 'BTC').locked);
    const of = { cumQty: '0.1', terms: terms({ side: 'SELL' }) };
    b.queried(b.order('web_1'), { kind: 'found', state: state(of), fills: [] });
    b.stream(state({ ...of, terms: terms({ side: 'SELL', price: '51000' }) }));
    expect(b.order('web_1')).toMatchObject({ origQty: '1', price: '51000', executedQty: '0.1' });
    expect(locked()).toBe('0');
    b.stream(state({ ...of, status: 'CANCELLED' }));
    expect([locked(), str(balanceNow(b.engine.memory.account(SPOT), 'BTC').free)]).toEqual(['0', '1000']);
  });

  it('is closed when its exchange has forgotten it', () => {
    const b = new Bench();
    b.fill(fill({ qty: '0.1' }));
    const order = b.order('web_1');
    for (let n = 0; n < 3; n++) {
      b.queried(order, { kind: 'absent' });
      b.pass(30_000);
    }
    expect(order).toMatchObject({ status: 'CLOSED', executedQty: '0.1' });
  });

  it('is closed at once where its exchange has liquidated', () => {
    const b = new Bench({ futures: true });
    expect(of(b.fill(fill({ clientId: 'autoclose-1', liquidation: true })), 'query')).toEqual([]);
    expect(b.order('autoclose-1')).toMatchObject({ status: 'CLOSED', reduceOnly: true });
  });

  it('from before the account was first connected is its past', () => {
    const b = new Bench();
    b.event({ type: 'account', exchange: SPOT, away: null, since: 1_000 });
    b.fill(fill({ time: 999 }));
    expect(ordersOf(b)).toEqual([]);
    b.fill(fill({ time: 1_000 }));
    expect(ordersOf(b)).toHaveLength(1);
    // Our own orders are recognised at any time.
    const ours = b.resting();
    b.fill(b.trade(ours, '0.1', { time: 5 }));
    expect(ours.executedQty).toBe('0.1');
  });
});

describe('one name of several orders', () => {
  it('is told apart by the symbol', () => {
    const b = new Bench({
      futures: true,
      instruments: [FUTURES_BTC, { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' }],
    });
    for (const symbol of ['BTCUSDT', 'ETHUSDT', 'BTCUSDT', 'ETHUSDT'])
      b.fill(fill({ clientId: 'adl_autoclose', symbol, liquidation: true }));
    expect(ordersOf(b).map(({ symbol, executedQty }) => [symbol, executedQty])).toEqual([
      ['BTCUSDT', '0.2'],
      ['ETHUSDT', '0.2'],
    ]);
  });

  it('is told apart by what its exchange calls each, after a restart as well', () => {
    const b = new Bench();
    const name = 'copy-trade';
    b.stream(state({ clientId: name, venueIds: ['1'] }));
    b.stream(state({ clientId: name, venueIds: ['2'] }));
    b.stream(state({ clientId: '', venueIds: ['3'] }));
    for (const restart of [false, true]) {
      if (restart) b.restart();
      b.fill(fill({ clientId: name, venueId: '1', qty: '0.1' }));
      b.fill(fill({ clientId: name, venueId: '2', qty: '0.2' }));
      b.fill(fill({ clientId: '', venueId: '3', qty: '0.3' }));
    }
    expect(ordersOf(b).map(({ executedQty }) => executedQty)).toEqual(['0.2', '0.4', '0.6']);
    // The same exchange id on another symbol is another order.
    b.fill(fill({ clientId: 'else', venueId: '1', symbol: 'ETHUSDT' }));
    expect(ordersOf(b)).toHaveLength(4);
  });
});

describe('an execution that is told by the number of its order alone', () => {
  const nameless = (more: Partial<ExchangeFill> = {}) =>
    fill({ clientId: '', venueId: '77', qty: '0.2', ...more });

  it('waits for the answer to an order of ours that is on its way, and is of that one', () => {
    const b = new Bench();
    const { order } = b.place({ type: 'LIMIT', price: '40000', quantity: '0.2' });
    const early = nameless();
    expect(of(b.fill(early), 'query')).toEqual([]);
    expect(ordersOf(b)).toHaveLength(1);
    b.accepted(order, { venueIds: ['77'] });
    expect(b.order(order.id).executedQty).toBe('0.2');
    b.fill(early);
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b)).toHaveLength(1);
    expect(b.order(order.id).executedQty).toBe('0.2');
  });

  it("is somebody else's once the orders on their way are known by other numbers", () => {
    const b = new Bench();
    const { order } = b.place({ type: 'LIMIT', price: '40000', quantity: '0.2' });
    b.fill(nameless());
    b.accepted(order, { venueIds: ['78'] });
    expect(b.order(order.id).executedQty).toBe('0');
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b).map(({ external, executedQty }) => [external ?? false, executedQty])).toEqual([
      [false, '0'],
      [true, '0.2'],
    ]);
  });

  it.each([
    ['of another side', { side: 'SELL' }],
    ['with an id that nobody here has given', { clientId: 'web_9' }],
  ] as const)("is somebody else's at once where nothing on its way can be it: %s", (_, more) => {
    const b = new Bench();
    b.place({ type: 'LIMIT', price: '40000', quantity: '0.2' });
    b.fill(nameless(more));
    expect(ordersOf(b)).toHaveLength(2);
  });
});

describe('a stop of ours whose trigger makes another order', () => {
  const stop = (triggersMakeOrders = true, settleMs = 0) => {
    const b = new Bench({ futures: true, caps: { triggersMakeOrders, settleMs } });
    const { order } = b.place({
      side: 'SELL',
      type: 'STOP_MARKET',
      stopPrice: '55000',
      quantity: '0.5',
      reduceOnly: false,
    });
    b.accepted(order, { status: 'PENDING', venueIds: ['algo-1'] });
    return { b, order };
  };
  const child = { clientId: 'x-8389765', venueId: '99', side: 'SELL' } as const;

  it('stays one order, whichever of both ids is told of', () => {
    const { b, order } = stop();
    b.stream(b.state(order, { venueIds: ['algo-1', '99'] }));
    b.fill(fill({ ...child, qty: '0.2' }));
    b.fill(fill({ clientId: '', venueId: '99', side: 'SELL', qty: '0.1' }));
    b.restart();
    b.fill(fill({ ...child, qty: '0.2' }));
    expect(b.order(order.id)).toMatchObject({ executedQty: '0.5', status: 'CLOSED' });
    expect(ordersOf(b)).toHaveLength(1);
  });

  it('takes its executions also when they are told before the trigger is', () => {
    const { b, order } = stop();
    const early = [fill({ ...child, qty: '0.2' }), fill({ ...child, qty: '0.3' })];
    const effects = early.flatMap((one) => b.fill(one));
    // Requested once.
    expect(of(effects, 'query').map(({ orderId }) => orderId)).toEqual([order.id]);
    expect(ordersOf(b)).toHaveLength(1);
    b.fill(early[0] as ExchangeFill);
    b.queried(order, {
      kind: 'found',
      state: b.state(order, { status: 'FILLED', cumQty: '0.5', venueIds: ['algo-1', '99'] }),
      fills: [],
    });
    expect(b.order(order.id)).toMatchObject({ executedQty: '0.5', status: 'CLOSED' });
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b)).toHaveLength(1);
  });

  it('leaves them to somebody else when it is told for long enough to be none of its own', () => {
    const { b, order } = stop();
    b.fill(fill({ ...child, qty: '0.2' }));
    b.queried(order, { kind: 'found', state: b.state(order, { status: 'PENDING' }), fills: [] });
    b.pass(PARK_MS - 1);
    b.wake();
    expect(ordersOf(b)).toHaveLength(1);
    b.passToWake();
    b.wake();
    expect(ordersOf(b).map(({ id, executedQty }) => [id, executedQty])).toEqual([
      [order.id, '0'],
      ['x-8389765', '0.2'],
    ]);
  });

  const PENDING = (b: Bench, order: OrderRecord) =>
    ({ kind: 'found', state: b.state(order, { status: 'PENDING' }), fills: [] }) as const;

  it('keeps them from somebody else as long as nobody has said whether they are its own: it is asked again', () => {
    const { b, order } = stop();
    const own = fill({ ...child, clientId: '', qty: '0.5' });
    b.fill(own);
    b.queried(order, { kind: 'unknown', cause: 'no answer' });
    b.pass(PARK_MS);
    expect(of(b.wake(), 'query').map(({ orderId }) => orderId)).toEqual([order.id]);
    expect(ordersOf(b)).toHaveLength(1);
    const state = b.state(order, { status: 'FILLED', cumQty: '0.5', venueIds: ['algo-1', '99'] });
    b.queried(order, { kind: 'found', state, fills: [own] });
    expect(ordersOf(b).map(({ executedQty, status }) => [executedQty, status])).toEqual([['0.5', 'CLOSED']]);
  });

  it('keeps them where the answer is of a replica that may not know of its trigger', () => {
    const { b, order } = stop(true, 4_000);
    b.fill(fill({ ...child, qty: '0.2' }));
    b.queried(order, PENDING(b, order));
    b.pass(PARK_MS);
    expect(of(b.wake(), 'query').map(({ orderId }) => orderId)).toEqual([order.id]);
    b.queried(order, PENDING(b, order));
    expect(ordersOf(b)).toHaveLength(1);
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b)).toHaveLength(2);
  });

  it('leaves them to somebody else where its exchange does not know it any more, also while they keep its executions unread', () => {
    const { b, order } = stop();
    b.fill(fill({ ...child, qty: '0.2' }));
    b.queried(order, { kind: 'unknown', cause: 'its executions could not be read', absent: true });
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b)).toHaveLength(2);
  });

  it('leaves them to somebody else after minutes without an answer', () => {
    const { b } = stop();
    b.fill(fill({ ...child, qty: '0.2' }));
    for (let n = 0; n < 29; n++) {
      b.pass(PARK_MS);
      b.wake();
    }
    expect(ordersOf(b)).toHaveLength(1);
    b.pass(PARK_MS);
    b.wake();
    expect(ordersOf(b)).toHaveLength(2);
  });

  it("takes them back where they were somebody else's by then: they count once, for ours, also after a restart", () => {
    for (const restarts of [false, true]) {
      const { b, order } = stop();
      const before = b.engine.memory.account(FUTURES).wallet.untold.position('BTCUSDT BOTH').now();
      // Reported as an order of its own, so that nobody waits.
      b.stream(
        state({ clientId: 'x-8389765', venueIds: ['99'], terms: terms({ side: 'SELL', type: 'MARKET' }) }),
      );
      const own = fill({ ...child, qty: '0.2', tradeId: 'one' });
      b.fill(own);
      const moved = () => b.engine.memory.account(FUTURES).wallet.untold.position('BTCUSDT BOTH').now();
      const after = moved();
      expect(after).not.toEqual(before);
      if (restarts) b.restart();
      const ours = b.order(order.id);
      b.stream(b.state(ours, { status: 'WORKING', cumQty: '0.2', venueIds: ['algo-1', '99'] }));
      b.fill(own);
      b.fill(fill({ ...child, qty: '0.3', tradeId: 'two' }));
      if (!restarts) expect(moved()).toEqual(after.map((size) => size - dec('0.3')));
      for (const again of [false, true]) {
        if (again) b.restart();
        expect(b.order(order.id)).toMatchObject({ executedQty: '0.5', status: 'CLOSED' });
        expect(b.order('x-8389765')).toMatchObject({ executedQty: '0', status: 'CANCELLED' });
      }
      expect([...b.store.fills.values()].map(({ tradeId, orderId }) => [tradeId, orderId])).toEqual([
        ['one', order.id],
        ['two', order.id],
      ]);
    }
  });

  it('is waited for only where it can be: not on another side, not without such triggers, not without bound', () => {
    const { b } = stop();
    b.fill(fill({ ...child, side: 'BUY', clientId: 'a', venueId: 'a' }));
    expect(ordersOf(b)).toHaveLength(2);
    for (let n = 0; n < PARKED_MAX; n++) b.fill(fill({ ...child, clientId: 'b', venueId: 'b' }));
    expect(ordersOf(b)).toHaveLength(2);
    b.fill(fill({ ...child, clientId: 'c', venueId: 'c' }));
    expect(ordersOf(b)).toHaveLength(3);
    const without = stop(false);
    without.b.fill(fill(child));
    expect(ordersOf(without.b)).toHaveLength(2);
  });
});

describe('executions that wait for their order', () => {
  const OTHER = 'other-futures';
  const child = { clientId: 'x-1', venueId: '99', side: 'SELL' } as const;
  /** Two accounts, each with a stop that waits for its trigger. */
  function two() {
    const more = [{ ...FUTURES_ACCOUNT, id: OTHER }];
    const b = new Bench({ futures: true, caps: { triggersMakeOrders: true }, more });
    const rich = [{ asset: 'USDT', free: '100000', locked: '0' }];
    b.event({ type: 'venue.balances', exchange: OTHER, changed: rich, all: true });
    b.event({ type: 'venue.settings', exchange: OTHER, hedge: false, leverage: [] });
    b.event({ type: 'venue.positions', exchange: OTHER, changed: [], all: true });
    const stop = (exchange: string, symbol: string, price: string) => {
      const request = { side: 'SELL', type: 'STOP_MARKET', stopPrice: price, quantity: '0.5' } as const;
      const { order } = b.place({ exchange, symbol, ...request });
      const state = { ...b.state(order, { status: 'PENDING' }), venueIds: [`algo-${order.id}`] };
      b.submitted(order, { kind: 'accepted', state });
      return order;
    };
    return { b, here: stop(FUTURES, 'BTCUSDT', '55000'), there: stop(OTHER, 'BTCUSDT', '55000') };
  }
  const told = (b: Bench, exchange: string, one: ExchangeFill) =>
    of(b.event({ type: 'venue.fill', exchange, fill: one }), 'query').map(({ orderId }) => orderId);

  it('ask about the orders of their own account, once for each order of the exchange', () => {
    const { b, here, there } = two();
    const one = fill({ ...child, qty: '0.1' });
    expect(told(b, FUTURES, one)).toEqual([here.id]);
    // The same execution reported again is the same; one with the same id elsewhere is another.
    expect(told(b, FUTURES, one)).toEqual([]);
    expect(told(b, OTHER, one)).toEqual([there.id]);
    expect(told(b, FUTURES, fill({ ...child, qty: '0.1' }))).toEqual([]);
    expect(told(b, FUTURES, fill({ ...child, venueId: '100', qty: '0.1' }))).toEqual([here.id]);
    expect(b.engine.memory.parked.map(({ exchange, fill: { qty } }) => [exchange, qty])).toEqual([
      [FUTURES, '0.1'],
      [OTHER, '0.1'],
      [FUTURES, '0.1'],
      [FUTURES, '0.1'],
    ]);
  });

  it('go to the order that turns out to be theirs, and no others, and wait no longer', () => {
    const { b, here, there } = two();
    told(b, FUTURES, fill({ ...child, qty: '0.1' }));
    told(b, FUTURES, fill({ ...child, venueId: '100', qty: '0.2' }));
    told(b, OTHER, fill({ ...child, qty: '0.3' }));
    b.stream({ ...b.state(here), venueIds: ['99'] });
    expect([here, there].map(({ executedQty }) => executedQty)).toEqual(['0.1', '0']);
    expect(b.engine.memory.parked).toHaveLength(2);
    // From now on it is known which order the name belongs to.
    b.fill(fill({ ...child, qty: '0.05' }));
    expect(here.executedQty).toBe('0.15');
    expect(b.engine.memory.parked).toHaveLength(2);
  });

  it('are told apart by the symbol, whose trades an exchange may count from one', () => {
    const ETH = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };
    const instruments = [FUTURES_BTC, ETH];
    const b = new Bench({ futures: true, caps: { triggersMakeOrders: true }, instruments });
    b.tick('3000', 'ETHUSDT');
    for (const [symbol, stopPrice] of [
      ['BTCUSDT', '55000'],
      ['ETHUSDT', '2900'],
    ] as const) {
      const { order } = b.place({ symbol, side: 'SELL', type: 'STOP_MARKET', stopPrice, quantity: '0.5' });
      const state = { ...b.state(order, { status: 'PENDING' }), venueIds: [`algo-${order.id}`] };
      b.submitted(order, { kind: 'accepted', state });
    }
    for (const symbol of ['BTCUSDT', 'ETHUSDT'])
      b.fill(fill({ ...child, symbol, tradeId: '1', venueId: symbol }));
    for (const order of ordersOf(b)) b.stream({ ...b.state(order), venueIds: [order.symbol] });
    expect(ordersOf(b).map(({ symbol, executedQty }) => [symbol, executedQty])).toEqual([
      ['BTCUSDT', '0.1'],
      ['ETHUSDT', '0.1'],
    ]);
  });

  it('find the order of their name in memory when they have waited: one that ended an hour ago does not leave it meanwhile', () => {
    const b = new Bench({ futures: true, caps: { triggersMakeOrders: true } });
    b.stream(state({ clientId: 'adl', venueIds: ['1'], cumQty: '1', status: 'FILLED' }));
    b.fill(fill({ clientId: 'adl', venueId: '1', qty: '1', tradeId: 'old' }));
    expect(b.order('adl').status).toBe('CLOSED');
    const { order } = b.place({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '0.5' });
    b.accepted(order, { status: 'PENDING', venueIds: ['algo-1'] });
    b.pass(3_600_000 - 2_000);
    b.fill(fill({ clientId: 'adl', venueId: '2', side: 'SELL', tradeId: 'new' }));
    b.queried(order, { kind: 'found', state: b.state(order, { status: 'PENDING' }), fills: [] });
    for (let s = 0; s < 12; s += 4) {
      b.pass(4_000);
      b.wake();
    }
    expect(ordersOf(b).map(({ id }) => id)).toHaveLength(3);
    expect(b.order('adl').executedQty).toBe('1');
    b.pass(120_000);
    b.wake();
    expect(b.engine.memory.orders.has('adl')).toBe(false);
  });

  it('wait their time each, and the engine asks to be woken for the first', () => {
    const { b, here } = two();
    b.wake();
    b.fill(fill({ ...child, clientId: 'a', venueId: 'a' }));
    b.pass(4_000);
    b.fill(fill({ ...child, clientId: 'b', venueId: 'b' }));
    b.queried(here, { kind: 'found', state: b.state(here, { status: 'PENDING' }), fills: [] });
    expect(b.engine.nextWake()).toBe(b.mono + PARK_MS - 4_000);
    b.passToWake();
    b.wake();
    expect(
      ordersOf(b)
        .map(({ id }) => id)
        .slice(2),
    ).toEqual(['a']);
    expect(b.engine.nextWake()).toBe(b.mono + 4_000);
    b.passToWake();
    b.wake();
    expect(
      ordersOf(b)
        .map(({ id }) => id)
        .slice(2),
    ).toEqual(['a', 'b']);
    expect(b.engine.memory.parked).toEqual([]);
  });
});
