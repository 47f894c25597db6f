/**
 * One effect and one answer per idempotency key, for an hour, also over restarts (specification,
 * "Idempotency"; D10 to D17).
 */
import { describe, expect, it } from 'vitest';
import { IDEMPOTENCY_RECORDS_MAX } from '../../src/engine/idempotency.ts';
import { idempotencyId } from '../../src/engine/idempotency-table.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, CAPS, START, STRANGER } from './support/market.ts';

const LIMIT = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '1' } as const;
const key = { key: 'k' };

describe('the same key', () => {
  // proves: rule idempotency-replay, rule idempotency-echo, rule meta-idempotency-key, D15
  it('with the same request gets the same bytes, and nothing happens again', () => {
    const bench = new Bench();
    const first = bench.place(LIMIT, key);
    bench.accepted(first.order);
    bench.wall += 60_000;
    const again = bench.place(LIMIT, key).reply().answer;
    expect(again).toEqual({ status: 200, body: first.reply().answer.body, replayed: true });
    expect(first.reply().answer.body).toContain('"idempotencyKey":"k"');
    expect(bench.effects.map((e) => e.kind)).toEqual(['answer']);
  });

  // proves: rule idempotency-replay, D12
  it('gets the same bytes after a restart', () => {
    const bench = new Bench();
    const first = bench.place(LIMIT, key);
    bench.accepted(first.order);
    bench.restart();
    expect(bench.place(LIMIT, key).reply().answer.body).toBe(first.reply().answer.body);
  });

  // proves: rule idempotency-4xx, rule replayed-400, D14
  it.each([
    ['400', { ...LIMIT, quantity: '0' }],
    ['400 of the schema', null],
  ])('replays a %s', (_name, request) => {
    const bench = new Bench();
    const ask = () =>
      request
        ? bench.place(request, key).reply().answer
        : bench.ask({ type: 'refuse', error: { code: 'INVALID_REQUEST', message: 'no' } }, key).reply()
            .answer;
    const first = ask();
    const second = ask();
    expect(first).toMatchObject({ status: 400, replayed: false });
    expect(second).toMatchObject({ status: 400, replayed: true, body: first.body });
  });

  // proves: rule idempotency-4xx, D14
  it('replays a 404', () => {
    const bench = new Bench();
    expect(bench.cancel('ps-none', key).reply().status).toBe(404);
    expect(bench.cancel('ps-none', key).reply().answer.replayed).toBe(true);
  });

  // proves: rule idempotency-conflict, D14
  it('with another request is a conflict that is not remembered', () => {
    const bench = new Bench();
    const first = bench.place(LIMIT, key);
    bench.accepted(first.order);
    expect(bench.place(LIMIT, { key: 'k', print: 'other' }).reply()).toMatchObject({
      status: 409,
      message: 'idempotency key k was already used with different request parameters',
    });
    expect(bench.kinds('submit')).toEqual([]);
    expect(bench.place(LIMIT, key).reply().status).toBe(200);
  });

  // proves: rule idempotency-in-progress, D16
  it('while the first is under way is a conflict', () => {
    const bench = new Bench();
    bench.place(LIMIT, key);
    expect(bench.place(LIMIT, key).reply()).toMatchObject({
      status: 409,
      message: 'the request with idempotency key k is already processing',
    });
  });

  // proves: rule idempotency-5xx, D14
  it.each(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'RATE_LIMITED', 'FORBIDDEN', 'INVALID_KEY'] as const)(
    'after a %s executes anew',
    (code) => {
      const bench = new Bench();
      bench.ask({ type: 'refuse', error: { code, message: 'no' } }, key);
      expect(bench.store.idempotency.size).toBe(0);
      expect(bench.place(LIMIT, key).order.status).toBe('NEW');
      expect(bench.kinds('submit')).toHaveLength(1);
    },
  );

  // proves: rule idempotency-hour, limit idempotency-window, D17
  it('is new after an hour from arrival, not sooner', () => {
    const bench = new Bench();
    bench.accepted(bench.place(LIMIT, key).order);
    bench.wall = START + 3_599_999;
    expect(bench.place(LIMIT, key).reply().answer.replayed).toBe(true);
    bench.wall = START + 3_600_000;
    bench.place(LIMIT, { key: 'k', print: 'other' });
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  // proves: D10, S27
  it('belongs to its user', () => {
    const bench = new Bench();
    bench.accepted(bench.place(LIMIT, key).order);
    const exchange = 'other-spot';
    bench.engine.memory.addAccount({ ...ACCOUNT, id: exchange, user: 'stranger' }, CAPS, [BTC]);
    bench.event({
      type: 'venue.balances',
      exchange,
      changed: [{ asset: 'USDT', free: '50000', locked: '0' }],
      all: true,
    });
    bench.place({ ...LIMIT, exchange }, { key: 'k', print: 'other', actor: STRANGER });
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  // proves: D12
  it('is answered once and for all by the first answer: 200 NEW stays 200 NEW', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, key);
    bench.lost(order);
    bench.queried(order, {
      kind: 'found',
      state: bench.state(order, { status: 'FILLED', cumQty: '1' }),
      fills: [],
    });
    expect(bench.place(LIMIT, key).reply().order.status).toBe('NEW');
  });
});

describe('records', () => {
  it('leave memory after their hour', () => {
    const bench = new Bench();
    bench.place({ ...LIMIT, quantity: '0' }, key);
    bench.wall = START + 3_600_000;
    bench.wake();
    expect(bench.engine.memory.idempotency.size).toBe(0);
  });

  // proves: D16, D17
  it.each(['order', 'cancel'])(
    'of the %s under way stay over the hour: a clock set back makes it no new one',
    (what) => {
      const bench = new Bench();
      const { id } = bench.resting();
      const ask = () => (what === 'order' ? bench.place(LIMIT, key) : bench.cancel(id, key));
      ask();
      bench.wall = START + 3_600_000;
      bench.wake();
      bench.setWall(START + 60_000);
      expect(ask().reply().status).toBe(409);
      expect(bench.effects.map(({ kind }) => kind)).toEqual(['answer']);
    },
  );

  /** Stores the maximum number of records of a user. */
  function fill(bench: Bench, user: string): void {
    const answer = { status: 200, body: '' };
    const record = { user, fingerprint: '', arrivedAt: START, requestId: '', effect: null, answer };
    for (let i = 0; i < IDEMPOTENCY_RECORDS_MAX; i++) {
      bench.engine.memory.idempotency.set(idempotencyId(user, `${i}`), { ...record, key: `${i}` });
    }
  }

  // proves: D17, error SERVICE_UNAVAILABLE
  it('fill the table of their user: then 503, which is not remembered, until their hour is over', () => {
    const bench = new Bench();
    const { idempotency } = bench.engine.memory;
    fill(bench, 'owner');
    expect(bench.place(LIMIT, key).reply()).toMatchObject({ status: 503 });
    expect(idempotency.size).toBe(IDEMPOTENCY_RECORDS_MAX);
    bench.place(LIMIT);
    expect(bench.kinds('submit')).toHaveLength(1);
    idempotency.delete(idempotencyId('owner', '7'));
    bench.place(LIMIT, key);
    expect(bench.kinds('submit')).toHaveLength(1);
    expect(bench.place(LIMIT, { key: 'other' }).reply()).toMatchObject({ status: 503 });
    bench.wall = START + 3_600_000;
    bench.wake();
    bench.place(LIMIT, { key: 'other' });
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  // proves: D17, S27
  it('of one user leave another one theirs', () => {
    const bench = new Bench();
    fill(bench, 'mallory');
    bench.place(LIMIT, key);
    expect(bench.kinds('submit')).toHaveLength(1);
  });

  // proves: D17
  it.each([
    ['who uses its key now', 'slow'],
    ['its own repetition', 'newer'],
  ])('are the newest requests: one that took over an hour does not overwrite %s', (_whom, print) => {
    const bench = new Bench();
    const slow = bench.place(LIMIT, { key: 'k', print });
    bench.wall = START + 3_600_000;
    const newer = bench.place(LIMIT, { key: 'k', print: 'newer' });
    bench.accepted(newer.order);
    bench.submitted(slow.order, { kind: 'rejected', reason: 'OTHER', code: '-2010', message: 'no' });
    expect(slow.reply().status).toBe(400);
    const again = bench.place(LIMIT, { key: 'k', print: 'newer' }).reply();
    expect(again).toMatchObject({ status: 200, order: { id: newer.order.id }, answer: { replayed: true } });
    bench.restart();
    expect(bench.place(LIMIT, { key: 'k', print: 'newer' }).reply().answer.replayed).toBe(true);
  });
});
