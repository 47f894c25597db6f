/**
 * The lane of an order and how long it may wait there (money-at-risk.md 4); the outcome for an order that is
 * cancelled, given up or has no turn while it waits (S35, S53, S54).
 */
import { describe, expect, it } from 'vitest';
import type { SendTerms } from '../../src/domain/lane.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, KEY_ACTOR, START } from './support/market.ts';

const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '3',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '61000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};

function onLong(): Bench {
  const bench = new Bench({ futures: true });
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [LONG], all: true });
  return bench;
}

const submitOf = (effects: readonly Effect[]) =>
  effects.find((effect): effect is Extract<Effect, { kind: 'submit' }> => effect.kind === 'submit');
const withdraws = (effects: readonly Effect[]) => effects.filter(({ kind }) => kind === 'withdraw').length;

describe('an order takes the lane', () => {
  const entry: SendTerms = { lane: 'entry', waitMs: 2_000 };
  const exit: SendTerms = { lane: 'exit', waitMs: null };
  const protective: SendTerms = { lane: 'protective', waitMs: null };

  it.each<[string, Partial<CreateOrder>, SendTerms]>([
    ['a buy', { side: 'BUY', price: '50000', quantity: '1' }, entry],
    ['a sale of what is held', { side: 'SELL', price: '70000', quantity: '1' }, exit],
    ['a sale at once', { side: 'SELL', type: 'MARKET', quantity: '1' }, protective],
  ])('spot: %s', (_name, request, terms) => {
    const bench = new Bench({ price: '60000' });
    bench.place(request);
    expect(submitOf(bench.effects)?.terms).toEqual(terms);
  });

  it.each<[string, Partial<CreateOrder>, SendTerms]>([
    ['more of the position', { side: 'BUY', price: '50000', quantity: '1' }, entry],
    ['all of it', { side: 'SELL', price: '70000', quantity: '3' }, exit],
    ['more than all of it', { side: 'SELL', price: '70000', quantity: '3.001' }, entry],
    ['what can only reduce', { side: 'SELL', price: '70000', quantity: '9', reduceOnly: true }, exit],
    [
      'a stop of it',
      { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', closePosition: true },
      protective,
    ],
    ['a stop that opens', { side: 'BUY', type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' }, entry],
  ])('futures: %s', (_name, request, terms) => {
    const bench = onLong();
    bench.place(request);
    expect(submitOf(bench.effects)?.terms).toEqual(terms);
  });

  it('of what it closes beside others that close: together no more than there is', () => {
    const bench = onLong();
    bench.resting({ side: 'SELL', price: '70000', quantity: '2' });
    bench.place({ side: 'SELL', price: '70000', quantity: '1' });
    expect(submitOf(bench.effects)?.terms).toEqual(exit);
    bench.place({ side: 'SELL', price: '70000', quantity: '1' });
    expect(submitOf(bench.effects)?.terms).toEqual(entry);
  });

  it('parts of a split wait without limit: what they are made of is gone', () => {
    const bench = new Bench();
    const order = bench.resting({ quantity: '2' });
    bench.split(order.id, ['50000', '51000']);
    const effects = bench.cancelDone(order);
    const terms = effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.terms] : []));
    expect(terms).toEqual(Array(2).fill({ lane: 'entry', waitMs: null }));
  });
});

describe('an order that waits for its turn', () => {
  const waiting = () => {
    const bench = new Bench();
    return { bench, ...bench.place({ price: '50000', quantity: '1' }) };
  };

  it('is taken back by a cancel, ends as CANCELLED without a request, and both are told so', () => {
    const { bench, order, token } = waiting();
    expect(order.lock).toBeDefined();
    const { token: cancel } = bench.cancel(order.id);
    expect(withdraws(bench.effects)).toBe(1);
    expect(bench.reply(cancel)).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
    const effects = bench.submitted(order, { kind: 'withdrawn' });
    expect(order).toMatchObject({ status: 'CANCELLED', phase: 'done' });
    expect(bench.reply(token)).toMatchObject({ status: 200, order: { status: 'CANCELLED' } });
    expect(effects.some(({ kind }) => kind === 'cancel')).toBe(false);
    expect(order.lock).toBeUndefined();
  });

  it('that has left all the same is cancelled when it is known', () => {
    const { bench, order } = waiting();
    bench.cancel(order.id);
    expect(bench.accepted(order).some(({ kind }) => kind === 'cancel')).toBe(true);
  });

  it('that was given up with memory is an ERROR of code BUDGET, sent or not resolved yet', () => {
    for (const isLost of [false, true]) {
      const { bench, order, token } = waiting();
      if (isLost) bench.lost(order);
      bench.submitted(order, { kind: 'withdrawn' });
      expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'BUDGET' });
      if (!isLost) expect(bench.reply(token)).toMatchObject({ status: 400, reason: 'BUDGET' });
    }
  });

  it('that has no turn in time is an ERROR, 400, of code BUDGET', () => {
    const { bench, order, token } = waiting();
    const message = 'not sent: used up';
    bench.submitted(order, { kind: 'rejected', reason: 'BUDGET', code: 'BUDGET', message });
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'BUDGET', text: message });
    expect(bench.reply(token)).toMatchObject({ status: 400, reason: 'BUDGET', message });
  });

  it('for long is answered as it stands, and so is a cancel that waits', () => {
    const { bench, order, token } = waiting();
    bench.event({ type: 'waits', exchange: order.exchange, orderId: order.id });
    expect(bench.reply(token)).toMatchObject({ status: 200, order: { status: 'NEW' } });
    bench.accepted(order);
    const { token: cancel } = bench.cancel(order.id);
    expect(bench.isAnswered(cancel)).toBe(false);
    bench.event({ type: 'waits', exchange: order.exchange, orderId: order.id });
    expect(bench.reply(cancel)).toMatchObject({ status: 200, order: { specific: { cancelPending: true } } });
  });
});

describe('a command that could not be sent in time', () => {
  const place = (bench: Bench, request: Partial<CreateOrder>, retryAfterMs: number, token: number) => {
    const full = { exchange: bench.exchange, symbol: 'BTCUSDT', type: 'LIMIT', ...request } as CreateOrder;
    bench.event({
      type: 'command',
      token,
      actor: KEY_ACTOR,
      context: { requestId: 'r' },
      entropy: '00000000001',
      command: { type: 'place', request: full },
      retryAfterMs,
    });
    return bench;
  };

  it('is refused with 503 and a time where it opens something, and nothing is stored', () => {
    const bench = place(new Bench(), { side: 'BUY', price: '50000', quantity: '1' }, 12_001, 77);
    const outcome = bench.answers.get(77)?.outcome;
    expect(outcome).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', retryAfterS: 13 } });
    expect(bench.engine.memory.orders.size).toBe(0);
    expect(bench.last.rows).toEqual([]);
  });

  it('is taken where it closes', () => {
    const bench = place(new Bench(), { side: 'SELL', price: '70000', quantity: '1' }, 12_001, 78);
    expect(submitOf(bench.effects)?.terms).toEqual({ lane: 'exit', waitMs: null });
  });
});
