/**
 * Orders that have ended here and prove to be alive at their exchange: noticed, counted, cancelled by one
 * request (S62).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangeOrderState } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { availability } from '../../src/engine/balances.ts';
import { RECENT_MS } from '../../src/engine/engine.ts';
import { protection } from '../../src/engine/positions.ts';
import type { Effect } from '../../src/engine/step.ts';
import { orderOf, orderViewOf } from '../../src/engine/views.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { CAPS, FUTURES, NATIVE, START } from './support/market.ts';

const WINDOW = CAPS.validityWindowMs + 1_000;

const count = (effects: readonly Effect[], kind: Effect['kind']) =>
  effects.filter((effect) => effect.kind === kind).length;
const errors = (effects: readonly Effect[]) =>
  effects.filter((effect) => effect.kind === 'log' && effect.level === 'error');

/**
 * An order whose send got no answer, and which the exchange said it does not know when nothing could arrive
 * any more.
 */
function givenUp(bench: Bench): OrderRecord {
  const { order } = bench.place({ price: '50000', quantity: '1' });
  bench.lost(order);
  bench.pass(WINDOW);
  bench.queried(order, { kind: 'absent' });
  expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'UNREACHED' });
  return order;
}

function cancelledHere(bench: Bench, request = {}): OrderRecord {
  const order = bench.resting(request);
  bench.cancel(order.id);
  bench.cancelDone(order);
  expect(order.status).toBe('CANCELLED');
  return order;
}

function listed(bench: Bench, open: ExchangeOrderState[], askedAt?: number): Effect[] {
  const at = askedAt === undefined ? {} : { askedAt };
  return bench.event({ type: 'reconciled', exchange: bench.exchange, open, ...at });
}

// proves: S62
describe('an order that was given up as never arrived', () => {
  const proofs: [string, (bench: Bench, order: OrderRecord) => Effect[]][] = [
    ['the stream says that it works', (bench, order) => bench.stream(bench.state(order))],
    ['the answer to its send says accepted at last', (bench, order) => bench.accepted(order)],
    [
      'a list of open orders that was asked for later has it',
      (bench, order) => listed(bench, [bench.state(order, { seq: 0 })], bench.mono),
    ],
    ['an execution of it arrives', (bench, order) => bench.fill(bench.trade(order, '0.4'))],
  ];
  for (const [what, prove] of proofs)
    it(`is alive when ${what}: still ERROR, said in red, cancelled with one request`, () => {
      const bench = new Bench();
      const order = givenUp(bench);
      bench.pass(60_000);
      const effects = prove(bench, order);
      expect(order.status).toBe('ERROR');
      expect(errors(effects)).toMatchObject([{ orderId: order.id }]);
      expect(count(effects, 'cancel')).toBe(1);
      expect(effects.filter((effect) => effect.kind === 'order-event').at(-1)).toMatchObject({
        event: 'ORDER_UPDATE',
      });
      expect(orderOf(order)).toMatchObject({
        status: 'ERROR',
        specific: { contradiction: true, unresolved: true, cancelPending: true },
      });
      bench.pass(1_000);
      const again = [
        ...bench.stream(bench.state(order)),
        ...bench.accepted(order),
        ...listed(bench, [bench.state(order)], bench.mono),
      ];
      expect([count(again, 'cancel'), count(again, 'submit'), errors(again).length]).toEqual([0, 0, 0]);
    });

  it('counts what was executed of it, and is over when the exchange has cancelled the rest', () => {
    const bench = new Bench();
    const order = givenUp(bench);
    bench.stream(bench.state(order));
    bench.fill(bench.trade(order, '0.4'));
    expect(order).toMatchObject({ status: 'ERROR', executedQty: '0.4', quoteQty: '20000' });
    const effects = bench.cancelDone(order, '0.4');
    expect(orderOf(order).specific).toMatchObject({ contradiction: true });
    expect(orderOf(order).specific).not.toHaveProperty('unresolved');
    expect(count(effects, 'order-event')).toBe(1);
    expect(orderViewOf(order)).not.toHaveProperty('contradiction');
    expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(0);
  });

  it('that has been filled is not cancelled: its executions are asked for until they are here', () => {
    const bench = new Bench();
    const order = givenUp(bench);
    const effects = bench.accepted(order, { status: 'FILLED', cumQty: '1' });
    expect([count(effects, 'cancel'), errors(effects).length]).toEqual([0, 1]);
    bench.passToWake();
    expect(count(bench.wake(), 'query')).toBe(1);
    const state = bench.state(order, { status: 'FILLED', cumQty: '1' });
    bench.queried(order, { kind: 'found', state, fills: [] });
    expect(orderOf(order).specific).toMatchObject({ unresolved: true });
    bench.queried(order, { kind: 'found', state, fills: [bench.trade(order, '1')] });
    expect(order).toMatchObject({ status: 'ERROR', executedQty: '1' });
    expect(orderOf(order).specific).not.toHaveProperty('unresolved');
  });

  it('is over with the execution that fills it, whatever becomes of its cancel', () => {
    const bench = new Bench();
    const order = givenUp(bench);
    bench.stream(bench.state(order));
    bench.fill(bench.trade(order, '0.4'));
    expect(orderOf(order).specific).toMatchObject({ unresolved: true });
    const effects = bench.fill(bench.trade(order, '0.6'));
    expect(order).toMatchObject({ status: 'ERROR', executedQty: '1' });
    expect(orderOf(order).specific).not.toHaveProperty('unresolved');
    expect(count(effects, 'order-event')).toBeGreaterThan(0);
    expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(0);
    bench.cancelled(order, { kind: 'unknown', cause: 'HTTP 502' });
    bench.pass(WINDOW);
    expect(count(bench.wake(), 'query')).toBe(0);
  });
});

// proves: S57
it('an order whose send got lost is given up once no replica can have missed its late arrival', () => {
  const bench = new Bench({ caps: { settleMs: 4_000 } });
  const { order } = bench.place({ price: '50000', quantity: '1' });
  bench.lost(order);
  bench.pass(WINDOW + 4_000 - 1);
  bench.queried(order, { kind: 'absent' });
  expect(order).toMatchObject({ status: 'NEW', phase: 'unresolved' });
  bench.pass(1);
  bench.queried(order, { kind: 'absent' });
  expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'UNREACHED' });
});

// proves: S62
describe('an order that ended rightly', () => {
  it('is not alive for states that come late or twice', () => {
    const bench = new Bench();
    const order = bench.resting();
    const before = bench.state(order);
    bench.cancel(order.id);
    const end = bench.state(order, { status: 'CANCELLED' });
    bench.cancelled(order, { kind: 'done', state: end });
    for (const late of [before, end, { ...end, status: 'WORKING' as const }])
      expect(bench.stream(late)).toEqual([]);
    expect(bench.accepted(order, { seq: before.seq })).toEqual([]);
  });

  it('by its last execution is not alive for a state from before that, though its number is higher than any known', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.fill(bench.trade(order, '0.4'));
    bench.fill(bench.trade(order, '0.6'));
    expect(order.status).toBe('CLOSED');
    expect(bench.stream(bench.state(order, { cumQty: '0.4' }))).toEqual([]);
    expect(bench.stream(bench.state(order, { status: 'FILLED', cumQty: '1' }))).toEqual([]);
  });

  it('is not alive in a list that was asked for before its end or at that very moment', () => {
    const bench = new Bench();
    const order = bench.resting();
    const open = bench.state(order);
    bench.cancel(order.id);
    bench.cancelDone(order);
    const endedAt = bench.mono;
    bench.pass(1_000);
    expect(listed(bench, [open], endedAt)).toEqual([]);
    expect(count(listed(bench, [open], endedAt + 1), 'cancel')).toBe(1);
  });

  it('is not alive in a list of a replica that may not have heard of its end', () => {
    const bench = new Bench({ caps: { settleMs: 4_000 } });
    const order = bench.resting();
    const open = bench.state(order);
    bench.cancel(order.id);
    bench.cancelDone(order);
    const endedAt = bench.mono;
    bench.pass(10_000);
    expect(listed(bench, [open], endedAt + 4_000)).toEqual([]);
    expect(count(listed(bench, [open], endedAt + 4_001), 'cancel')).toBe(1);
    // An answer from before the cancel shows the order as it was.
    bench.cancelled(order, { kind: 'done', state: bench.state(order, { status: 'CANCELLED' }) });
    expect(orderOf(order).specific).not.toHaveProperty('unresolved');
  });

  it('is not alive in a list from before its last end, however often it has ended: the first time or proved alive since', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    for (let ends = 0; ends < 4; ends++) {
      const open = bench.state(order);
      const asked = [bench.mono];
      bench.pass(1_000);
      asked.push(bench.mono);
      bench.cancelDone(order);
      bench.pass(1_000);
      for (const at of asked) expect(listed(bench, [open], at)).toEqual([]);
      expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(0);
      expect(count(bench.stream(bench.state(order)), 'cancel')).toBe(1);
    }
  });

  it('before the start is alive in a list that was asked for after it', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.restart();
    bench.pass(1);
    const effects = listed(bench, [bench.state(order, { seq: 1 })], bench.mono);
    expect(count(effects, 'cancel')).toBe(1);
    expect(bench.order(order.id).status).toBe('CANCELLED');
  });
});

// proves: S62
describe('what is open at the exchange although it ended here', () => {
  it('counts as an open order and as protection, over a restart too', () => {
    const bench = new Bench({
      futures: true,
      caps: { forms: formsOf({ native: [...NATIVE, 'STOP_MARKET'] }) },
    });
    const long = {
      symbol: 'BTCUSDT',
      side: 'BOTH' as const,
      amount: '0.5',
      entryPrice: '60000',
      breakEvenPrice: '60000',
      markPrice: '60000',
      unrealizedProfit: '0',
      marginType: 'CROSSED' as const,
      leverage: 20,
      isolatedWallet: '0',
      liquidationPrice: null,
      maintenanceMarginRate: '0.004',
      maintenanceMargin: '120',
      realizedPnl: '0',
      updateTime: START,
    };
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [long] });
    const { order } = bench.place({
      side: 'SELL',
      type: 'STOP_MARKET',
      stopPrice: '55000',
      quantity: '0.5',
      reduceOnly: true,
    });
    bench.accepted(order, { status: 'PENDING' });
    bench.cancel(order.id);
    bench.cancelDone(order);
    const { memory } = bench.engine;
    const seen = () => [
      memory.openOn(FUTURES, 'BTCUSDT'),
      memory.account(FUTURES).futures?.open.get('BTCUSDT')?.size ?? 0,
      protection(memory, memory.account(FUTURES), long).cover,
    ];
    expect(seen()).toEqual([0, 0, '0']);
    bench.stream(bench.state(order, { status: 'PENDING' }));
    expect(seen()).toEqual([1, 1, '0.5']);
    bench.restart();
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [long] });
    const again = bench.engine.memory;
    expect(again.openOn(FUTURES, 'BTCUSDT')).toBe(1);
    expect(protection(again, again.account(FUTURES), long).cover).toBe('0.5');
    bench.cancelDone(bench.order(order.id));
    expect(again.openOn(FUTURES, 'BTCUSDT')).toBe(0);
  });

  it('has its margin kept until it is gone', () => {
    const bench = new Bench({ futures: true });
    const available = () => str(availability(bench.engine.memory.account(FUTURES), 'USDT').available);
    const free = available();
    const order = bench.resting();
    const resting = available();
    expect(resting).not.toBe(free);
    bench.cancel(order.id);
    bench.cancelDone(order);
    expect(available()).toBe(free);
    bench.stream(bench.state(order));
    expect(available()).toBe(resting);
    bench.cancelDone(order);
    expect(available()).toBe(free);
  });

  it('stands with the unresolved ones after its cancel is refused, past the hour and over a restart, until it is gone', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    const refused = bench.cancelled(order, {
      kind: 'rejected',
      reason: 'OTHER',
      code: '-1',
      message: 'no',
    });
    expect(errors(refused)).toHaveLength(1);
    expect(orderViewOf(order)).toMatchObject({ contradiction: true, cancelPending: false, unresolved: {} });
    let cancels = 0;
    for (let n = 0; n < 200; n++) {
      bench.passToWake();
      cancels += count(bench.wake(), 'cancel');
      const found = bench.state(order);
      cancels += count(bench.queried(order, { kind: 'found', state: found, fills: [] }), 'cancel');
    }
    expect(bench.wall - START).toBeGreaterThan(RECENT_MS);
    expect(cancels).toBe(0);
    bench.restart();
    const kept = bench.order(order.id);
    expect(orderViewOf(kept)).toMatchObject({ contradiction: true, unresolved: {} });
    bench.stream(bench.state(kept, { status: 'CANCELLED' }));
    expect(orderViewOf(kept)).not.toHaveProperty('unresolved');
    bench.pass(120_000);
    bench.wake();
    expect(bench.engine.memory.orders.has(order.id)).toBe(false);
  });

  it('is cancelled again when somebody asks for it after a refusal, and not while the first is under way', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    const early = bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(0);
    bench.cancelled(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    expect(early.reply()).toMatchObject({ status: 400, message: 'no' });
    const late = bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
    bench.cancelDone(order);
    expect(late.reply()).toMatchObject({
      status: 200,
      order: { status: 'CANCELLED', specific: { contradiction: true } },
    });
  });

  it('answers who asked for its cancel also when the end is told before the answer', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    const { reply } = bench.cancel(order.id);
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    expect(reply()).toMatchObject({ status: 200, order: { status: 'CANCELLED' } });
  });

  it('and that another order has taken the place of (S53) is cancelled again by who cancels it, beside that other order', () => {
    const bench = new Bench();
    const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' } as const;
    const { order } = bench.place(stop);
    bench.tick('54000');
    bench.submitted(order, { kind: 'rejected', reason: 'OVERLOADED', code: '503', message: 'busy' });
    const next = bench.order(order.replacedBy ?? '');
    bench.stream(bench.state(order));
    bench.cancelled(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    bench.cancel(order.id);
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: order.id }]);
    expect([order.status, next.status]).toEqual(['ERROR', 'CANCELLED']);
  });

  it('may prove alive a second time: another cancel, and the count of open orders is one', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    for (let n = 0; n < 2; n++) {
      expect(count(bench.stream(bench.state(order)), 'cancel')).toBe(1);
      expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(1);
      bench.cancelDone(order);
      expect(bench.engine.memory.openOn(bench.exchange, 'BTCUSDT')).toBe(0);
    }
  });
});

// proves: S62
describe('the cancel of an order that is alive', () => {
  it('is asked for after a lost answer, and sent again only when it can no longer arrive and the order is open', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    bench.cancelled(order, { kind: 'unknown', cause: 'HTTP 502' });
    expect(count(bench.wake(), 'query')).toBe(1);
    const open = () => bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    bench.pass(WINDOW - 1);
    expect(count(open(), 'cancel')).toBe(0);
    bench.pass(1);
    expect(count(open(), 'cancel')).toBe(1);
    expect(count(open(), 'cancel')).toBe(0);
  });

  it('that was under way when the desk stopped is asked for, not sent', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    bench.pass(60_000);
    const started = [...bench.restart()];
    bench.passToWake();
    started.push(...bench.wake());
    expect([count(started, 'cancel'), count(started, 'query')]).toEqual([0, 1]);
    const again = bench.order(order.id);
    const open = () => bench.queried(again, { kind: 'found', state: bench.state(again), fills: [] });
    expect(count(open(), 'cancel')).toBe(0);
    bench.pass(WINDOW);
    expect(count(open(), 'cancel')).toBe(1);
  });

  it('that certainly did not arrive is sent once the exchange says that the order is open', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    bench.cancelled(order, { kind: 'rejected', reason: 'RATE_LIMITED', code: '429', message: 'slow' });
    expect(bench.kinds('cancel')).toHaveLength(0);
    bench.pass(1_000);
    expect(count(bench.wake(), 'query')).toBe(1);
    const effects = bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(count(effects, 'cancel')).toBe(1);
  });

  it('is over when the exchange does not know the order, but only once nothing can arrive any more', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    bench.cancelled(order, { kind: 'gone', state: null });
    bench.queried(order, { kind: 'absent' });
    expect(orderViewOf(order).contradiction).toBe(true);
    bench.pass(WINDOW);
    bench.queried(order, { kind: 'absent' }, bench.mono - 1);
    expect(orderViewOf(order).contradiction).toBe(true);
    bench.queried(order, { kind: 'absent' });
    expect(orderViewOf(order).contradiction).toBeUndefined();
  });

  it('is asked for when a list of open orders lacks it', () => {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    expect(count(listed(bench, [], bench.mono), 'query')).toBe(1);
  });
});

const BUSY = { kind: 'rejected', reason: 'OVERLOADED', code: '-1008', message: 'Busy.' } as const;
const NEVER = { kind: 'rejected', reason: 'OTHER', code: '-2011', message: 'Never.' } as const;

// proves: S62
describe('what is heard of an order that is alive', () => {
  /** An order cancelled here and reported as working at the exchange; `seq`: the version of that report. */
  function alive() {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order, { seq: 50 }));
    return { bench, order };
  }
  const found = (order: OrderRecord) => order.contradiction;

  it('before it was noticed does not count any more, whatever it says', () => {
    const { bench, order } = alive();
    for (const state of [
      { status: 'CANCELLED' },
      { status: 'FILLED', cumQty: '1' },
      { cumQty: '0.5' },
    ] as const)
      expect(bench.stream(bench.state(order, { seq: 49, ...state }))).toEqual([]);
    expect(found(order)).toMatchObject({ at: 'WORKING', cumQty: '0' });
    bench.stream(bench.state(order, { seq: 50, status: 'CANCELLED' }));
    expect(found(order)).toMatchObject({ at: 'ENDED', goneAt: bench.wall });
  });

  it('as newer is what it is measured by from then on', () => {
    const { bench, order } = alive();
    bench.stream(bench.state(order, { seq: 60, cumQty: '0.5' }));
    expect(found(order)).toMatchObject({ cumQty: '0.5' });
    expect(bench.stream(bench.state(order, { seq: 59, status: 'CANCELLED', cumQty: '0.5' }))).toEqual([]);
    // A report without news is not published again.
    expect(bench.stream(bench.state(order, { seq: 61, cumQty: '0.5' }))).toEqual([]);
    expect(bench.stream(bench.state(order, { seq: 62, cumQty: '0.6' }))).toMatchObject([
      { kind: 'order-event', event: 'ORDER_UPDATE' },
    ]);
    expect(found(order)).toMatchObject({ at: 'WORKING', cumQty: '0.6' });
  });

  it('as ended is not taken back: it is not open again by what follows', () => {
    const { bench, order } = alive();
    bench.stream(bench.state(order, { seq: 60, status: 'CANCELLED', cumQty: '0.5' }));
    expect(found(order)).toMatchObject({ at: 'ENDED', cumQty: '0.5' });
    bench.stream(bench.state(order, { seq: 61, cumQty: '0.9' }));
    expect(found(order)).toMatchObject({ at: 'ENDED', cumQty: '0.5' });
    bench.fill(bench.trade(order, '0.4'));
    expect(found(order)).not.toHaveProperty('goneAt');
    bench.fill(bench.trade(order, '0.1'));
    expect(found(order)).toMatchObject({ goneAt: bench.wall });
    expect(order.executedQty).toBe('0.5');
    // Another execution of it is booked, and is no new proof.
    expect(errors(bench.fill(bench.trade(order, '0.1')))).toEqual([]);
    expect(order.executedQty).toBe('0.6');
  });

  it('is that it is gone when the exchange does not know it, with what it still owes', () => {
    const { bench, order } = alive();
    bench.stream(bench.state(order, { seq: 60, cumQty: '0.5' }));
    bench.pass(WINDOW);
    bench.queried(order, { kind: 'absent' });
    expect(bench.kinds('log')).toMatchObject([
      {
        level: 'info',
        text: `${order.id}: paper-spot does not know it any more; it counted 0.5 executed, and 0 of that is known`,
      },
    ]);
    expect(found(order)).toMatchObject({ goneAt: bench.wall });
  });
});

// proves: S62
describe('the answer to the cancel of an order that is alive', () => {
  /** An order whose first cancel was refused for good, and for which a second one has been requested. */
  function asked() {
    const bench = new Bench();
    const order = cancelledHere(bench);
    bench.stream(bench.state(order));
    bench.cancelled(order, NEVER);
    const { reply, token } = bench.cancel(order.id);
    expect(count(bench.effects, 'cancel')).toBe(1);
    expect(bench.isAnswered(token)).toBe(false);
    return { bench, order, reply };
  }

  it.each(['done', 'gone'] as const)(
    'that it is %s, without a state, proves nothing: it is asked about',
    (kind) => {
      const { bench, order, reply } = asked();
      bench.cancelled(order, { kind, state: null } as never);
      expect(reply()).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
      expect(order.contradiction).toMatchObject({ at: 'WORKING', cancel: 'unknown' });
      bench.passToWake();
      bench.wake();
      bench.passToWake();
      expect(count([...bench.effects, ...bench.wake()], 'query')).toBeGreaterThan(0);
    },
  );

  it('that it is done, with its end, is the end', () => {
    const { bench, order, reply } = asked();
    bench.cancelDone(order);
    expect(reply()).toMatchObject({ status: 200, order: { status: 'CANCELLED' } });
    expect(order.contradiction).toMatchObject({ at: 'ENDED', goneAt: bench.wall });
    expect(bench.engine.nextWake()).toBeLessThanOrEqual(bench.mono + 60_000);
  });

  it.each([
    [
      'a refusal for good is the answer of who asked, and it is looked after every half minute',
      NEVER,
      400,
      30_000,
    ],
    ['a refusal that passes leaves it pending, and it is asked about soon', BUSY, 200, 250],
  ])('%s', (_name, outcome, status, pause) => {
    const { bench, order, reply } = asked();
    bench.wake();
    bench.cancelled(order, outcome);
    expect(reply().status).toBe(status);
    expect(order.contradiction?.nextAskAt).toBe(bench.wall + pause);
    bench.pass(pause - 1);
    expect(count(bench.wake(), 'query')).toBe(0);
    bench.pass(1);
    expect(count(bench.wake(), 'query')).toBe(1);
    // Time until the next query, ms.
    const next = outcome === NEVER ? 30_000 : 250;
    bench.pass(next - 1);
    expect(count(bench.wake(), 'query')).toBe(0);
    bench.pass(1);
    expect(count(bench.wake(), 'query')).toBe(1);
  });
});

// proves: S62
it('an answer that was asked for after an order proved alive counts whatever its number, one from before by its number', () => {
  const bench = new Bench();
  const order = cancelledHere(bench);
  bench.stream(bench.state(order, { seq: 50 }));
  const asked = bench.mono;
  bench.pass(1_000);
  const ended = bench.state(order, { seq: 7, status: 'CANCELLED' });
  bench.queried(order, { kind: 'found', state: ended, fills: [] }, asked);
  expect(order.contradiction).toMatchObject({ at: 'WORKING' });
  bench.queried(order, { kind: 'found', state: ended, fills: [] }, asked + 1);
  expect(order.contradiction).toMatchObject({ at: 'ENDED', goneAt: bench.wall });
});
