/**
 * A commit that fails while several requests wait, for the same order and for different ones, with keys and
 * without: each keeps waiting, or is lost, by what was stored of itself.
 */
import { describe, expect, it } from 'vitest';
import type { OrderRecord } from '../../src/domain/order.ts';
import { PAPER_AMENDS } from '../../src/venues/paper/amend.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR, STRANGER } from './support/market.ts';
import { RowStore } from './support/row-store.ts';

/** Runs `uncommitted`, whose commit fails; returns the tokens of the requests that are lost with it. */
function failing(bench: Bench, uncommitted: () => void, unreleased = false): number[] {
  const stored = bench.store.load(0);
  const before = bench.engine;
  uncommitted();
  const effects = bench.effects;
  bench.store = RowStore.of(stored);
  bench.engine = bench.reload();
  const lost = bench.engine.carryOver(before, unreleased ? effects : []);
  bench.start();
  return lost;
}

const amend = (bench: Bench, { id }: Pick<OrderRecord, 'id'>, price: string, key?: string) =>
  bench.ask(
    { type: 'amend', exchange: bench.exchange, id, price },
    { actor: OPERATOR, ...(key === undefined ? {} : { key }) },
  );

describe('of several requests that wait for one order', () => {
  it('those keep waiting whose keys were stored, each answered under its own', () => {
    const bench = new Bench();
    const { id } = bench.resting();
    const [a, b] = [bench.cancel(id, { key: 'a' }), bench.cancel(id, { key: 'b' })];
    const tokens: number[] = [];
    const lost = failing(bench, () => {
      for (const key of ['c', 'd']) tokens.push(bench.cancel(id, { key }).token);
    });
    expect(lost).toEqual(tokens);
    bench.queried(bench.order(id), {
      kind: 'found',
      state: bench.state(bench.order(id), { status: 'CANCELLED' }),
      fills: [],
    });
    for (const [asked, key] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      expect(JSON.parse(asked.reply().answer.body).meta.idempotencyKey).toBe(key);
      const again = bench.cancel(id, { key }).reply();
      expect([again.answer.replayed, again.answer.body]).toEqual([true, asked.reply().answer.body]);
    }
    const later = bench.cancel(id, { key: 'c' }).reply();
    expect([later.answer.replayed, later.order.status]).toEqual([false, 'CANCELLED']);
  });

  it('the placing one and the cancelling one are told by what was stored of each', () => {
    const bench = new Bench();
    const placed = bench.place({ price: '50000', quantity: '1' }, { key: 'p' });
    const { id } = placed.order;
    let cancel = -1;
    // It was answered at once, and that answer was not released.
    expect(failing(bench, () => (cancel = bench.cancel(id).token), true)).toEqual([cancel]);
    expect(bench.order(id)).toMatchObject({ phase: 'unresolved', status: 'NEW' });
    expect(bench.order(id).cancel).toBeUndefined();
    bench.queried(bench.order(id), { kind: 'found', state: bench.state(bench.order(id)), fills: [] });
    expect(placed.reply().order).toMatchObject({ id, status: 'OPENED' });
  });
});

describe('of requests for two orders', () => {
  it('the one that was stored goes on, and the other one was never sent', () => {
    const bench = new Bench();
    const first = bench.place({ price: '50000', quantity: '1' });
    let second = first;
    expect(failing(bench, () => (second = bench.place({ price: '49000', quantity: '2' })))).toEqual([
      second.token,
    ]);
    expect([...bench.engine.memory.orders.keys()]).toEqual([first.order.id]);
    expect(bench.kinds('submit')).toEqual([]);
    const order = bench.order(first.order.id);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect([first.reply().status, bench.isAnswered(second.token)]).toEqual([200, false]);
  });

  it('of two users under one key each has its own', () => {
    const bench = new Bench();
    const { id } = bench.resting();
    const mine = bench.cancel(id, { key: 'k' });
    let theirs = -1;
    const lost = failing(bench, () => (theirs = bench.cancel(id, { key: 'k', actor: STRANGER }).token), true);
    expect(lost).toEqual([theirs]);
    expect(bench.isAnswered(mine.token)).toBe(false);
    bench.queried(bench.order(id), {
      kind: 'found',
      state: bench.state(bench.order(id), { status: 'CANCELLED' }),
      fills: [],
    });
    expect(mine.reply().order.status).toBe('CANCELLED');
  });
});

describe('a change whose commit fails', () => {
  it('is lost with it in place and by another order; what was stored before goes on', () => {
    for (const caps of [{ amends: PAPER_AMENDS }, {}]) {
      const bench = new Bench({ caps });
      const [first, second] = [bench.resting().id, bench.resting({ price: '48000' }).id];
      const stored = amend(bench, { id: first }, '51000', 'a');
      let token = -1;
      expect(failing(bench, () => (token = amend(bench, { id: second }, '49000', 'b').token))).toEqual([
        token,
      ]);
      expect([bench.order(second).change, bench.order(second).cancel]).toEqual([undefined, undefined]);
      expect(bench.kinds('query')).toMatchObject([{ orderId: first }]);
      expect(bench.effects.filter(({ kind }) => kind === 'amend' || kind === 'cancel')).toEqual([]);
      expect(amend(bench, { id: first }, '52000', 'a').reply().status).toBe('amends' in caps ? 200 : 409);
      expect(bench.isAnswered(stored.token)).toBe('amends' in caps);
    }
  });

  it('keeps waiting for an answer that was lost with the commit of it', () => {
    const bench = new Bench({ caps: { amends: PAPER_AMENDS } });
    const { id } = bench.resting();
    const asked = amend(bench, { id }, '51000', 'a');
    const answered = () => {
      const order = bench.order(id);
      const terms = { side: 'BUY', type: 'LIMIT', price: '51000', timeInForce: 'GTC' } as const;
      const rest = {
        reduceOnly: false,
        closePosition: false,
        positionSide: 'BOTH',
        workingType: 'MARK_PRICE',
      } as const;
      const state = bench.state(order, { terms: { ...terms, ...rest } });
      return { kind: 'found', state, fills: [] } as const;
    };
    const done = answered();
    bench.answers.delete(asked.token);
    const lost = failing(
      bench,
      () => {
        bench.event({
          type: 'amended',
          exchange: bench.exchange,
          orderId: id,
          n: 1,
          outcome: { kind: 'done', state: done.state },
        });
        bench.answers.delete(asked.token);
      },
      true,
    );
    expect(lost).toEqual([]);
    // The start tells that its outcome is not known, under its key.
    expect(asked.reply()).toMatchObject({
      status: 200,
      order: { price: '50000', specific: { amendPending: true } },
    });
    bench.queried(bench.order(id), done);
    expect(bench.order(id)).toMatchObject({ price: '51000' });
  });
});
