/**
 * What is sent to USD-M futures for an order, a cancel or a change, and what each answer means: one of another
 * order is none, and what was carried out in part is neither done nor refused.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder, OrderChange } from '../../../src/domain/exchange.ts';
import { AccountFacts } from '../../../src/venues/binance/futures/account-facts.ts';
import { OrderCalls } from '../../../src/venues/binance/futures/order-calls.ts';
import { OrderNamesKept } from '../../../src/venues/binance/futures/order-names.ts';
import { OrderQuestions } from '../../../src/venues/binance/futures/order-questions.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';
import { FUTURES } from '../../../src/venues/binance/futures/requests.ts';
import type { Caller, CallResult } from '../../../src/venues/kit/caller.ts';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { orderOf } from './futures-rig.ts';

const symbol = 'BTCUSDT';
const LOST: CallResult = { kind: 'lost', cause: 'lost' };
const ORDER = {
  ...{ orderId: 7, clientOrderId: 'a', symbol, side: 'BUY', status: 'NEW', type: 'LIMIT', updateTime: 9 },
  ...{ timeInForce: 'GTC', price: '50000', origQty: '2', executedQty: '0' },
};
const ALGO = {
  ...{ algoId: 5, clientAlgoId: 'a', symbol, side: 'SELL', orderType: 'STOP_MARKET', algoStatus: 'NEW' },
  ...{ quantity: '2', triggerPrice: '40000', updateTime: 9 },
};
const answer = (body: object, status = 200): CallResult => ({
  ...{ kind: 'answer', status, text: JSON.stringify(body) },
});
const refusal = (code: number) => answer({ code, msg: 'refused' }, 400);
const GONE = refusal(-2011);
const DONE = answer({ code: 200, msg: 'done' });
const DISPATCH: Dispatch = {
  ...{ lane: 'exit', notAfter: Number.POSITIVE_INFINITY, waitUntil: Number.POSITIVE_INFINITY },
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};

/** Answers in a given order; questions are answered by what is there. */
class Script {
  readonly sent: { readonly form: RequestForm; readonly parameters: Readonly<Record<string, string>> }[] = [];
  readonly names = new OrderNamesKept();
  answers: CallResult[] = [];
  order: object | null = null;
  algo: object | null = null;
  taken = 0;
  /** When an accepted order was handed over. */
  since: number | null = null;
  readonly way = { now: 5 };
  /** The terms of the last request. */
  dispatch: Dispatch | null = null;
  readonly calls: OrderCalls;

  constructor() {
    const send = async (
      form: RequestForm,
      parameters: Readonly<Record<string, string>>,
      dispatch: Dispatch,
      told: (called: CallResult) => unknown,
    ) => {
      this.sent.push({ form, parameters });
      this.dispatch = dispatch;
      this.way.now += 4;
      return told(this.answers.shift() ?? answer(ORDER));
    };
    const caller = { way: this.way, submit: send, cancel: send, amend: send } as unknown as Caller;
    const ask = async (form: RequestForm) => {
      const value = form === FUTURES.order ? this.order : form === FUTURES.algoOrder ? this.algo : null;
      return value ? { kind: 'found', value } : { kind: 'absent', cause: 'none' };
    };
    this.calls = new OrderCalls({
      caller,
      names: this.names,
      facts: new AccountFacts(),
      orders: new OrderQuestions({
        questions: { ask, value: async () => [] } as unknown as Questions,
        names: this.names,
        complaints: { say: () => {} } as unknown as Complaints,
      }),
      taken: (since) => {
        this.taken += 1;
        this.since = since;
      },
    });
  }

  get forms(): readonly string[] {
    return this.sent.map(({ form }) => form.name);
  }

  submit(order: Partial<ExchangeOrder> = {}) {
    const limit = { clientId: 'a', type: 'LIMIT', price: '50000', quantity: '2' } as const;
    return this.calls.submit(orderOf({ ...limit, ...order }), DISPATCH);
  }

  cancel(venueIds?: readonly string[]) {
    return this.calls.cancel({ clientId: 'a', symbol, ...(venueIds ? { venueIds } : {}) }, DISPATCH);
  }

  amend(change: OrderChange) {
    return this.calls.amend({ clientId: 'a', symbol, venueIds: ['7'] }, change, DISPATCH);
  }
}

describe('an order', () => {
  it('is taken, and its event owed, only where the answer is of this very order', async () => {
    for (const [more, kind] of [
      [{}, 'accepted'],
      [{ clientOrderId: 'b' }, 'unknown'],
      [{ symbol: 'ETHUSDT' }, 'unknown'],
      [{ status: 'ODD' }, 'unknown'],
    ] as const) {
      const script = new Script();
      script.answers = [answer({ ...ORDER, ...more })];
      expect([more, (await script.submit()).kind]).toEqual([more, kind]);
      expect([script.taken, script.since]).toEqual(kind === 'accepted' ? [1, 5] : [0, null]);
    }
  });
});

describe('a cancel', () => {
  it('goes by the newest number that is known: that of the order which a trigger has made', async () => {
    for (const [venueIds, form, parameters] of [
      [['a5', '7'], FUTURES.cancel, { symbol, orderId: '7' }],
      [['7'], FUTURES.cancel, { symbol, orderId: '7' }],
      [['a5'], FUTURES.cancelAlgo, { algoId: '5' }],
    ] as const) {
      const script = new Script();
      script.answers = [form === FUTURES.cancel ? answer({ ...ORDER, status: 'CANCELED' }) : DONE];
      script.algo = { ...ALGO, algoStatus: 'CANCELED' };
      expect(await script.cancel(venueIds)).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
      expect(script.sent).toEqual([{ form, parameters }]);
    }
  });

  it('by our id alone looks for it among the conditional ones, too, unless it was sent there', async () => {
    const script = new Script();
    script.answers = [GONE, DONE];
    script.algo = { ...ALGO, algoStatus: 'CANCELED' };
    expect(await script.cancel()).toMatchObject({ kind: 'done', state: { clientId: 'a' } });
    expect(script.forms).toEqual([FUTURES.cancel.name, FUTURES.cancelAlgo.name]);
    const sent = new Script();
    sent.names.sendsAlgo('a');
    sent.answers = [GONE];
    expect(await sent.cancel()).toEqual({ kind: 'gone', state: null });
    expect(sent.forms).toEqual([FUTURES.cancelAlgo.name]);
  });

  it('of a conditional order is what has become of that by then', async () => {
    for (const [said, algoStatus, more, outcome, forms] of [
      [DONE, 'CANCELED', {}, { kind: 'done', state: { status: 'CANCELLED' } }, 1],
      [DONE, 'NEW', {}, { kind: 'unknown' }, 1],
      [DONE, 'TRIGGERING', {}, { kind: 'rejected', reason: 'OVERLOADED' }, 1],
      [GONE, 'TRIGGERING', {}, { kind: 'rejected', reason: 'OVERLOADED' }, 1],
      [GONE, 'CANCELED', {}, { kind: 'gone', state: { status: 'CANCELLED' } }, 1],
      [GONE, 'TRIGGERED', { actualOrderId: '7' }, { kind: 'done', state: { status: 'CANCELLED' } }, 2],
      [LOST, 'CANCELED', {}, { kind: 'unknown' }, 1],
    ] as const) {
      const script = new Script();
      script.answers = [said, answer({ ...ORDER, status: 'CANCELED' })];
      script.algo = { ...ALGO, algoStatus, ...more };
      expect(await script.cancel(['a5'])).toMatchObject(outcome);
      expect(script.sent).toHaveLength(forms);
    }
  });

  it.each([
    ['both are done', [DONE, DONE], 'done'],
    ['the first is lost', [LOST, DONE], 'unknown'],
    ['the second is lost', [DONE, LOST], 'unknown'],
    ['one is refused and one is done', [refusal(-2015), DONE], 'unknown'],
    ['the other is refused', [DONE, refusal(-2015)], 'unknown'],
    ['one is refused and one is lost', [refusal(-2015), LOST], 'unknown'],
    ['both are refused', [refusal(-2015), refusal(-2015)], 'rejected'],
  ] as const)('of all where %s is so', async (_, answers, kind) => {
    const script = new Script();
    script.answers = [...answers];
    expect((await script.calls.cancelAll(symbol, DISPATCH)).kind).toBe(kind);
    expect(script.forms).toEqual([FUTURES.cancelAll.name, FUTURES.cancelAllAlgo.name]);
  });
});

describe('a change', () => {
  const known = { side: 'BUY', price: '50000', quantity: '2' } as const;

  it('names all that the order has then, of which only what changes is new', async () => {
    for (const [change, parameters] of [
      [
        { price: '49000', known },
        { side: 'BUY', price: '49000', quantity: '2' },
      ],
      [
        { quantity: '1', known },
        { side: 'BUY', price: '50000', quantity: '1' },
      ],
      [{ price: '49000' }, { side: 'SELL', price: '49000', quantity: '3' }],
      [{ quantity: '1' }, { side: 'SELL', price: '51000', quantity: '1' }],
    ] as const) {
      const script = new Script();
      // What the exchange has is asked for only where the desk does not know it.
      script.order = { ...ORDER, side: 'SELL', price: '51000', origQty: '3' };
      expect(await script.amend(change)).toMatchObject({ kind: 'done' });
      expect(script.sent).toEqual([
        { form: FUTURES.amend, parameters: { symbol, orderId: '7', ...parameters } },
      ]);
    }
  });

  it('keeps its terms where the desk knows the order, and else has to leave before its first deadline', async () => {
    let left = 0;
    const terms = (waitUntil: number, notAfter: number): Dispatch => ({
      ...{ ...DISPATCH, waitUntil, notAfter },
      leaves: () => {
        left += 1;
        return { notAfter: 9_000 };
      },
    });
    const sent = async (change: OrderChange, dispatch: Dispatch) => {
      const script = new Script();
      script.order = ORDER;
      await script.calls.amend({ clientId: 'a', symbol, venueIds: ['7'] }, change, dispatch);
      return script.dispatch;
    };
    const given = terms(8_000, 5_000);
    expect(await sent({ price: '49000', known }, given)).toBe(given);
    for (const [waitUntil, notAfter, until] of [
      [8_000, 5_000, 5_000],
      [4_000, 5_000, 4_000],
    ] as const) {
      const within = await sent({ price: '49000' }, terms(waitUntil, notAfter));
      left = 0;
      expect([within?.lane, within?.waitUntil, within?.leaves(), left]).toEqual([
        'exit',
        until,
        { notAfter },
        1,
      ]);
    }
  });

  it('of an order that has ended, or is not there, is not sent where that is seen before', async () => {
    const script = new Script();
    expect(await script.amend({ price: '49000' })).toEqual({ kind: 'gone', state: null });
    script.order = { ...ORDER, status: 'FILLED', executedQty: '2' };
    expect(await script.amend({ price: '49000' })).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED' },
    });
    expect(script.sent).toEqual([]);
  });

  it('that is refused because it is so already is done, and one that would take is what became of the order', async () => {
    for (const [code, order, outcome] of [
      [-5027, ORDER, { kind: 'done', state: { status: 'WORKING' } }],
      [-5027, null, { kind: 'unknown' }],
      [-5022, { ...ORDER, status: 'EXPIRED' }, { kind: 'done', state: { status: 'CANCELLED' } }],
      [-5022, ORDER, { kind: 'rejected', reason: 'POST_ONLY' }],
      [-5022, null, { kind: 'unknown' }],
      [-2013, null, { kind: 'gone', state: null }],
      [-1021, ORDER, { kind: 'rejected', reason: 'CLOCK' }],
      [-1000, ORDER, { kind: 'unknown' }],
    ] as const) {
      const script = new Script();
      script.order = order;
      script.answers = [refusal(code)];
      expect(await script.amend({ price: '49000', known })).toMatchObject(outcome);
    }
  });
});
