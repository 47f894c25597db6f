/**
 * Changing a resting order in place: the request to its exchange, what counts while the outcome is unknown,
 * what prevents a change.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { AmendOutcome, ExchangeOrderState, ExchangeOrderTerms } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { Effect } from '../../src/engine/step.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { OPERATOR, STRANGER } from './support/market.ts';

const CAN = { caps: { amends: PAPER_AMENDS } };

interface Change {
  readonly price?: string;
  readonly quantity?: string;
  readonly stopPrice?: string;
  readonly goodTillDate?: number;
}

class AmendBench extends Bench {
  constructor(options: BenchOptions = {}) {
    super({ ...options, caps: { ...CAN.caps, ...options.caps } });
  }

  amend(order: Pick<OrderRecord, 'id'>, change: Change, actor = OPERATOR) {
    return this.ask({ type: 'amend', exchange: this.exchange, id: order.id, ...change }, { actor });
  }

  amended(order: OrderRecord, outcome: AmendOutcome, n = order.changes ?? 0): Effect[] {
    return this.event({ type: 'amended', exchange: order.exchange, orderId: order.id, n, outcome });
  }

  /** The order as its exchange has it. */
  has(order: OrderRecord, price: string, origQty: string, more: Partial<ExchangeOrderState> = {}) {
    return this.state(order, { origQty, terms: termsOf(order, price), ...more });
  }

  updates(): number {
    return this.kinds('order-event').length;
  }
}

function termsOf(order: OrderRecord, price: string): ExchangeOrderTerms {
  const { side, type, positionSide, workingType } = order;
  return {
    side,
    type,
    price,
    positionSide,
    workingType,
    timeInForce: 'GTC',
    reduceOnly: false,
    closePosition: false,
  };
}

const terms = ({ price, origQty, change }: OrderRecord) => [price, origQty, change?.state];

describe('a change of an order that rests', () => {
  it('to no more than it has executed at its exchange is a conflict, though its executions are not here yet', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { quantity: '0.2' });
    bench.amended(order, {
      kind: 'done',
      state: bench.state(order, { origQty: '1', cumQty: '0.4', status: 'CANCELLED' }),
    });
    expect(reply()).toMatchObject({ status: 409 });
  });

  it('is stored before it leaves, counts at its larger until it is known, and is told once', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { token, reply } = bench.amend(order, { price: '51000', quantity: '2' });
    expect(bench.last.rows).toContainEqual({
      kind: 'order',
      order: expect.objectContaining({ id: order.id }),
    });
    expect(bench.store.orders.get(order.id)?.change).toMatchObject({
      n: 1,
      to: { price: '51000', quantity: '2' },
    });
    expect(bench.kinds('amend')).toMatchObject([
      { orderId: order.id, clientId: order.id, n: 1, to: { price: '51000', quantity: '2' } },
    ]);
    expect(bench.isAnswered(token)).toBe(false);
    // 2 x 51,000 less what the exchange has locked.
    expect(str(bench.locked('USDT'))).toBe('52000');
    bench.amended(order, { kind: 'done', state: bench.has(order, '51000', '2') });
    expect(terms(order)).toEqual(['51000', '2', undefined]);
    expect(reply().order).toMatchObject({ id: order.id, price: '51000', origQty: '2', status: 'OPENED' });
    expect([bench.updates(), str(bench.locked('USDT'))]).toEqual([1, '0']);
    // The event stream reports the same.
    bench.stream(bench.has(order, '51000', '2', { seq: order.seq }));
    expect(bench.updates()).toBe(0);
  });

  it('is told once where the line of events is faster, and whoever asked is answered then', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '49000' });
    const state = bench.has(order, '49000', '1');
    bench.stream(state);
    expect([terms(order), bench.updates()]).toEqual([['49000', '1', undefined], 1]);
    expect(reply().order.price).toBe('49000');
    bench.amended(order, { kind: 'done', state });
    expect(bench.effects).toEqual([]);
  });

  it('believes its exchange where the answer does not tell the price', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '49000' });
    bench.amended(order, { kind: 'done', state: bench.state(order) });
    expect([terms(order), reply().status]).toEqual([['49000', '1', undefined], 200]);
  });

  it('is as it was when its exchange refuses, and says so', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { quantity: '3' });
    bench.amended(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    expect(terms(order)).toEqual(['50000', '1', undefined]);
    expect(reply()).toMatchObject({ status: 400, reason: 'VENUE' });
    expect([bench.updates(), str(bench.locked('USDT'))]).toEqual([0, '0']);
  });

  it('is no change where all of it is so already', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '50000.0', quantity: '1.000' });
    expect([reply().status, bench.kinds('amend'), bench.last.rows]).toEqual([200, [], []]);
  });

  it('is made one after the other', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    expect(bench.amend(order, { price: '52000' }).reply()).toMatchObject({ status: 409 });
    expect(bench.kinds('amend')).toEqual([]);
    expect(bench.split(order.id, ['49000', '48000']).reply()).toMatchObject({ status: 400 });
  });

  it('takes what others have made of the order meanwhile', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { token } = bench.amend(order, { price: '51000' });
    bench.stream(bench.has(order, '47000', '0.5'));
    expect([terms(order), bench.isAnswered(token)]).toEqual([['47000', '0.5', 'sent'], false]);
    bench.amended(order, { kind: 'done', state: bench.has(order, '51000', '0.5') });
    expect(terms(order)).toEqual(['51000', '0.5', undefined]);
  });
});

describe('a change and the executions of its order', () => {
  it('does not take the order for filled while it may be for more', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    bench.amend(order, { quantity: '2' });
    bench.fill(bench.trade(order, '1'));
    expect(order.status).toBe('OPENED');
    bench.amended(order, { kind: 'done', state: bench.has(order, '50000', '2', { cumQty: '1' }) });
    expect([order.status, order.origQty]).toEqual(['OPENED', '2']);
    bench.fill(bench.trade(order, '1'));
    expect(order.status).toBe('CLOSED');
  });

  it('takes it for filled when its exchange refuses the change', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { quantity: '2' });
    bench.fill(bench.trade(order, '1'));
    bench.amended(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    expect([order.status, reply().status]).toEqual(['CLOSED', 400]);
  });

  it('keeps back what is left of the larger one', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    bench.amend(order, { price: '40000', quantity: '2' });
    expect(str(bench.locked('USDT'))).toBe('30000');
    bench.fill(bench.trade(order, '0.5'));
    // 1.5 at 40,000, of which 0.5 at 50,000 are locked there.
    expect(str(bench.locked('USDT'))).toBe('35000');
  });

  it('ends with the order, whose end was first', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { token, reply } = bench.amend(order, { price: '51000' });
    bench.fill(bench.trade(order, '1'));
    expect([order.status, bench.isAnswered(token)]).toEqual(['OPENED', false]);
    bench.stream(bench.state(order, { status: 'FILLED', cumQty: '1' }));
    expect([order.status, order.change, bench.isAnswered(token)]).toEqual(['CLOSED', undefined, false]);
    expect(str(bench.locked('USDT'))).toBe('0');
    bench.amended(order, { kind: 'gone', state: bench.state(order, { status: 'FILLED', cumQty: '1' }) });
    expect(reply()).toMatchObject({ status: 409 });
  });

  it('is what a fill beyond the order shows, once its exchange tells it', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '60000', quantity: '2' });
    bench.fill(bench.trade(order, '2', { price: '60000', maker: false }));
    expect(order.status).toBe('OPENED');
    const state = bench.has(order, '60000', '2', { status: 'FILLED', cumQty: '2' });
    bench.amended(order, { kind: 'done', state });
    expect([order.status, reply().order.origQty, order.price]).toEqual(['CLOSED', '2', '60000']);
  });

  it('may fill the order at its new price', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '60000' });
    const taken = bench.trade(order, '1', { price: '60000', maker: false });
    bench.amended(order, {
      kind: 'done',
      state: bench.has(order, '60000', '1', { status: 'FILLED', cumQty: '1' }),
    });
    expect(reply().order.price).toBe('60000');
    bench.fill(taken);
    expect([order.status, order.executedQty]).toEqual(['CLOSED', '1']);
  });

  it('is taken back by a cancel, or lost with the order', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const change = bench.amend(order, { price: '51000' });
    const cancel = bench.cancel(order.id);
    expect(bench.effects.map(({ kind }) => kind)).toContain('withdraw');
    bench.cancelDone(order);
    expect([order.status, cancel.reply().status]).toEqual(['CANCELLED', 200]);
    bench.amended(order, { kind: 'gone', state: null });
    expect(change.reply()).toMatchObject({ status: 409 });
    expect(str(bench.locked('USDT'))).toBe('0');
  });
});

describe('a change whose answer got lost', () => {
  const lost = (bench: AmendBench) => {
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '51000', quantity: '2' });
    bench.amended(order, { kind: 'unknown', cause: 'HTTP 502' });
    expect(reply().order.specific).toMatchObject({ amendPending: true });
    bench.wake();
    expect(bench.kinds('query')).toHaveLength(1);
    return order;
  };

  it('is found made by a question', () => {
    const bench = new AmendBench();
    const order = lost(bench);
    bench.queried(order, { kind: 'found', state: bench.has(order, '51000', '2'), fills: [] });
    expect([terms(order), bench.updates(), str(bench.locked('USDT'))]).toEqual([
      ['51000', '2', undefined],
      1,
      '0',
    ]);
  });

  it('is asked about until it can come no more, and never sent again', () => {
    const bench = new AmendBench();
    const order = lost(bench);
    const before = () => ({ kind: 'found', state: bench.has(order, '50000', '1'), fills: [] }) as const;
    const from = bench.mono;
    for (;;) {
      bench.queried(order, before());
      if (!order.change) break;
      expect(str(bench.locked('USDT'))).toBe('52000');
      bench.passToWake();
      bench.wake();
      expect(bench.kinds('amend')).toEqual([]);
    }
    // The exchange's validity window and a margin.
    expect(bench.mono - from).toBe(6_000);
    expect([terms(order), bench.updates(), str(bench.locked('USDT'))]).toEqual([
      ['50000', '1', undefined],
      1,
      '0',
    ]);
    expect(bench.amend(order, { price: '52000' }).reply).toBeDefined();
    expect(bench.kinds('amend')).toMatchObject([{ n: 2 }]);
  });

  it('is proved by no question whose answer does not tell the price', () => {
    const bench = new AmendBench();
    const order = lost(bench);
    bench.pass(60_000);
    bench.queried(order, { kind: 'found', state: bench.state(order, { origQty: '1' }), fills: [] });
    expect(order.change?.state).toBe('unknown');
  });

  it('is settled by an answer that comes late, and by that of no earlier one', () => {
    const bench = new AmendBench();
    const order = lost(bench);
    bench.pass(6_000);
    bench.queried(order, { kind: 'found', state: bench.has(order, '50000', '1'), fills: [] });
    const { token } = bench.amend(order, { price: '52000' });
    bench.amended(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'late' }, 1);
    expect([order.change?.n, bench.isAnswered(token)]).toEqual([2, false]);
    bench.amended(order, { kind: 'unknown', cause: 'no answer' }, 2);
    bench.amended(order, { kind: 'done', state: bench.has(order, '52000', '1') }, 2);
    expect(terms(order)).toEqual(['52000', '1', undefined]);
  });

  it('is asked about after a restart in the middle', () => {
    const bench = new AmendBench();
    const { id } = bench.resting();
    bench.amend({ id }, { price: '51000', quantity: '2' });
    bench.restart();
    const order = bench.order(id);
    expect([order.change?.state, str(bench.locked('USDT'))]).toEqual(['unknown', '52000']);
    expect(bench.kinds('query')).toHaveLength(1);
    expect(bench.kinds('amend')).toEqual([]);
    bench.queried(order, { kind: 'found', state: bench.has(order, '51000', '2'), fills: [] });
    expect(terms(order)).toEqual(['51000', '2', undefined]);
  });

  it('has an end where its exchange has nothing open under the id', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, { kind: 'gone', state: null });
    bench.wake();
    expect(bench.kinds('query')).toHaveLength(1);
    const state = bench.state(order, { status: 'CANCELLED' });
    bench.queried(order, { kind: 'found', state, fills: [] });
    expect([order.status, order.change]).toEqual(['CANCELLED', undefined]);
  });
});

describe('a change of an order that is held here', () => {
  const STOP = {
    side: 'SELL',
    type: 'STOP_MARKET',
    price: undefined,
    stopPrice: '55000',
    quantity: '1',
  } as const;

  it('is made here, at once, with nothing sent, and fires by its new stop', () => {
    const bench = new AmendBench();
    const { order } = bench.place(STOP);
    const { reply } = bench.amend(order, { stopPrice: '57000', quantity: '2' });
    expect([reply().order.stopPrice, order.origQty, bench.updates()]).toEqual(['57000', '2', 1]);
    expect(bench.kinds('amend')).toEqual([]);
    expect(str(bench.locked('BTC'))).toBe('2');
    bench.restart();
    bench.tick('56900');
    expect(bench.kinds('submit')).toMatchObject([{ order: { quantity: '2' } }]);
  });

  it('says anew that its condition is met while its exchange is away, and fires by what it is when that is back', () => {
    const bench = new AmendBench();
    const { order } = bench.place(STOP);
    const line = (up: boolean) => bench.event({ type: 'link', exchange: bench.exchange, up, gap: false });
    const met = (price: string) => {
      bench.tick(price);
      return bench.kinds('log').length;
    };
    line(false);
    expect([met('54000'), met('53900')]).toEqual([1, 0]);
    bench.amend(order, { stopPrice: '53000' });
    expect([met('53500'), met('52900'), met('52800')]).toEqual([0, 1, 0]);
    expect(met('53500')).toBe(0);
    expect(line(true).filter(({ kind }) => kind === 'submit')).toEqual([]);
    bench.tick('52900');
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  it('needs of the account what it needs beyond what the order holds, and gives back what it needs no more', () => {
    const balances = [{ asset: 'BTC', free: '3', locked: '0' }];
    const bench = new AmendBench({ balances });
    const { order } = bench.place({ ...STOP, quantity: '2' });
    const refused = bench.amend(order, { quantity: '3.5' }).reply();
    expect([refused.reason, refused.message]).toEqual([
      'BALANCE',
      expect.stringContaining('needs 1.5 BTC more than the order holds, 1 BTC available'),
    ]);
    for (const quantity of ['3', '0.5', '3']) {
      expect(bench.amend(order, { quantity }).reply().status).toBe(200);
      expect([order.origQty, str(bench.locked('BTC'))]).toEqual([quantity, quantity]);
    }
  });

  it('moves the end date', () => {
    const bench = new AmendBench();
    const at = bench.wall;
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: at + 10_000 });
    bench.amend(order, { goodTillDate: at + 20_000 });
    expect([bench.kinds('amend'), bench.updates()]).toEqual([[], 1]);
    bench.amend(order, { goodTillDate: at + 30_000, price: '51000' });
    expect(order.goodTillDate).toBe(at + 20_000);
    bench.amended(order, { kind: 'done', state: bench.has(order, '51000', '1') });
    expect([order.goodTillDate, bench.updates()]).toEqual([at + 30_000, 1]);
    for (const [ms, cancels] of [
      [29_999, 0],
      [30_000, 1],
    ] as const) {
      bench.wall = at + ms;
      bench.event({ type: 'time', time: bench.wall });
      expect(bench.kinds('cancel')).toHaveLength(cancels);
    }
  });

  it('does not move an end date that there is not', () => {
    const bench = new AmendBench();
    const { reply } = bench.amend(bench.resting(), { goodTillDate: bench.wall + 20_000 });
    expect(reply().message).toContain('goes with timeInForce GTD');
  });

  it.each([
    [{ stopPrice: '61000' }, 'would trigger at once'],
    [{ stopPrice: '55000.001' }, 'tick size'],
    [{ price: '1' }, 'price does not apply'],
    [{ quantity: '1000' }, 'outside'],
    [{ quantity: '0' }, 'more than zero'],
    [{ quantity: 'x' }, 'is not a decimal'],
    [{}, 'nothing is to be changed'],
  ])('is refused as %j', (change, words) => {
    const bench = new AmendBench();
    const { order } = bench.place(STOP);
    const { reply } = bench.amend(order, change);
    expect(reply()).toMatchObject({ status: 400 });
    expect(reply().message).toContain(words);
    expect([order.stopPrice, order.origQty]).toEqual(['55000', '1']);
  });
});

describe('what is not changed', () => {
  const rests = (options: BenchOptions = {}) => {
    const bench = new AmendBench(options);
    return { bench, order: bench.resting() };
  };
  const refusal = ({ bench, order }: ReturnType<typeof rests>, change: Change = { price: '51000' }) => {
    const { reply } = bench.amend(order, change);
    expect(bench.kinds('amend')).toEqual([]);
    return reply();
  };

  it('one whose fate is not known, one that ended or is being cancelled', () => {
    const bench = new AmendBench();
    const { order: sending } = bench.place({ price: '50000', quantity: '1' });
    expect(refusal({ bench, order: sending }).message).toContain('not known yet');
    bench.accepted(sending);
    bench.cancel(sending.id);
    expect(refusal({ bench, order: sending }).message).toContain('being cancelled');
    bench.cancelDone(sending);
    expect(refusal({ bench, order: sending }).message).toContain('is CANCELLED');
  });

  it('one of others, of a split that goes on, of another user', () => {
    const { bench, order } = rests();
    bench.split(order.id, ['49000', '48000']);
    expect(refusal({ bench, order }).message).toContain('being split');
    bench.cancelDone(order);
    const part = [...bench.engine.memory.orders.values()].find(({ splitFrom }) => splitFrom) as OrderRecord;
    bench.accepted(part);
    expect(refusal({ bench, order: part }).message).toContain('a part of a split that goes on');
    const other = { ...bench.has(order, '50000', '1'), clientId: 'web-1' };
    bench.stream(other);
    expect(refusal({ bench, order: bench.order('web-1') }).message).toContain('not placed from this desk');
    expect(bench.amend(order, { price: '1' }, STRANGER as never).reply().status).toBe(404);
  });

  it('an order to less than has been executed', () => {
    const x = rests();
    x.bench.fill(x.bench.trade(x.order, '0.5'));
    expect(refusal(x, { quantity: '0.5' }).message).toContain('cancel the order to end it');
  });

  it('an order to what the account cannot pay', () => {
    const x = rests({ balances: [{ asset: 'USDT', free: '60000', locked: '0' }] });
    const { reason, message } = refusal(x, { quantity: '2.5' });
    expect([reason, message]).toEqual(['BALANCE', expect.stringContaining('needs 75000 USDT more')]);
  });

  it('an order at an exchange that cannot be reached, unless it risks less by it', () => {
    const { bench, order } = rests();
    bench.event({ type: 'link', exchange: bench.exchange, up: false, gap: true });
    expect(refusal({ bench, order }, { quantity: '2' }).status).toBe(503);
    bench.amend(order, { quantity: '0.5' });
    expect(bench.kinds('amend')).toHaveLength(1);
  });
});

it.each([
  ['BUY', { price: '49000' }, true],
  ['BUY', { price: '50001' }, false],
  ['BUY', { quantity: '0.5' }, true],
  ['BUY', { price: '50001', quantity: '0.5' }, false],
  ['SELL', { price: '50001' }, false],
  ['SELL', { price: '50001', quantity: '0.999' }, true],
  ['SELL', { price: '50100', quantity: '0.999' }, false],
  ['SELL', { price: '49999', quantity: '0.5' }, false],
] as const)('a %s that is changed to %s risks no more: %s', (side, change, isLess) => {
  const bench = new AmendBench({ futures: true });
  const order = bench.resting({ side });
  bench.event({ type: 'link', exchange: bench.exchange, up: false, gap: true });
  bench.amend(order, change);
  // A change that may need more balance waits until the exchange can be reached.
  expect(bench.kinds('amend')).toHaveLength(isLess ? 1 : 0);
});

describe('guards and a change', () => {
  const guarded = () => {
    const bench = new AmendBench();
    const order = bench.resting();
    const change = { maxOrderValue: '60000', maxOrdersPerMinute: 2, priceBand: '50' };
    bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
    return { bench, order };
  };

  it('refuse more than they allow, judged as a new order', () => {
    const { bench, order } = guarded();
    const { reply } = bench.amend(order, { quantity: '1.5' });
    expect(reply()).toMatchObject({ status: 400, reason: 'GUARD_MAX_ORDER_VALUE' });
    expect(bench.amend(order, { quantity: '1.2' }).token).toBeDefined();
    expect(bench.kinds('amend')).toHaveLength(1);
  });

  it('count the larger one until it is known what came of it', () => {
    const bench = new AmendBench();
    const order = bench.resting();
    bench.ask(
      { type: 'guards', exchange: bench.exchange, change: { maxPositionValue: '60600000' } },
      { actor: OPERATOR },
    );
    const before = bench.place({ price: '50000', quantity: '0.1' });
    expect(before.order.symbol).toBe('BTCUSDT');
    bench.amend(order, { quantity: '10' });
    const { reply } = bench.place({ price: '50000', quantity: '2' });
    expect(reply()).toMatchObject({ reason: 'GUARD_MAX_POSITION_VALUE' });
  });

  it('count it among the entries of a minute', () => {
    const { bench, order } = guarded();
    for (const price of ['50010', '50020']) {
      bench.amend(order, { price });
      bench.amended(order, { kind: 'done', state: bench.has(order, price, '1') });
    }
    expect(bench.amend(order, { price: '50030' }).reply()).toMatchObject({
      reason: 'GUARD_MAX_ORDERS_PER_MINUTE',
    });
  });

  it('let through what risks less, whatever is used up', () => {
    const { bench, order } = guarded();
    const change = { symbols: ['ETHUSDT'], maxOrderValue: '1' };
    bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
    bench.amend(order, { price: '49000', quantity: '0.9' });
    expect(bench.kinds('amend')).toHaveLength(1);
  });
});

describe('a change on futures', () => {
  const LONG = {
    symbol: 'BTCUSDT',
    side: 'BOTH',
    amount: '1',
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
    updateTime: 0,
  } as ExchangePosition;

  it('keeps back the margin of what it opens beyond, and nothing of a close', () => {
    const bench = new AmendBench({ futures: true });
    const order = bench.resting();
    bench.amend(order, { quantity: '2' });
    expect(str(bench.locked('USDT'))).toBe(str(dec('2500')));
    const other = new AmendBench({ futures: true });
    other.event({ type: 'venue.positions', exchange: other.exchange, changed: [LONG], all: true });
    const close = other.resting({ side: 'SELL', price: '61000', quantity: '0.5', reduceOnly: true });
    other.amend(close, { quantity: '1', price: '62000' });
    expect([other.kinds('amend').length, str(other.locked('USDT'))]).toEqual([1, '0']);
  });
});
