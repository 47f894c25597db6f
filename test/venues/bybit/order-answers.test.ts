/**
 * Orders, cancels and changes of a Bybit account while others are under way: each waits for its own order,
 * what never left is not asked about, and what is sent names the order as it has to.
 */
import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/venues/kit/caller.ts';
import { ALL, answer, DISPATCH, GONE, LOST, REF, Script, state, symbol } from './order-calls-support.ts';

const UNSENT: CallResult = { kind: 'unsent', cause: 'no line' };
const page = (status: number, text = '<html>'): CallResult => ({ kind: 'answer', status, text });

describe('an order', () => {
  it('beside another one of its symbol, and one of its id elsewhere, is told its own end', async () => {
    const script = new Script('linear');
    const ask = (clientId: string, of: string) =>
      script.calls.submit(script.order({ clientId, symbol: of }), DISPATCH);
    const asked = [ask('a', symbol), ask('b', symbol), ask('a', 'ETHUSDT')];
    await script.clock.advance(10);
    const eth = state({ symbol: 'ETHUSDT', venueIds: ['9'] });
    script.watch.heard(eth);
    script.watch.heard(state({ clientId: 'b', status: 'REJECTED', reason: 'LOT_SIZE', text: 'b' }));
    script.watch.heard(state({ status: 'PENDING', venueIds: ['7'] }));
    script.watch.heard(state({ status: 'FILLED', venueIds: ['7'] }));
    expect(await script.result(Promise.all(asked))).toEqual([
      { kind: 'accepted', state: state({ status: 'PENDING' }) },
      { kind: 'rejected', reason: 'LOT_SIZE', code: 'Rejected', message: 'b' },
      { kind: 'accepted', state: eth },
    ]);
    expect(script.looks).toBe(0);
  });

  it('is told the newest of what came before its acknowledgement', async () => {
    const script = new Script();
    script.meanwhile = () => {
      script.watch.heard(state());
      script.watch.heard(state({ status: 'FILLED' }));
    };
    expect(await script.submit()).toMatchObject({ state: { status: 'FILLED' } });
  });

  it('that is found refused without a reason is refused in words', async () => {
    const script = new Script();
    script.listed = state({ status: 'REJECTED' });
    expect(await script.submit()).toEqual({
      ...{ kind: 'rejected', reason: 'OTHER', code: 'Rejected', message: 'refused by the exchange' },
    });
    expect(script.refs).toEqual([{ clientId: 'a', symbol }]);
  });

  it('that is found owes its event since it was sent, in time for a second at most', async () => {
    const script = new Script();
    const asked = script.calls.submit(script.order(), DISPATCH);
    await script.clock.advance(299);
    script.listed = state();
    expect(script.looks).toBe(0);
    await script.clock.advance(1);
    expect([script.looks, script.owed, script.owedSince]).toEqual([1, 1, 77]);
    expect(await asked).toMatchObject({ kind: 'accepted' });
    let isOver = false;
    const late = new Script();
    void late.calls.submit(late.order(), DISPATCH).then(() => {
      isOver = true;
    });
    await late.clock.advance(999);
    expect([late.looks, isOver]).toEqual([2, false]);
    await late.clock.advance(1);
    expect(isOver).toBe(true);
    // Nothing waits for it any more.
    late.watch.heard(state());
    await late.clock.advance(5_000);
    expect(late.looks).toBe(2);
  });

  it.each<[string, CallResult, object]>([
    ['never left', UNSENT, { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: 'no line' }],
    ['is lost', LOST, { kind: 'unknown', cause: 'lost' }],
    ['is refused', answer({}, 170_131), { kind: 'rejected', reason: 'BALANCE', code: '170131' }],
    ['is answered with a page', page(502), { kind: 'unknown' }],
    [
      'is not taken with its key',
      page(401, ''),
      { kind: 'rejected', reason: 'BAD_CREDENTIALS', code: '401' },
    ],
    [
      'comes too often',
      page(403, 'access too frequent'),
      { kind: 'rejected', reason: 'RATE_LIMITED', code: '403' },
    ],
    ['is there already', answer({}, 110_072), { kind: 'unknown', cause: 'told (110072)' }],
    ['is answered in another form', answer({ id: 5 }), { kind: 'unknown' }],
  ])('that %s is not waited for', async (_, called, outcome) => {
    const script = new Script();
    if (called.kind === 'unsent') script.unsent = called;
    else script.answers = [called];
    expect(await script.calls.submit(script.order(), DISPATCH)).toMatchObject(outcome);
    expect([script.looks, script.owed]).toEqual([0, 0]);
    expect(script.complaints).toHaveLength(_.includes('form') ? 1 : 0);
  });

  it('that was taken back before it left is not waited for, and one that has no form is not sent', async () => {
    const script = new Script();
    script.unsent = { kind: 'withdrawn' };
    expect(await script.calls.submit(script.order(), DISPATCH)).toEqual({ kind: 'withdrawn' });
    const none = new Script();
    const wrong = none.order({ price: undefined });
    expect(await none.calls.submit(wrong, DISPATCH)).toMatchObject({ kind: 'rejected', code: 'FORM' });
    expect([none.sent, none.names.sent('a')]).toEqual([[], undefined]);
  });

  it('that reduces nothing is blocked by others where there is a position of its side', async () => {
    const script = new Script('linear');
    const row = { positionIdx: 0 as const, size: '1', updatedTime: '1' };
    script.facts.position({ ...row, symbol, side: 'Buy' });
    script.facts.position({ ...row, symbol: 'HUSDT', positionIdx: 2, side: 'Sell' });
    const sell = { side: 'SELL', reduceOnly: true } as const;
    const short = { symbol: 'HUSDT', positionSide: 'SHORT' } as const;
    for (const [more, code, reason] of [
      [sell, 110_017, 'EXITS_REST'],
      [{ ...sell, side: 'BUY' }, 110_017, 'REDUCE_ONLY'],
      [{ ...sell, symbol: 'ETHUSDT' }, 110_017, 'REDUCE_ONLY'],
      [{ ...short, side: 'BUY' }, 110_017, 'EXITS_REST'],
      [{ ...short, side: 'SELL' }, 110_017, 'REDUCE_ONLY'],
      [{ ...short, side: 'BUY', positionSide: 'LONG' }, 110_017, 'REDUCE_ONLY'],
      [sell, 110_007, 'BALANCE'],
    ] as const) {
      script.answers = [answer({}, code)];
      const outcome = await script.submit(more);
      expect([more, outcome]).toMatchObject([more, { kind: 'rejected', reason, code: String(code) }]);
    }
  });
});

describe('a cancel', () => {
  it('is of the order by the id of the exchange alone, where it is known', async () => {
    const script = new Script('linear');
    const ref = { clientId: 'a', symbol, venueIds: ['7', '8'] };
    const asked = script.calls.cancel(ref, DISPATCH);
    await script.clock.advance(10);
    script.watch.heard(state({ status: 'CANCELLED', venueIds: ['9'] }));
    script.watch.heard(state({ status: 'CANCELLED', symbol: 'ETHUSDT' }));
    script.watch.heard(state({ status: 'CANCELLED', venueIds: undefined }));
    script.watch.heard(state());
    script.watch.heard(state({ status: 'CANCELLED', clientId: '', venueIds: ['7'] }));
    expect(await script.result(asked)).toMatchObject({ kind: 'done', state: { clientId: '' } });
    expect(script.sent).toEqual([
      { path: '/v5/order/cancel', parameters: { category: 'linear', symbol, orderId: '7' } },
    ]);
    const own = new Script('linear');
    const mine = own.calls.cancel(REF, DISPATCH);
    await own.clock.advance(10);
    own.watch.heard(state({ status: 'CANCELLED', clientId: 'b' }));
    own.watch.heard(state({ status: 'CANCELLED', symbol: 'ETHUSDT' }));
    own.watch.heard(state({ status: 'CANCELLED', venueIds: ['99'] }));
    expect(await own.result(mine)).toMatchObject({ kind: 'done', state: { venueIds: ['99'] } });
    expect(own.sent[0]?.parameters).toEqual({ category: 'linear', symbol, orderLinkId: 'a' });
  });

  it.each<[string, CallResult, object]>([
    ['is lost', LOST, { kind: 'unknown', cause: 'lost' }],
    ['is refused', answer({}, 10_005), { kind: 'rejected', code: '10005' }],
    ['is answered that nobody knows', answer({}, 10_016), { kind: 'unknown', cause: 'told (10016)' }],
    ['is answered with a page', page(502), { kind: 'unknown' }],
    ['of what is being made is refused', answer({}, 110_079), { kind: 'rejected', reason: 'OVERLOADED' }],
  ])('that %s is not waited for, and no other group is tried', async (_, called, outcome) => {
    const script = new Script();
    script.answers = [called];
    expect(await script.calls.cancel(REF, DISPATCH)).toMatchObject(outcome);
    expect([script.looks, script.sent.length]).toEqual([0, 1]);
  });

  it('that was refused for its number is to be sent again', async () => {
    const script = new Script('linear');
    script.answers = [answer({}, 10_006)];
    expect(await script.calls.cancel(REF, DISPATCH)).toEqual({ kind: 'over' });
  });

  it('that is found nowhere is asked about once, by the same names', async () => {
    const script = new Script('linear');
    script.answers = [GONE];
    const ref = { clientId: 'a', symbol, venueIds: ['7'] };
    script.found = { kind: 'unknown', cause: 'x' };
    expect(await script.calls.cancel(ref, DISPATCH)).toEqual({ kind: 'gone', state: null });
    expect(script.refs).toEqual([ref]);
  });

  it('that never left is not waited for', async () => {
    const script = new Script('linear');
    script.unsent = UNSENT;
    expect(await script.calls.cancel(REF, DISPATCH)).toMatchObject({ kind: 'unknown', cause: 'no line' });
    script.unsent = { kind: 'withdrawn' };
    expect(await script.calls.cancel(REF, DISPATCH)).toEqual({ kind: 'withdrawn' });
    expect(await script.calls.amend(REF, { price: '6' }, DISPATCH)).toEqual({ kind: 'withdrawn' });
    expect(script.looks).toBe(0);
  });
});

describe('a cancel of all of a symbol', () => {
  const one = (id: string, more = {}) =>
    state({ clientId: `of ${id}`, venueIds: [id], status: 'CANCELLED', ...more });

  it('has each end that was told, one after the other, and asks about the rest by their ids', async () => {
    const script = new Script('linear');
    script.answers = [ALL('1', '2', '3')];
    script.meanwhile = () => {
      script.watch.heard(one('1'));
      script.watch.heard(one('2', { status: 'FILLED' }));
      script.watch.heard(one('4'));
    };
    expect(await script.cancelAll()).toEqual({
      ...{ kind: 'done', states: [one('1'), one('2', { status: 'FILLED' })] },
    });
    expect(script.refs).toEqual(
      Array.from({ length: 2 }, () => ({ clientId: 'of 3', symbol, venueIds: ['3'] })),
    );
    expect(script.sent).toEqual([
      { path: '/v5/order/cancel-all', parameters: { category: 'linear', symbol } },
    ]);
  });

  it('that is answered in another form is not known', async () => {
    const script = new Script('linear');
    script.answers = [answer({ list: 5 })];
    expect(await script.cancelAll()).toMatchObject({ kind: 'unknown' });
    script.answers = [answer({ list: [] })];
    expect(await script.cancelAll()).toEqual({ kind: 'done', states: [] });
  });

  it('of groups of which one is refused first says so in the words of the first', async () => {
    const script = new Script();
    script.answers = [ALL(), answer({}, 10_005), answer({}, 10_024), ALL('5'), ALL()];
    script.meanwhile = () => script.watch.heard(one('5'));
    expect(await script.cancelAll()).toEqual({ kind: 'unknown', cause: 'told' });
    expect(script.sent).toHaveLength(5);
    script.answers = [10_005, 10_024, 10_005, 10_005, 10_005].map((code) => answer({}, code));
    expect(await script.cancelAll()).toMatchObject({ kind: 'rejected', code: '10005' });
  });
});

describe('a change', () => {
  const terms = (price: string) => ({ terms: { price } as never });

  it('sends what is to change and nothing else, and is done when that is so', async () => {
    for (const [change, parameters, not, so] of [
      [{ price: '6' }, { price: '6' }, terms('5'), terms('6.00')],
      [{ quantity: '2' }, { qty: '2' }, { origQty: '1' }, { origQty: '2.0' }],
      [{ price: '6', quantity: '2' }, { price: '6', qty: '2' }, terms('6'), { ...terms('6'), origQty: '2' }],
    ] as const) {
      const script = new Script('linear');
      const ref = { clientId: 'a', symbol, venueIds: ['7'] };
      const asked = script.calls.amend(ref, change, DISPATCH);
      await script.clock.advance(10);
      for (const other of [
        ...[state(), state(not), state({ ...so, venueIds: ['8'] }), state({ ...so, symbol: 'ETHUSDT' })],
        state({ ...so, terms: undefined, origQty: '1' }),
      ])
        script.watch.heard(other);
      script.watch.heard(state({ ...so, time: 9 }));
      expect(await script.result(asked)).toMatchObject({ kind: 'done', state: { time: 9 } });
      expect(script.sent).toEqual([
        { path: '/v5/order/amend', parameters: { category: 'linear', symbol, orderId: '7', ...parameters } },
      ]);
    }
  });

  it.each<[string, CallResult, object]>([
    ['never left', UNSENT, { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: 'no line' }],
    ['is lost', LOST, { kind: 'unknown', cause: 'lost' }],
    ['is refused', answer({}, 110_064), { kind: 'rejected', reason: 'LOT_SIZE' }],
    ['is answered that nobody knows', answer({}, 10_016), { kind: 'unknown', cause: 'told (10016)' }],
  ])('that %s is not waited for', async (_, called, outcome) => {
    const script = new Script();
    if (called.kind === 'unsent') script.unsent = called;
    else script.answers = [called];
    expect(await script.calls.amend(REF, { price: '6' }, DISPATCH)).toMatchObject(outcome);
    expect(script.refs).toEqual([]);
  });

  it('of an order that is gone, and of which a list still says that it is open, has no end', async () => {
    const script = new Script('linear');
    script.answers = [GONE];
    script.found = { kind: 'found', state: state(), fills: [] };
    expect(await script.calls.amend(REF, { price: '6' }, DISPATCH)).toEqual({ kind: 'gone', state: null });
    expect(script.refs).toEqual([REF]);
  });

  it('that is acknowledged and not told of within a second is not known', async () => {
    const script = new Script('linear');
    script.listed = state();
    const outcome = await script.result(script.calls.amend(REF, { price: '6' }, DISPATCH));
    expect(outcome).toMatchObject({ kind: 'unknown', cause: expect.stringContaining('acknowledged') });
    expect(script.looks).toBe(2);
  });
});
