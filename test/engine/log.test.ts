/** The log of orders and settings: who asked, and the outcome (engine.md, submission rule 8). */
import { describe, expect, it } from 'vitest';
import { Bench } from './support/bench.ts';
import { OPERATOR, SPOT } from './support/market.ts';

const LIMIT = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '1' } as const;

/** The lines of the last step. */
const lines = (bench: Bench) =>
  bench.effects.flatMap((effect) =>
    effect.kind === 'log' ? [[effect.level, effect.text, effect.orderId]] : [],
  );

describe('the log', () => {
  it('has what a person does with an order, and leaves programs to the order’s own events', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { actor: OPERATOR });
    const { id } = order;
    const placed = `${id}: BUY LIMIT 1 BTCUSDT at 50000 on paper-spot, asked by operator`;
    expect(lines(bench)).toEqual([['info', placed, id]]);
    bench.accepted(order);
    bench.cancel(id, { actor: OPERATOR });
    expect(lines(bench)).toEqual([['info', `${id}: cancel, asked by operator`, id]]);
    bench.cancel(id, { actor: OPERATOR });
    expect(lines(bench)).toEqual([]);
    bench.place(LIMIT);
    expect(lines(bench)).toEqual([]);
  });

  it('has every order that the exchange refuses, whoever asked, once', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.submitted(order, {
      kind: 'rejected',
      reason: 'BALANCE',
      code: '-2019',
      message: 'Margin is insufficient.',
    });
    const text = `${order.id}: paper-spot refused: Margin is insufficient. (-2019)`;
    expect(lines(bench)).toEqual([['warn', text, order.id]]);
  });

  it('has the end of not knowing', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    const text = `${order.id} is no longer unresolved: found at paper-spot`;
    expect(lines(bench)).toEqual([['info', text, order.id]]);
  });

  it.each([
    [{ kind: 'done', dust: { converted: [] } }, 'info', ''],
    [{ kind: 'rejected', code: '-1', message: 'Not now.' }, 'warn', ': refused: Not now.'],
    [{ kind: 'unknown', cause: 'time-out' }, 'warn', ': outcome unknown (time-out)'],
  ] as const)('has a setting when its outcome is known: %o', (outcome, level, words) => {
    const bench = new Bench();
    const setting = { kind: 'dust', assets: ['ETH'] } as const;
    bench.ask({ type: 'setting', exchange: SPOT, setting }, { actor: OPERATOR });
    expect(lines(bench)).toEqual([]);
    const [sent] = bench.kinds('setting');
    bench.event({
      type: 'setting-done',
      id: sent?.kind === 'setting' ? sent.id : '',
      outcome: outcome as never,
    });
    const asked = 'paper-spot: dust conversion of ETH, asked by operator';
    expect(lines(bench)).toEqual([[level, asked + words, undefined]]);
  });
});
