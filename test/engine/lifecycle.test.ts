/**
 * What the exchange reports in every awkward order: crossing, early, late, twice, never (engine.md,
 * submission rules 3 to 6; S2, S30, S35).
 */
import { describe, expect, it } from 'vitest';
import { tradeOf } from '../../src/engine/views.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { NATIVE, SPOT, START, STRANGER } from './support/market.ts';
import { RowStore } from './support/row-store.ts';

const LIMIT = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '1' } as const;
const rejected = {
  kind: 'rejected',
  reason: 'BALANCE',
  code: '-2010',
  message: 'Account has insufficient balance.',
} as const;

describe('placing', () => {
  // proves: state NEW to OPENED, D12
  it('stores the intent before anything is sent, and answers once the exchange has spoken', () => {
    const bench = new Bench();
    const { order, token, reply } = bench.place(LIMIT, { key: 'k' });
    expect(bench.last.rows.map((row) => row.kind)).toEqual(['event', 'idempotency', 'event', 'order']);
    expect(bench.effects.map((effect) => effect.kind)).toEqual(['order-event', 'submit']);
    expect(bench.isAnswered(token)).toBe(false);
    expect(bench.locked('USDT')).toBe(50_000n * 10n ** 30n);
    bench.accepted(order);
    expect(reply()).toMatchObject({ status: 200, order: { status: 'OPENED', isWorking: true } });
    expect(bench.locked('USDT')).toBe(0n);
  });

  // proves: rule exchange-rejection, rule error-is-rejected, S2
  it('answers 400 with the words of the exchange that refuses, and keeps the order as ERROR', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.submitted(order, rejected);
    expect(reply()).toMatchObject({ status: 400, reason: 'VENUE', message: rejected.message });
    expect(bench.order(order.id).status).toBe('ERROR');
    expect(bench.locked('USDT')).toBe(0n);
  });

  it('answers 400 as well when the stream tells of the refusal first', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.stream(bench.state(order, { status: 'REJECTED', text: 'no' }));
    expect(bench.order(order.id).status).toBe('ERROR');
    bench.submitted(order, rejected);
    expect(reply()).toMatchObject({ status: 400, message: rejected.message });
    expect(bench.kinds('log')).toEqual([]);
  });

  it('answers 400 when the exchange takes the order and refuses it in the same breath', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.accepted(order, { status: 'REJECTED', text: 'no' });
    expect(reply()).toMatchObject({ status: 400, message: 'paper-spot refused: no' });
  });

  // proves: state OPENED to CLOSED, rule every-change-is-told, S30
  it('goes NEW, OPENED, CLOSED when it is filled at once, each told', () => {
    const bench = new Bench();
    const { order, reply } = bench.place({ type: 'MARKET', quantity: '1' });
    const seen: string[] = [];
    const note = () => {
      for (const effect of bench.effects) if (effect.kind === 'order-event') seen.push(effect.order.status);
    };
    note();
    bench.accepted(order, { status: 'FILLED', cumQty: '1' });
    note();
    bench.fill(bench.trade(order, '1'));
    note();
    expect(seen).toEqual(['NEW', 'OPENED', 'CLOSED']);
    expect(reply().status).toBe(200);
  });

  // proves: S30
  it('keeps what a MARKET order got when the exchange cancels its remainder', () => {
    const bench = new Bench();
    const { order } = bench.place({ type: 'MARKET', quantity: '1' });
    bench.fill(bench.trade(order, '0.4'));
    bench.accepted(order, { status: 'CANCELLED', cumQty: '0.4', text: 'no more liquidity' });
    expect(bench.order(order.id)).toMatchObject({ status: 'CANCELLED', executedQty: '0.4' });
  });

  it('takes a fill before the acknowledgement as proof of acceptance', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.fill(bench.trade(order, '0.25'));
    expect(bench.order(order.id)).toMatchObject({ status: 'OPENED', executedQty: '0.25' });
    expect(bench.locked('USDT')).toBe(0n);
    bench.lost(order);
    expect(reply().order).toMatchObject({ status: 'OPENED', executedQty: '0.25', fillPrice: '50000' });
    expect(bench.kinds('query')).toEqual([]);
  });

  it('counts a fill once however often it comes', () => {
    const bench = new Bench();
    const order = bench.resting();
    const fill = bench.trade(order, '0.25');
    bench.fill(fill);
    expect(bench.fill(fill)).toEqual([]);
    bench.queried(order, { kind: 'found', state: bench.state(order, { cumQty: '0.25' }), fills: [fill] });
    expect(bench.order(order.id).executedQty).toBe('0.25');
    expect(bench.store.fills.size).toBe(1);
  });

  // proves: field order fillPrice, field order executedQty
  it('averages the price over its fills', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.fill(bench.trade(order, '0.25', { price: '40000' }));
    bench.fill(bench.trade(order, '0.75', { price: '48000' }));
    bench.accepted(order, { status: 'FILLED', cumQty: '1' });
    expect(reply().order).toMatchObject({ status: 'CLOSED', fillPrice: '46000', executedQty: '1' });
  });

  // proves: S30
  it('ignores older states and never leaves an end', () => {
    const bench = new Bench();
    const order = bench.resting();
    const old = bench.state(order);
    bench.stream(bench.state(order));
    bench.stream(old);
    expect(bench.last).toMatchObject({ rows: [], effects: [] });
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    expect(bench.stream(old)).toEqual([]);
    expect(bench.stream(bench.state(order, { status: 'FILLED', cumQty: '1', seq: 2 }))).toEqual([]);
    expect(bench.stream(bench.state(order, { status: 'CANCELLED' }))).toEqual([]);
    expect(bench.order(order.id).status).toBe('CANCELLED');
  });

  it('still counts a fill that comes after CANCELLED', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    bench.fill(bench.trade(order, '0.1'));
    expect(bench.order(order.id)).toMatchObject({ status: 'CANCELLED', executedQty: '0.1' });
    expect(bench.kinds('order-event')).toHaveLength(1);
  });

  it('survives an exchange that calls an order filled and counts nothing', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.accepted(order, { status: 'FILLED', cumQty: '0' });
    expect(bench.order(order.id).status).toBe('CLOSED');
  });
});

describe('fills that an end counts but that have not come', () => {
  it('are waited for and asked for before the order ends', () => {
    const bench = new Bench();
    const order = bench.resting();
    const fill = bench.trade(order, '0.4');
    const state = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    bench.stream(state);
    expect(bench.order(order.id).status).toBe('OPENED');
    expect(bench.wake().filter((e) => e.kind === 'query')).toHaveLength(0);
    bench.passToWake();
    expect(bench.wake().filter((e) => e.kind === 'query')).toHaveLength(1);
    bench.queried(order, { kind: 'found', state, fills: [fill] });
    expect(bench.order(order.id)).toMatchObject({ status: 'CANCELLED', executedQty: '0.4' });
  });

  it('are still waited for after a restart', () => {
    const bench = new Bench();
    const order = bench.resting();
    const fill = bench.trade(order, '0.4');
    const state = bench.state(order, { status: 'CANCELLED', cumQty: '0.4' });
    bench.stream(state);
    bench.restart();
    bench.event({ type: 'reconciled', exchange: SPOT, open: [] });
    expect(bench.kinds('query')).toHaveLength(1);
    bench.queried(order, { kind: 'found', state, fills: [fill] });
    expect(bench.order(order.id)).toMatchObject({ status: 'CANCELLED', executedQty: '0.4' });
  });
});

describe('an order whose answer got lost', () => {
  // proves: D12, S35
  it('stays NEW, is answered 200 and marked unresolved', () => {
    const bench = new Bench();
    const { order, reply } = bench.place(LIMIT);
    bench.lost(order);
    expect(reply()).toMatchObject({ status: 200, order: { status: 'NEW', specific: { unresolved: true } } });
  });

  it('ends as ERROR only when a question asked after the window found nothing', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    const settles = bench.mono + 6_000;
    bench.pass(5_999);
    bench.queried(order, { kind: 'absent' });
    expect(bench.order(order.id).status).toBe('NEW');
    bench.pass(3_001);
    bench.queried(order, { kind: 'absent' }, settles - 1);
    expect(bench.order(order.id).status).toBe('NEW');
    bench.queried(order, { kind: 'absent' }, settles);
    expect(bench.order(order.id)).toMatchObject({ status: 'ERROR' });
    expect(bench.locked('USDT')).toBe(0n);
  });

  it('is asked for with back-off and at the very moment "not found" begins to count', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    const asked: number[] = [];
    while (bench.wall <= START + 30_000) {
      if (bench.wake().some((e) => e.kind === 'query')) asked.push(bench.wall - START);
      expect(bench.engine.nextWake()).toBeGreaterThan(bench.mono);
      bench.passToWake();
    }
    expect(asked).toEqual([0, 250, 750, 1750, 3750, 6000, 16000, 26000]);
    expect(bench.order(order.id).submission?.unresolved?.asked).toBe(8);
  });

  // proves: S57
  it('is asked for by the time that passes, whatever is done to the wall clock', () => {
    const bench = new Bench();
    bench.wake();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    bench.setWall(START - 3_600_000);
    const from = bench.mono;
    const asked: number[] = [];
    while (bench.mono - from < 8_000) {
      if (bench.wake().some((e) => e.kind === 'query')) asked.push(bench.mono - from);
      bench.passToWake();
    }
    expect(asked).toEqual([0, 250, 750, 1750, 3750, 6000]);
    // The displayed time follows the wall clock.
    const shown = bench.order(order.id).submission?.unresolved;
    expect(shown?.settlesAt).toBe(START - 3_600_000 + 6_000);
  });

  // proves: S57
  it('is not given up early because the wall clock is set forward, before a restart or after it', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    bench.setWall(START + 86_400_000);
    bench.pass(5_999);
    bench.queried(order, { kind: 'absent' });
    expect(bench.order(order.id).status).toBe('NEW');
    bench.setWall(START + 2 * 86_400_000);
    bench.restart();
    bench.pass(5_999);
    bench.queried(order, { kind: 'absent' });
    expect(bench.order(order.id).status).toBe('NEW');
    bench.pass(1);
    bench.queried(order, { kind: 'absent' });
    expect(bench.order(order.id).status).toBe('ERROR');
  });

  // proves: S57
  it('whose cancel got lost is asked about although the wall clock was set back', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.cancelled(order, { kind: 'unknown', cause: 'timeout' });
    bench.wake();
    bench.setWall(START - 3_600_000);
    bench.pass(250);
    expect(bench.wake().map((e) => e.kind)).toContain('query');
  });

  it('counts the window from when the request left, however long the commit before it took', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    const sentAt = bench.mono + 4_000;
    bench.pass(9_000);
    const outcome = { kind: 'unknown', cause: 'the answer got lost' } as const;
    bench.event({ type: 'submitted', exchange: SPOT, orderId: order.id, outcome, sentAt });
    expect(bench.order(order.id).submission?.unresolved?.settlesAt).toBe(START + 10_000);
  });

  it('counts the window from the start of the desk when the desk died while sending', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.wall = START + 20_000;
    bench.restart();
    expect(bench.kinds('query')).toHaveLength(1);
    expect(bench.kinds('submit')).toEqual([]);
    expect(bench.order(order.id).submission?.unresolved?.settlesAt).toBe(START + 26_000);
  });

  // proves: D16
  it('is found, and a lost request under a key is answered with it after a restart', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { key: 'k' });
    bench.restart();
    expect(bench.place(LIMIT, { key: 'k' }).reply().message).toBe(
      'the request with idempotency key k is already processing',
    );
    bench.stream(bench.state(order));
    const { reply } = bench.place(LIMIT, { key: 'k' });
    expect(reply()).toMatchObject({ status: 200, order: { id: order.id, status: 'OPENED' } });
    expect(reply().answer.replayed).toBe(true);
  });

  it('is refused, and a lost request under a key is answered 400 after a restart', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { key: 'k' });
    bench.restart();
    bench.queried(order, {
      kind: 'found',
      state: bench.state(order, { status: 'REJECTED', text: 'no' }),
      fills: [],
    });
    expect(bench.place(LIMIT, { key: 'k' }).reply()).toMatchObject({
      status: 400,
      message: 'paper-spot refused: no',
    });
  });

  it('was refused on the stream just before the desk died: the request is answered 400', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { key: 'k' });
    bench.stream(bench.state(order, { status: 'REJECTED', text: 'no' }));
    bench.restart();
    expect(bench.place(LIMIT, { key: 'k' }).reply()).toMatchObject({
      status: 400,
      message: 'paper-spot refused: no',
    });
  });
});

describe('cancelling', () => {
  // proves: state open to CANCELLED
  it('answers with the cancelled order', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { token, reply } = bench.cancel(order.id);
    expect(bench.isAnswered(token)).toBe(false);
    bench.cancelDone(order);
    expect(reply()).toMatchObject({ status: 200, order: { status: 'CANCELLED', isWorking: false } });
  });

  it('answers CLOSED when a fill crosses it', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.cancel(order.id);
    bench.fill(bench.trade(order, '1'));
    expect(reply().order).toMatchObject({ status: 'CLOSED', executedQty: '1' });
    const late = bench.cancelled(order, {
      kind: 'gone',
      state: bench.state(order, { status: 'FILLED', cumQty: '1' }),
    });
    expect(late).toEqual([]);
  });

  it('says nothing more about an order that ended, when the exchange refuses the cancel late', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.fill(bench.trade(order, '1'));
    const rows = bench.store.eventsOf(order.id).length;
    expect(bench.cancelled(order, { ...rejected, message: 'Unknown order sent.' })).toEqual([]);
    expect(bench.store.eventsOf(order.id)).toHaveLength(rows);
  });

  // proves: rule exchange-rejection
  it('answers 400 with the words of an exchange that refuses, and the order lives on', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.cancel(order.id);
    bench.cancelled(order, {
      kind: 'rejected',
      reason: 'RATE_LIMITED',
      code: '-1003',
      message: 'Too many requests.',
    });
    expect(reply()).toMatchObject({ status: 400, message: 'Too many requests.' });
    expect(bench.order(order.id).status).toBe('OPENED');
    bench.cancel(order.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  // proves: S35
  it('S35: answers 200 with cancelPending when the outcome is unknown, then asks and cancels again', () => {
    const bench = new Bench();
    const order = bench.resting();
    const { reply } = bench.cancel(order.id);
    bench.cancelled(order, { kind: 'unknown', cause: 'HTTP 502' });
    expect(reply()).toMatchObject({
      status: 200,
      order: { status: 'OPENED', specific: { cancelPending: true } },
    });
    expect(bench.wake().filter((e) => e.kind === 'query')).toHaveLength(1);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(bench.kinds('cancel')).toHaveLength(1);
    bench.cancelDone(order);
    expect(bench.order(order.id).status).toBe('CANCELLED');
  });

  it('is asked for after pauses that grow, however often its answer gets lost again', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    const pauses: number[] = [];
    for (let lost = 0; lost < 8; lost++) {
      bench.cancelled(order, { kind: 'unknown', cause: 'HTTP 502' });
      const from = bench.mono;
      bench.passToWake();
      expect(bench.wake().filter(({ kind }) => kind === 'query')).toHaveLength(1);
      pauses.push(bench.mono - from);
      bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
      expect(bench.kinds('cancel')).toHaveLength(1);
    }
    expect(pauses).toEqual([0, 500, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000]);
  });

  // proves: S35
  it('S35: of an unresolved order is stored and sent as soon as the order is known, restart or not', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    expect(bench.cancel(order.id).reply()).toMatchObject({
      status: 200,
      order: { status: 'NEW', specific: { cancelPending: true, unresolved: true } },
    });
    expect(bench.kinds('cancel')).toEqual([]);
    bench.restart();
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(bench.kinds('cancel')).toHaveLength(1);
  });

  it('is asked for again after a restart that lost its answer', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id, { key: 'k' });
    bench.restart();
    expect(bench.kinds('query')).toHaveLength(1);
    bench.queried(order, { kind: 'found', state: bench.state(order, { status: 'CANCELLED' }), fills: [] });
    expect(bench.cancel(order.id, { key: 'k' }).reply().answer.replayed).toBe(true);
  });

  it('is answered under its key even when the order turns out refused after a restart', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id, { key: 'k' });
    bench.restart();
    bench.queried(order, {
      kind: 'found',
      state: bench.state(order, { status: 'REJECTED', text: 'no' }),
      fills: [],
    });
    expect(bench.cancel(order.id, { key: 'k' }).reply()).toMatchObject({
      status: 200,
      order: { status: 'ERROR' },
    });
  });

  // proves: rule cancel-of-ended, error NOT_FOUND, S27
  it('is a no-op for what has ended, and 404 for what is not there or not theirs', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    expect(bench.cancel(order.id).reply()).toMatchObject({ status: 200, order: { status: 'CANCELLED' } });
    expect(bench.kinds('cancel')).toEqual([]);
    expect(bench.cancel('ps-none').reply()).toMatchObject({
      status: 404,
      message: 'there is no order ps-none',
    });
    const other = bench.resting();
    expect(bench.cancel(other.id, { actor: STRANGER }).reply().status).toBe(404);
    const elsewhere = bench.ask({ type: 'cancel', exchange: 'paper-futures', id: other.id });
    expect(elsewhere.reply()).toMatchObject({
      status: 404,
      message: `there is no order ${other.id} on paper-futures; it is on paper-spot`,
    });
  });
});

describe('reconciliation', () => {
  it('asks for what we think live and the exchange does not have open, and for fills we lack', () => {
    const bench = new Bench();
    const gone = bench.resting();
    const filled = bench.resting();
    const fine = bench.resting();
    const sending = bench.place(LIMIT).order;
    bench.event({
      type: 'reconciled',
      exchange: SPOT,
      open: [
        bench.state(filled, { cumQty: '0.5' }),
        bench.state(fine),
        { ...bench.state(fine), clientId: 'foreign' },
      ],
    });
    expect(bench.kinds('query')).toMatchObject([{ orderId: gone.id }, { orderId: filled.id }]);
    expect(bench.kinds('log')).toMatchObject([
      { text: 'paper-spot has an open order foreign that is not ours' },
    ]);
    expect(bench.order(sending.id).phase).toBe('sending');
  });

  it('resolves what it finds open', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    bench.event({ type: 'reconciled', exchange: SPOT, open: [bench.state(order)] });
    expect(bench.order(order.id)).toMatchObject({ status: 'OPENED', phase: 'live' });
  });
});

it('books a fill for which the exchange pays (a maker rebate) as any other', () => {
  const bench = new Bench();
  const order = bench.resting();
  bench.fill(bench.trade(order, '1', { comm: '-0.05', commAsset: 'USDT' }));
  expect(order).toMatchObject({ status: 'CLOSED', executedQty: '1', quoteQty: '50000' });
  const [fill] = bench.store.fillsOf(order.id);
  expect(fill && tradeOf(fill)).toMatchObject({ comm: '-0.05', commAsset: 'USDT' });
  bench.restart();
  expect(bench.order(order.id).executedQty).toBe('1');
});

describe('a failed commit', () => {
  it('gives back the requests whose intent was lost with it, and only those', () => {
    const bench = new Bench();
    const order = bench.resting();
    const placed = bench.place(LIMIT);
    const before = bench.engine;
    const stored = bench.store.load(0);
    const cancel = bench.cancel(order.id);
    const lost = bench.place(LIMIT);
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before).sort()).toEqual([cancel.token, lost.token].sort());
    bench.start();
    bench.accepted(placed.order);
    expect(placed.reply().status).toBe(200);
  });

  it('leaves a request waiting whose answer was lost with it', () => {
    const bench = new Bench();
    const { order, token } = bench.place(LIMIT);
    const before = bench.engine;
    const stored = bench.store.load(0);
    bench.event({
      type: 'submitted',
      exchange: SPOT,
      orderId: order.id,
      outcome: { kind: 'accepted', state: bench.state(order) },
    });
    bench.answers.clear();
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before, bench.effects)).toEqual([]);
    bench.start();
    expect(bench.kinds('query')).toHaveLength(1);
    expect(bench.isAnswered(token)).toBe(false);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(bench.reply(token).order.status).toBe('OPENED');
  });

  it('gives back a cancel whose key was lost with it, though the order is being cancelled already', () => {
    const bench = new Bench();
    const order = bench.resting();
    const first = bench.cancel(order.id);
    const before = bench.engine;
    const stored = bench.store.load(0);
    const second = bench.cancel(order.id, { key: 'k' });
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before)).toEqual([second.token]);
    bench.start();
    bench.queried(order, { kind: 'found', state: bench.state(order, { status: 'CANCELLED' }), fills: [] });
    expect(first.reply().order.status).toBe('CANCELLED');
  });

  it('gives back a split whose plan was lost with it', () => {
    const bench = new Bench();
    const order = bench.resting();
    const before = bench.engine;
    const stored = bench.store.load(0);
    const split = bench.split(order.id, ['49000', '48000']);
    bench.store = RowStore.of(stored);
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before)).toEqual([split.token]);
  });
});

describe('on an exchange that lacks conditional orders', () => {
  // proves: S26, S30
  it('a STOP_LIMIT is held, and sent as the limit order it turns into', () => {
    const bench = new Bench({
      caps: { forms: formsOf({ native: NATIVE.filter((t) => t !== 'STOP_LIMIT') }) },
    });
    const { order, reply } = bench.place({
      type: 'STOP_LIMIT',
      side: 'SELL',
      quantity: '1',
      stopPrice: '55000',
      price: '54900',
    });
    expect(reply().order).toMatchObject({ status: 'NEW', isWorking: false, specific: { emulated: true } });
    bench.tick('55000');
    expect(bench.kinds('submit')).toMatchObject([
      { order: { clientId: order.id, type: 'LIMIT', price: '54900' } },
    ]);
    expect(bench.kinds('submit')[0]).not.toHaveProperty('order.stopPrice');
    expect(bench.order(order.id).type).toBe('STOP_LIMIT');
    expect(bench.store.eventsOf(order.id).at(-1)?.text).toBe('sent to paper-spot as a limit order');
  });
});
