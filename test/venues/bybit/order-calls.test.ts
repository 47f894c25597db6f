/**
 * What is sent to Bybit for an order, a cancel or a change, and what is made of acknowledgements: they say
 * nothing of the outcome, which comes by the stream, before or after, or is asked for.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { DECIDED_WITHIN_MS } from '../../../src/venues/bybit/order-watch.ts';
import type { CallResult } from '../../../src/venues/kit/caller.ts';
import {
  ALL,
  answer,
  DISPATCH,
  GONE,
  LOST,
  REF,
  REFUSED,
  Script,
  state,
  symbol,
} from './order-calls-support.ts';

describe('an order that is acknowledged', () => {
  it('is what the stream has told of it before the acknowledgement came, without a question', async () => {
    const script = new Script();
    script.meanwhile = () => {
      script.watch.heard(state({ clientId: 'other' }));
      script.watch.heard(state({ symbol: 'ETHUSDT' }));
      script.watch.heard(state());
    };
    expect(await script.submit()).toEqual({ kind: 'accepted', state: state() });
    expect([script.looks, script.owed]).toEqual([0, 0]);
  });

  it('is what the stream tells of it afterwards, and is not asked about any more then', async () => {
    const script = new Script();
    const asked = script.calls.submit(script.order(), DISPATCH);
    await script.clock.advance(200);
    script.watch.heard(state({ status: 'REJECTED', reason: 'BALANCE', text: 'too poor' }));
    expect(await script.result(asked)).toMatchObject({
      kind: 'rejected',
      reason: 'BALANCE',
      message: 'too poor',
    });
    expect([script.looks, script.owed]).toEqual([0, 0]);
  });

  it('is asked about twice within a second, and its event is owed only where it was found so', async () => {
    const script = new Script();
    expect(await script.submit()).toMatchObject({ kind: 'unknown' });
    expect([script.looks, script.owed]).toEqual([2, 0]);
    script.looks = 0;
    const asked = script.calls.submit(script.order(), DISPATCH);
    await script.clock.advance(500);
    expect(script.looks).toBe(1);
    script.listed = state();
    expect(await script.result(asked)).toEqual({ kind: 'accepted', state: state() });
    expect([script.looks, script.owed]).toEqual([2, 1]);
  });

  it('under the id of another order may have been taken', async () => {
    const script = new Script();
    script.answers = [answer({ orderId: '7', orderLinkId: 'b' })];
    script.listed = state();
    expect(await script.submit()).toMatchObject({ kind: 'unknown' });
    expect(script.looks).toBe(0);
  });
});

describe('a cancel', () => {
  it.each<[string, Partial<ExchangeOrder> | null, readonly string[]]>([
    ['an own order', {}, ['Order']],
    [
      'an own one with a trigger, which may have been met',
      { type: 'STOP_LIMIT', stopPrice: '4' },
      ['StopOrder', 'tpslOrder', 'Order'],
    ],
    ['one of which this process knows nothing', null, ['Order', 'StopOrder', 'tpslOrder']],
  ])('of %s looks for it in every group in which it may be', async (_, own, groups) => {
    const script = new Script();
    if (own) script.names.sends(script.order(own));
    script.answers = groups.map(() => GONE);
    script.found = { kind: 'found', state: state({ status: 'CANCELLED' }), fills: [] };
    expect(await script.cancel()).toMatchObject({ kind: 'gone', state: { status: 'CANCELLED' } });
    expect(script.groups).toEqual(groups);
    for (let at = 0; at < groups.length; at++) {
      const next = new Script();
      if (own) next.names.sends(next.order(own));
      next.answers = Array.from({ length: at }, () => GONE);
      next.listed = state({ status: 'CANCELLED' });
      expect(await next.cancel()).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
      expect(next.groups).toEqual(groups.slice(0, at + 1));
    }
  });

  it('of a contract names no group', async () => {
    const script = new Script('linear');
    script.answers = [GONE];
    // A list that lags still has it as open, which says nothing.
    script.found = { kind: 'found', state: state(), fills: [] };
    expect(await script.cancel()).toEqual({ kind: 'gone', state: null });
    expect(script.groups).toEqual([undefined]);
  });

  it('is done when the order has ended, too late where that was by its execution, else not known', async () => {
    for (const [status, outcome] of [
      ['CANCELLED', { kind: 'done', state: { status: 'CANCELLED' } }],
      ['FILLED', { kind: 'gone', state: { status: 'FILLED' } }],
      ['WORKING', { kind: 'unknown' }],
    ] as const)
      for (const isHeard of [true, false]) {
        const script = new Script('linear');
        if (isHeard) script.meanwhile = () => script.watch.heard(state({ status }));
        else script.listed = state({ status });
        expect(await script.cancel()).toMatchObject(outcome);
      }
  });
});

describe('a cancel of all of a symbol', () => {
  it('on spot is one of every group, also of those that only the website makes', async () => {
    const script = new Script();
    script.answers = Array.from({ length: 5 }, () => ALL());
    expect(await script.cancelAll()).toEqual({ kind: 'done', states: [] });
    expect(script.groups).toEqual(['Order', 'StopOrder', 'tpslOrder', 'OcoOrder', 'BidirectionalTpslOrder']);
    const linear = new Script('linear');
    linear.answers = [ALL()];
    expect(await linear.cancelAll()).toEqual({ kind: 'done', states: [] });
    expect(linear.groups).toEqual([undefined]);
  });

  it.each<[string, readonly CallResult[], string]>([
    ['the first is lost', [LOST, ALL(), ALL(), ALL(), ALL()], 'unknown'],
    ['the last is lost', [ALL(), ALL(), ALL(), ALL(), LOST], 'unknown'],
    [
      'one says that it did not cancel all',
      [ALL(), answer({ success: '0', list: [] }), ALL(), ALL(), ALL()],
      'unknown',
    ],
    ['the first is refused and others are done', [REFUSED, ALL(), ALL(), ALL(), ALL()], 'unknown'],
    ['the last is refused and others are done', [ALL(), ALL(), ALL(), ALL(), REFUSED], 'unknown'],
    ['each is refused', [REFUSED, REFUSED, REFUSED, REFUSED, REFUSED], 'rejected'],
    ['nothing is there', [GONE, GONE, GONE, GONE, GONE], 'done'],
  ])('where %s is so', async (_, answers, kind) => {
    const script = new Script();
    script.answers = [...answers];
    expect((await script.cancelAll()).kind).toBe(kind);
  });

  it('gives the ends that were told while it was under way and after it, and no order that is still open', async () => {
    const script = new Script('linear');
    const one = (id: string, more: Partial<ExchangeOrderState> = {}) =>
      state({ clientId: `of ${id}`, venueIds: [id], status: 'CANCELLED', ...more });
    script.answers = [ALL('1', '2', '3')];
    script.meanwhile = () => {
      script.watch.heard(one('1'));
      script.watch.heard(one('2', { status: 'WORKING' }));
      script.watch.heard(one('3', { symbol: 'ETHUSDT' }));
    };
    const asked = script.calls.cancelAll(symbol, DISPATCH);
    await script.clock.advance(DECIDED_WITHIN_MS / 2);
    script.watch.heard(one('2', { status: 'FILLED' }));
    const outcome = await script.result(asked);
    expect(outcome).toEqual({ kind: 'done', states: [one('1'), one('2', { status: 'FILLED' })] });
  });
});

describe('a change', () => {
  const terms = (price: string) => ({ terms: { price } as NonNullable<ExchangeOrderState['terms']> });

  it('is done only when all of it is so, or the order has ended', async () => {
    const change = { price: '6.0', quantity: '2' };
    for (const [so, kind] of [
      [state({ origQty: '2.0', ...terms('6') }), 'done'],
      [state({ origQty: '2', ...terms('5') }), 'unknown'],
      [state({ origQty: '1', ...terms('6') }), 'unknown'],
      [state({ status: 'FILLED', ...terms('5') }), 'done'],
    ] as const)
      for (const isHeard of [true, false]) {
        const script = new Script('linear');
        if (isHeard) script.meanwhile = () => script.watch.heard(so);
        else script.listed = so;
        const outcome = await script.result(script.calls.amend(REF, change, DISPATCH));
        expect([so, outcome.kind]).toEqual([so, kind]);
        expect(script.sent[0]?.parameters).toMatchObject({ price: '6.0', qty: '2', orderLinkId: 'a' });
      }
  });

  it('of an order that is gone says how it has ended', async () => {
    const script = new Script('linear');
    script.answers = [GONE];
    script.found = { kind: 'found', state: state({ status: 'FILLED' }), fills: [] };
    expect(await script.result(script.calls.amend(REF, { price: '6' }, DISPATCH))).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED' },
    });
  });
});
