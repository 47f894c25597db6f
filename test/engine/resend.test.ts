/** Protective orders that the engine holds, while the exchange cannot be reached or accepts nothing (S53). */
import { describe, expect, it } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/exchange.ts';
import { isWithoutStop, type OrderRecord } from '../../src/domain/order.ts';
import { orderOf } from '../../src/engine/views.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, SPOT } from './support/market.ts';

const STOP: Partial<CreateOrder> = {
  type: 'STOP_MARKET',
  side: 'SELL',
  stopPrice: '55000',
  quantity: '1',
};
const TRAILING: Partial<CreateOrder> = {
  type: 'STOP_MARKET',
  side: 'SELL',
  trailingDelta: 100,
  quantity: '1',
};
const BUSY: SubmitOutcome = {
  kind: 'rejected',
  reason: 'OVERLOADED',
  code: '-1008',
  message: 'Server is overloaded.',
};
const POOR: SubmitOutcome = {
  kind: 'rejected',
  reason: 'BALANCE',
  code: '-2010',
  message: 'Insufficient balance.',
};

function link(bench: Bench, up: boolean, gap = false) {
  return bench.event({ type: 'link', exchange: SPOT, up, gap });
}

const sent = (bench: Bench): string[] =>
  bench.effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.order.clientId] : []));

/** The order that replaced this one. */
function replacementOf(bench: Bench, { id }: OrderRecord): OrderRecord {
  return bench.order(bench.order(id).replacedBy ?? '');
}

/** Has the order refused when it fires, `times` times; returns the order that waits then. */
function refused(bench: Bench, first: OrderRecord, times: number): OrderRecord {
  let order = first;
  for (let n = 0; n < times; n++) {
    bench.submitted(order, BUSY);
    order = replacementOf(bench, order);
    if (n === times - 1) break;
    bench.pass(30_000);
    bench.wake();
    expect(sent(bench)).toEqual([order.id]);
  }
  return order;
}

describe('a stop whose price is passed while the connection is down', () => {
  // proves: S53
  it('stays held, sends nothing, and fires when the connection is up and its condition still holds', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    link(bench, false, true);
    bench.tick('54000');
    expect(sent(bench)).toEqual([]);
    expect(order).toMatchObject({ status: 'NEW', phase: 'held' });
    link(bench, true, true);
    expect(sent(bench)).toEqual([order.id]);
  });

  it('does not fire when the price has come back by then, but when it falls again', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    link(bench, false);
    bench.tick('54000');
    bench.tick('55000.01');
    link(bench, true);
    expect(sent(bench)).toEqual([]);
    bench.tick('55000');
    expect(sent(bench)).toEqual([order.id]);
  });

  it('is told once an outage, however many ticks come', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    for (let n = 0; n < 2; n++) {
      link(bench, false);
      bench.tick('54000');
      expect(bench.kinds('log')).toHaveLength(1);
      bench.tick('53000');
      expect(bench.effects).toEqual([]);
      bench.tick('60000');
      link(bench, true);
    }
    expect(bench.order(order.id).phase).toBe('held');
  });

  it('that trails goes on trailing: it fires by the best price of the outage', () => {
    const bench = new Bench();
    const { order } = bench.place(TRAILING);
    link(bench, false);
    bench.tick('70000');
    bench.tick('69500');
    link(bench, true);
    expect(sent(bench)).toEqual([]);
    bench.tick('69300');
    expect(sent(bench)).toEqual([order.id]);
  });

  it('can be cancelled meanwhile', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    link(bench, false);
    bench.tick('54000');
    expect(bench.cancel(order.id).reply().order.status).toBe('CANCELLED');
    link(bench, true);
    expect(sent(bench)).toEqual([]);
  });

  it('of another exchange does not wait for this one', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.engine.memory.addAccount({ id: 'other', name: 'other', kind: 'spot' }, bench.caps, []);
    bench.event({ type: 'link', exchange: 'other', up: false, gap: true });
    bench.tick('54000');
    expect(sent(bench)).toEqual([order.id]);
  });

  it('is said to wait once: the line of another exchange that is up again says nothing of it', () => {
    const bench = new Bench();
    bench.place(STOP);
    bench.engine.memory.addAccount({ id: 'other', name: 'other', kind: 'spot' }, bench.caps, []);
    bench.event({ type: 'link', exchange: 'other', up: false, gap: true });
    link(bench, false);
    bench.tick('54000');
    expect(bench.kinds('log')).toHaveLength(1);
    bench.event({ type: 'link', exchange: 'other', up: true, gap: false });
    expect(bench.kinds('log')).toEqual([]);
    bench.tick('53900');
    expect(bench.kinds('log')).toEqual([]);
  });

  it('does not heed the line of another account on its market, neither to be told again nor to fire', () => {
    const other = { ...ACCOUNT, id: 'paper-other' };
    const bench = new Bench({ more: [other] });
    const told = (exchange: string, up: boolean) =>
      bench
        .event({ type: 'link', exchange, up, gap: false })
        .filter(({ kind }) => kind === 'log' || kind === 'submit').length;
    const { order } = bench.place(STOP);
    told(other.id, false);
    // A price that merely is known fires nothing.
    bench.event({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '54000' });
    expect([told(other.id, true), order.phase]).toEqual([0, 'held']);
    link(bench, false);
    bench.tick('54000');
    told(other.id, false);
    expect([told(other.id, true), order.phase]).toEqual([0, 'held']);
    expect([told(bench.exchange, true), order.phase]).toEqual([1, 'sending']);
  });
});

describe('a protective order that is certainly not at the exchange', () => {
  // proves: S53
  it('ends as ERROR, and another one with an id of its own wants the same a second later', () => {
    const bench = new Bench();
    const { order } = bench.place({ ...STOP, timeInForce: 'GTC' });
    bench.tick('54000');
    bench.submitted(order, BUSY);
    const next = replacementOf(bench, order);
    expect(orderOf(order)).toMatchObject({ status: 'ERROR', specific: { replacedBy: next.id } });
    expect(next.id).not.toBe(order.id);
    expect(next.id.length).toBeLessThanOrEqual(36);
    expect(orderOf(next)).toMatchObject({
      ...orderOf(order),
      id: next.id,
      status: 'NEW',
      orderTime: bench.wall,
      specific: { emulated: true, replaces: order.id },
    });
    expect(bench.kinds('order-event')).toMatchObject([
      { event: 'ORDER_UPDATE', order: { id: order.id, replacedBy: next.id } },
      { event: 'ORDER_CREATE', order: { id: next.id } },
    ]);
    expect(bench.locked('BTC')).toBe(10n ** 30n);
    bench.pass(999);
    bench.wake();
    bench.tick('53000');
    expect(sent(bench)).toEqual([]);
    expect(bench.engine.nextWake()).toBe(bench.mono + 1);
    bench.pass(1);
    bench.wake();
    expect(sent(bench)).toEqual([next.id]);
    bench.accepted(next, { status: 'FILLED', cumQty: '1' });
    bench.fill(bench.trade(next, '1'));
    expect(bench.order(next.id).status).toBe('CLOSED');
    expect(bench.locked('BTC')).toBe(0n);
  });

  it('is tried after 1, 2, 5, 10 and 30 s, then every 30 s, without end', () => {
    const bench = new Bench();
    bench.place(STOP);
    bench.tick('54000');
    const waits: number[] = [];
    for (let n = 0; n < 8; n++) {
      const [id = ''] = sent(bench);
      bench.submitted(bench.order(id), BUSY);
      const from = bench.mono;
      do {
        bench.passToWake();
        bench.wake();
      } while (sent(bench).length === 0);
      waits.push(bench.mono - from);
    }
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('waits the time that passes, whatever is done to the wall clock', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    bench.submitted(order, BUSY);
    bench.setWall(bench.wall - 3_600_000);
    bench.pass(1_000);
    bench.wake();
    expect(sent(bench)).toEqual([replacementOf(bench, order).id]);
  });

  it('is an ordinary held stop when its condition does not hold any more at its turn', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    bench.submitted(order, BUSY);
    bench.tick('56000');
    bench.pass(60_000);
    bench.wake();
    expect(sent(bench)).toEqual([]);
    bench.tick('55000');
    expect(sent(bench)).toEqual([replacementOf(bench, order).id]);
  });

  it('and never arrived, as every question has shown, is sent again just so', () => {
    const bench = new Bench();
    const { order } = bench.place(TRAILING);
    bench.tick('62000');
    bench.tick('61000');
    bench.lost(order);
    bench.pass(6_000);
    bench.queried(order, { kind: 'absent' });
    const next = replacementOf(bench, order);
    expect(next.trailing).toMatchObject({ best: '62000', delta: 100 });
    bench.pass(1_000);
    bench.wake();
    expect(sent(bench)).toEqual([next.id]);
  });

  it('is not sent before the last question about it is answered, nor when it is found', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    bench.lost(order);
    bench.pass(5_999);
    bench.queried(order, { kind: 'absent' });
    expect(bench.order(order.id).replacedBy).toBeUndefined();
    bench.queried(order, { kind: 'found', state: bench.state(order, { status: 'WORKING' }), fills: [] });
    bench.pass(60_000);
    bench.wake();
    expect(sent(bench)).toEqual([]);
  });

  // proves: S53
  it.each([['before the commit that tells the refusal is released'], ['between two tries']])(
    'is tried on after a restart %s',
    (when) => {
      const bench = new Bench();
      const { order } = bench.place(STOP);
      bench.tick('54000');
      const waiting = refused(bench, order, when === 'between two tries' ? 3 : 1);
      bench.setWall(bench.wall - 86_400_000);
      bench.restart();
      expect(sent(bench)).toEqual([]);
      bench.tick('53000');
      expect(sent(bench)).toEqual([]);
      bench.pass(when === 'between two tries' ? 5_000 : 1_000);
      bench.wake();
      expect(sent(bench)).toEqual([waiting.id]);
    },
  );

  it('is not tried while the connection is down, and at once when it is back', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    bench.submitted(order, BUSY);
    link(bench, false);
    bench.pass(600_000);
    bench.wake();
    expect(sent(bench)).toEqual([]);
    link(bench, true);
    expect(sent(bench)).toEqual([replacementOf(bench, order).id]);
  });

  it.each([
    ['the reason does not pass', STOP, POOR],
    [
      'it would buy: an entry is not repeated at another price',
      { ...STOP, side: 'BUY', stopPrice: '65000' },
      BUSY,
    ],
  ] as const)('ends for good when %s', (_, request, outcome) => {
    const bench = new Bench();
    const { order } = bench.place(request);
    bench.tick(request.stopPrice ?? '');
    bench.submitted(order, outcome);
    expect(bench.order(order.id)).toMatchObject({ status: 'ERROR' });
    expect(bench.order(order.id).replacedBy).toBeUndefined();
  });

  it('ends for good when its cancel was asked for while it was on its way', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    bench.cancel(order.id);
    bench.submitted(order, BUSY);
    expect(bench.order(order.id).replacedBy).toBeUndefined();
    expect(bench.locked('BTC')).toBe(0n);
  });

  it('was no stop of the engine: a plain order is refused as ever', () => {
    const bench = new Bench();
    const { order, reply } = bench.place({ type: 'MARKET', side: 'SELL', quantity: '1' });
    bench.submitted(order, BUSY);
    expect(reply().status).toBe(400);
    expect(order.replacedBy).toBeUndefined();
  });
});

describe('a chain of tries', () => {
  // proves: S53
  it('is cancelled by the id of any of its orders, and the answer is the order that lives', () => {
    for (const named of [0, 1, 2]) {
      const bench = new Bench();
      const { order } = bench.place(STOP);
      bench.tick('54000');
      const last = refused(bench, order, 2);
      const ids = [order.id, bench.order(order.id).replacedBy ?? '', last.id];
      const { status, order: answered } = bench.cancel(ids[named] ?? '').reply();
      expect({ status, id: answered.id, now: answered.status }).toEqual({
        status: 200,
        id: last.id,
        now: 'CANCELLED',
      });
      bench.pass(60_000);
      bench.wake();
      expect(sent(bench)).toEqual([]);
    }
  });

  it('that has ended answers with what it came to', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    const last = refused(bench, order, 1);
    bench.pass(1_000);
    bench.wake();
    bench.accepted(last, { status: 'FILLED', cumQty: '1' });
    bench.fill(bench.trade(last, '1'));
    expect(bench.cancel(order.id).reply().order).toMatchObject({ id: last.id, status: 'CLOSED' });
  });

  it('is told in red once the fifth other try has failed, and not before', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    const fifth = refused(bench, order, 5);
    expect(bench.kinds('log').filter((e) => e.kind === 'log' && e.level === 'error')).toEqual([]);
    expect(isWithoutStop(fifth)).toBe(false);
    bench.pass(30_000);
    bench.wake();
    bench.submitted(fifth, BUSY);
    const sixth = replacementOf(bench, fifth);
    expect(isWithoutStop(sixth)).toBe(true);
    const errors = bench.kinds('log').filter((e) => e.kind === 'log' && e.level === 'error');
    expect(errors).toMatchObject([{ orderId: sixth.id, text: expect.stringMatching(/^WITHOUT STOP/) }]);
    bench.pass(30_000);
    bench.wake();
    bench.submitted(sixth, BUSY);
    const seventh = replacementOf(bench, sixth);
    expect(isWithoutStop(seventh)).toBe(true);
    // Logged in red once; it is tried further.
    expect(bench.kinds('log')).toMatchObject([{ level: 'warn' }, { level: 'warn', orderId: seventh.id }]);
    bench.pass(30_000);
    bench.wake();
    bench.accepted(seventh);
    expect(isWithoutStop(seventh)).toBe(false);
  });
});

describe('entries while an account cannot take them', () => {
  // proves: S61
  it.each([
    ['its connection is down', false, false],
    ['it is compared after a gap', true, true],
  ])('are answered 503 when %s, and nothing is stored', (_, up, gap) => {
    const bench = new Bench();
    link(bench, up, gap);
    const commits = bench.store.commits;
    const { reply } = bench.place({ price: '50000', quantity: '1' }, { key: 'k' });
    expect(reply().status).toBe(503);
    expect(reply().answer.outcome).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(bench.store.commits).toBe(commits);
    expect(bench.engine.memory.orders.size).toBe(0);
    expect(sent(bench)).toEqual([]);
    link(bench, true);
    const { order } = bench.place({ price: '50000', quantity: '1' }, { key: 'k' });
    expect(sent(bench)).toEqual([order.id]);
  });

  // proves: S61
  it('are not refused when they close or cancel, and a repetition gets the answer of before', () => {
    const bench = new Bench();
    const resting = bench.resting();
    const { reply, order } = bench.place({ price: '50000', quantity: '1' }, { key: 'k' });
    bench.accepted(order);
    const answered = reply().answer.body;
    link(bench, false, true);
    bench.place({ type: 'MARKET', side: 'SELL', quantity: '1' });
    expect(sent(bench)).toHaveLength(1);
    bench.cancel(resting.id);
    expect(bench.kinds('cancel')).toHaveLength(1);
    const again = bench.place({ price: '50000', quantity: '1' }, { key: 'k' }).reply();
    expect(again.answer).toMatchObject({ status: 200, body: answered, replayed: true });
  });
});

// proves: S53
describe('a protective order that waits for its next try', () => {
  it('is not sent by a tick before its time, and by one of that very moment', () => {
    const bench = new Bench();
    const { order } = bench.place(STOP);
    bench.tick('54000');
    const next = refused(bench, order, 1);
    bench.pass(999);
    bench.tick('53000');
    expect(sent(bench)).toEqual([]);
    bench.pass(1);
    bench.tick('53000');
    expect(sent(bench)).toEqual([next.id]);
    // The wake that was set for it finds nothing to do.
    bench.wake();
    expect(sent(bench)).toEqual([]);
    expect(bench.engine.nextWake()).toBe(bench.mono + 60_000);
  });
});

// proves: S53
it('a stop that waits for its line is not told of again when that is said to be down once more, or up once more', () => {
  const bench = new Bench();
  const { order } = bench.place(STOP);
  link(bench, false);
  bench.tick('54000');
  expect(bench.kinds('log')).toHaveLength(1);
  expect(link(bench, false, true)).toEqual([]);
  bench.tick('53000');
  expect(bench.effects).toEqual([]);
  link(bench, true);
  expect(sent(bench)).toEqual([order.id]);
  bench.submitted(order, BUSY);
  expect(link(bench, true, true)).toEqual([]);
});
