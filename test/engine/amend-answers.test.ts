/**
 * When the outcome of a change is asked for, and whose answer is whose: those of an earlier change, those that
 * come after the end of the order or after its events, those that say less than the events did.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { AmendOutcome, ExchangeOrderState } from '../../src/domain/exchange.ts';
import type { Amendment, OrderRecord } from '../../src/domain/order.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR } from './support/market.ts';

const LOST = { kind: 'unknown', cause: 'HTTP 502' } as const;

class Changes extends Bench {
  constructor() {
    super({ caps: { amends: PAPER_AMENDS } });
  }

  amend(order: OrderRecord, to: Amendment) {
    const asked = { type: 'amend', exchange: this.exchange, id: order.id, ...to } as const;
    return this.ask(asked, { actor: OPERATOR });
  }

  amended(order: OrderRecord, outcome: AmendOutcome, n = order.changes ?? 0) {
    const { exchange, id: orderId } = order;
    return this.event({ type: 'amended', exchange, orderId, n, outcome });
  }

  /** The order as its exchange has it, with its terms. */
  at(order: OrderRecord, price: string, more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
    const { side, type, positionSide, workingType } = order;
    const flags = { reduceOnly: false, closePosition: false, timeInForce: 'GTC' } as const;
    const terms = { side, type, price, positionSide, workingType, ...flags };
    return this.state(order, { terms, ...more });
  }

  told(): string[] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'order-event' ? [`${effect.order.price} ${effect.order.origQty}`] : [],
    );
  }
}

/** The times, since now, at which an order is asked about within half a minute, while nobody answers. */
function askedAt(bench: Bench): number[] {
  const from = bench.mono;
  const times: number[] = [];
  for (;;) {
    bench.passToWake();
    if (bench.mono - from > 30_000) return times;
    bench.wake();
    for (const _ of bench.kinds('query')) times.push(bench.mono - from);
    expect(bench.kinds('amend')).toEqual([]);
  }
}

describe('a change whose answer got lost', () => {
  const TIMES = [0, 250, 750, 1_750, 3_750, 6_000, 16_000, 26_000];

  it('is asked about after pauses that grow, and just when it can come no more', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, LOST);
    expect(askedAt(bench)).toEqual(TIMES);
  });

  it('is asked about just so again after a second one, and after a restart', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    bench.amend(order, { price: '52000' });
    bench.amended(order, LOST);
    bench.pass(1_750);
    bench.restart();
    expect(bench.kinds('query')).toHaveLength(1);
    expect(askedAt(bench).slice(0, 5)).toEqual([250, 750, 1_750, 3_750, 6_000]);
  });

  it('says when it is asked about next', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, LOST);
    expect(order.change?.nextAskAt).toBe(bench.wall);
    bench.wake();
    expect(order.change).toMatchObject({ asked: 1, nextAskAt: bench.wall + 250 });
  });

  it('counts its window from when it left', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    const sentAt = bench.mono;
    bench.pass(4_000);
    const { exchange, id: orderId } = order;
    bench.event({ type: 'amended', exchange, orderId, n: 1, outcome: LOST, sentAt });
    const ask = () => bench.queried(order, { kind: 'found', state: bench.at(order, '50000'), fills: [] });
    bench.pass(1_999);
    ask();
    expect(order.change?.state).toBe('unknown');
    bench.pass(1);
    ask();
    expect(order.change).toBeUndefined();
  });

  it('is proved by an answer about the version of which an event has told without its price', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, LOST);
    const state = bench.at(order, '51000');
    const { terms: _, ...bare } = state;
    bench.stream(bare);
    expect([order.price, order.change?.state]).toEqual(['50000', 'unknown']);
    bench.queried(order, { kind: 'found', state, fills: [] });
    expect([order.price, order.change, bench.told()]).toEqual(['51000', undefined, ['51000 1']]);
  });

  it('is not proved by an answer that is older than what is known', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, LOST);
    const older = bench.at(order, '51000');
    bench.stream(bench.at(order, '48000'));
    bench.queried(order, { kind: 'found', state: older, fills: [] });
    expect([order.price, order.change?.state]).toEqual(['48000', 'unknown']);
  });

  it('is told once as made and something else by now, where that is known by a late answer', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000' });
    bench.amended(order, LOST);
    const made = bench.at(order, '51000');
    bench.stream(bench.at(order, '48000'));
    bench.amended(order, { kind: 'done', state: made });
    expect([order.price, order.change, bench.told()]).toEqual(['48000', undefined, ['48000 1']]);
    expect(str(bench.locked('USDT'))).toBe('0');
  });
});

describe('the answer to an earlier change', () => {
  it.each([
    [
      'that it was made',
      (bench: Changes, order: OrderRecord) => ({ kind: 'done', state: bench.at(order, '51000') }),
    ],
    ['that nothing is open', () => ({ kind: 'gone', state: null })],
    ['that it was refused', () => ({ kind: 'rejected', reason: 'OTHER', code: '-1', message: 'late' })],
    ['that is none', () => LOST],
  ] as [string, (bench: Changes, order: OrderRecord) => AmendOutcome][])(
    '%s leaves the present one on its way, and who asked for it waiting',
    (_, outcome) => {
      const bench = new Changes();
      const order = bench.resting();
      bench.amend(order, { price: '51000' });
      bench.amended(order, LOST);
      bench.pass(6_000);
      bench.queried(order, { kind: 'found', state: bench.at(order, '50000'), fills: [] });
      const { token, reply } = bench.amend(order, { price: '53000', quantity: '2' });
      bench.amended(order, outcome(bench, order), 1);
      expect([order.change?.n, order.change?.state, bench.isAnswered(token)]).toEqual([2, 'sent', false]);
      bench.amended(order, { kind: 'done', state: bench.at(order, '53000', { origQty: '2' }) }, 2);
      expect(reply().order).toMatchObject({ price: '53000', origQty: '2' });
      expect(str(bench.locked('USDT'))).toBe('0');
    },
  );
});

describe('the answer to a change of an order that has ended meanwhile', () => {
  it.each([
    ['is none', LOST, 409],
    ['says that nothing is open', { kind: 'gone', state: null }, 409],
    ['refuses it', { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' }, 400],
  ] as const)('%s: who asked is told so', (_, outcome, status) => {
    const bench = new Changes();
    const order = bench.resting();
    const { token } = bench.amend(order, { price: '51000' });
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    expect([order.status, bench.isAnswered(token)]).toEqual(['CANCELLED', false]);
    bench.amended(order, outcome);
    expect([order.status, bench.reply(token).status, bench.kinds('query')]).toEqual([
      'CANCELLED',
      status,
      [],
    ]);
  });

  it('says that it was made: its answer is the order as it ended', () => {
    const bench = new Changes();
    const order = bench.resting();
    const { reply } = bench.amend(order, { price: '51000' });
    const made = bench.at(order, '51000');
    bench.stream(bench.state(order, { status: 'CANCELLED' }));
    bench.amended(order, { kind: 'done', state: made });
    expect(reply()).toMatchObject({ status: 200, order: { status: 'CANCELLED' } });
  });
});

it('a change says to its exchange what the order is known to be, and only what is to be another', () => {
  const bench = new Changes();
  const orders = [
    bench.resting({ price: '50000', quantity: '1' }),
    bench.resting({ side: 'SELL', price: '61000', quantity: '3' }),
  ] as const;
  bench.amend(orders[1], { price: '62000' });
  const known = { side: 'SELL', price: '61000', quantity: '3' };
  expect(bench.kinds('amend')).toMatchObject([{ orderId: orders[1].id, n: 1 }]);
  expect(bench.kinds('amend').map((effect) => 'to' in effect && effect.to)).toEqual([
    { price: '62000', known },
  ]);
  bench.amend(orders[0], { quantity: '0.5' });
  expect(bench.kinds('amend').map((effect) => 'to' in effect && effect.to)).toEqual([
    { quantity: '0.5', known: { side: 'BUY', price: '50000', quantity: '1' } },
  ]);
  bench.amended(orders[0], { kind: 'done', state: bench.at(orders[0], '50000', { origQty: '0.5' }) });
  expect([orders[0].origQty, orders[1].price, orders[1].change?.n]).toEqual(['0.5', '61000', 1]);
});

describe('executions and a cancel around a change', () => {
  it('an execution of the new size before the answer is counted, and the rest is what the answer says', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { quantity: '3' });
    bench.fill(bench.trade(order, '1.5'));
    expect([order.status, order.executedQty, str(bench.locked('USDT'))]).toEqual(['OPENED', '1.5', '75000']);
    bench.amended(order, { kind: 'done', state: bench.at(order, '50000', { origQty: '3', cumQty: '1.5' }) });
    expect([order.origQty, str(bench.locked('USDT'))]).toEqual(['3', '0']);
    bench.fill(bench.trade(order, '1.5'));
    expect(order.status).toBe('CLOSED');
  });

  it('a cancel that is refused leaves the change to its own answer', () => {
    const bench = new Changes();
    const order = bench.resting();
    const change = bench.amend(order, { price: '51000' });
    const cancel = bench.cancel(order.id);
    bench.cancelled(order, { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' });
    expect([cancel.reply().status, order.change?.state, bench.isAnswered(change.token)]).toEqual([
      400,
      'sent',
      false,
    ]);
    bench.amended(order, { kind: 'done', state: bench.at(order, '51000') });
    expect([change.reply().order.price, order.status]).toEqual(['51000', 'OPENED']);
  });

  it('an order that is cancelled with a part executed gives back all that was kept for the change', () => {
    const bench = new Changes();
    const order = bench.resting();
    bench.amend(order, { price: '51000', quantity: '2' });
    bench.cancel(order.id);
    bench.cancelDone(order, '0.4');
    expect([order.status, str(bench.locked('USDT'))]).toEqual(['OPENED', '52000']);
    bench.fill(bench.trade(order, '0.4'));
    expect([order.status, order.executedQty, order.change, str(bench.locked('USDT'))]).toEqual([
      'CANCELLED',
      '0.4',
      undefined,
      '0',
    ]);
  });
});
