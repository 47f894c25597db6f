/**
 * What is sent to OKX for a cancel, a change or a new order, and what each answer means: an answer is not the
 * end, one of another order is none, and a request whose answer is lost leaves everything open.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { Caller, CallResult } from '../../../src/venues/kit/caller.ts';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import { AccountMode } from '../../../src/venues/okx/account-mode.ts';
import { LINES } from '../../../src/venues/okx/dialect.ts';
import { Listed, readInstruments } from '../../../src/venues/okx/instruments.ts';
import { OrderCalls } from '../../../src/venues/okx/order-calls.ts';
import { OrderNamesKept } from '../../../src/venues/okx/order-names.ts';
import { OrderQuestions } from '../../../src/venues/okx/order-questions.ts';
import type { Questions } from '../../../src/venues/okx/questions.ts';
import { OKX, type OkxForm } from '../../../src/venues/okx/requests.ts';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';

const symbol = 'BTCUSDT';
const LOST: CallResult = { kind: 'lost', cause: 'lost' };
const ROW = {
  ...{ instId: 'BTC-USDT-SWAP', instType: 'SWAP', ordId: '7', clOrdId: 'a', side: 'buy', px: '50000' },
  ...{ ordType: 'limit', state: 'live', sz: '100', accFillSz: '0', posSide: 'net', reduceOnly: 'false' },
  ...{ uTime: '1790000000000', cTime: '1790000000000' },
};
const ALGO = {
  ...{ instId: 'BTC-USDT-SWAP', instType: 'SWAP', algoId: '70', algoClOrdId: 'a', side: 'sell' },
  ...{ ordType: 'conditional', state: 'live', sz: '1', slTriggerPx: '40000', slOrdPx: '-1' },
  ...{ cTime: '1790000000000', uTime: '1790000000000' },
};

function answer(row: object, code = '0'): CallResult {
  const text = JSON.stringify({ code, msg: '', data: [row] });
  return { kind: 'answer', status: 200, text };
}

/** Answers in a given order; without one a request is taken in. */
class Script {
  readonly sent: { readonly path: string; readonly parameters: Readonly<Record<string, string>> }[] = [];
  answers: CallResult[] = [];
  /** Rows of the lists and questions, by form; a function: each time another one. */
  readonly rows = new Map<OkxForm, () => readonly object[]>();
  readonly names = new OrderNamesKept();
  readonly waited: number[] = [];
  reduces = false;
  readonly calls: OrderCalls;

  constructor() {
    const listed = new Listed();
    const list = { code: '0', data: INSTRUMENTS.map(instrumentRow) };
    const read = readInstruments(JSON.stringify(list), 'mine', 'swap');
    if (!read.ok) throw new Error(read.problem);
    listed.replace(read.value);
    const send = async (
      form: OkxForm,
      parameters: Readonly<Record<string, string>>,
      _dispatch: Dispatch,
      told: (called: CallResult) => unknown,
    ) => {
      this.sent.push({ path: form.path, parameters });
      return told(this.answers.shift() ?? answer({ ordId: '7', clOrdId: 'a', sCode: '0' }));
    };
    const caller = { way: { now: 5 }, submit: send, cancel: send, amend: send } as unknown as Caller;
    const ask = async (form: OkxForm) => this.rows.get(form)?.() ?? [];
    const questions = {
      caller,
      rows: ask,
      all: ask,
      one: async (form: OkxForm) => {
        const [value] = await ask(form);
        return value ? { kind: 'found', value } : { kind: 'absent', cause: 'none' };
      },
    };
    const orders = new OrderQuestions({
      kind: 'swap',
      questions: questions as unknown as Questions,
      names: this.names,
      listed,
      complaints: { say: () => {} } as unknown as Complaints,
      now: () => 1_790_000_000_000,
    });
    const mode = new AccountMode();
    mode.set({ uid: '1', acctLv: '2', posMode: 'net_mode', perm: 'trade' });
    this.calls = new OrderCalls({
      kind: 'swap',
      caller,
      clock: {
        after: (ms, run) => {
          this.waited.push(ms);
          queueMicrotask(run);
          return { cancel: () => {} };
        },
      },
      offset: { stamp: () => 1_790_000_000_000 },
      names: this.names,
      listed,
      mode,
      orders,
      hasToReduce: () => this.reduces,
    });
  }

  get paths(): readonly string[] {
    return this.sent.map(({ path }) => path);
  }

  cancel(venueIds?: readonly string[]) {
    return this.calls.cancel({ clientId: 'a', symbol, ...(venueIds ? { venueIds } : {}) }, DISPATCH);
  }

  submit(order: Partial<ExchangeOrder> = {}) {
    const limit = { type: 'LIMIT', price: '50000', quantity: '1', timeInForce: 'GTC' } as const;
    return this.calls.submit({ clientId: 'a', symbol, side: 'BUY', ...limit, ...order }, DISPATCH);
  }
}

const DISPATCH: Dispatch = {
  ...{ lane: 'entry', notAfter: Number.POSITIVE_INFINITY, waitUntil: Number.POSITIVE_INFINITY },
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};

describe('a cancel', () => {
  const GONE = answer({ ordId: '', sCode: '51400', sMsg: 'gone' }, '1');

  it('of an order of which nobody knows in which book it is goes to the second one where the first has none', async () => {
    const script = new Script();
    script.answers = [GONE];
    script.rows.set(OKX.algoOrder, () => [{ ...ALGO, state: 'canceled' }]);
    expect(await script.cancel()).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
    expect(script.paths).toEqual([OKX.cancel.path, OKX.cancelAlgos.path]);
  });

  it('goes to the book that the order was sent to, and to no other', async () => {
    for (const [isAlgo, path] of [
      [false, OKX.cancel.path],
      [true, OKX.cancelAlgos.path],
    ] as const) {
      const script = new Script();
      script.answers = [GONE];
      script.names.sends('a', isAlgo, 0);
      expect(await script.cancel()).toEqual({ kind: 'gone', state: null });
      expect(script.paths).toEqual([path]);
    }
  });

  it('of a conditional order whose trigger was met meanwhile cancels what the trigger has made', async () => {
    for (const answers of [[], [GONE]]) {
      const script = new Script();
      script.answers = [...answers];
      script.rows.set(OKX.algoOrder, () => [{ ...ALGO, state: 'effective', ordIdList: ['7'] }]);
      script.rows.set(OKX.order, () => [{ ...ROW, state: 'canceled', algoId: '70', algoClOrdId: 'a' }]);
      expect(await script.cancel(['a70'])).toMatchObject({ kind: 'done', state: { venueIds: ['a70', '7'] } });
      expect(script.sent.at(-1)).toMatchObject({ path: OKX.cancel.path, parameters: { ordId: '7' } });
    }
  });

  it('that is taken in is done only once the order has ended, for which it is looked three times', async () => {
    const script = new Script();
    let looks = 0;
    script.rows.set(OKX.order, () => {
      looks += 1;
      return [ROW];
    });
    expect(await script.cancel(['7'])).toMatchObject({ kind: 'unknown' });
    expect([looks, script.waited]).toEqual([3, [100, 300]]);
    looks = 0;
    script.rows.set(OKX.order, () => {
      looks += 1;
      return [looks < 3 ? ROW : { ...ROW, state: 'canceled' }];
    });
    expect(await script.cancel(['7'])).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
  });

  it('whose answer is lost says nothing of the order', async () => {
    for (const venueIds of [['7'], ['a70']]) {
      const script = new Script();
      script.answers = [LOST];
      script.rows.set(OKX.order, () => [{ ...ROW, state: 'canceled' }]);
      script.rows.set(OKX.algoOrder, () => [{ ...ALGO, state: 'canceled' }]);
      expect(await script.cancel(venueIds)).toMatchObject({ kind: 'unknown' });
    }
  });
});

describe('a cancel of all of a symbol', () => {
  const many = (orders: number, algos: number) => {
    const script = new Script();
    script.rows.set(OKX.openOrders, () =>
      Array.from({ length: orders }, (_, n) => ({ ...ROW, ordId: `${100 + n}` })),
    );
    let kinds = 0;
    // The list of conditional orders is asked for by kind.
    script.rows.set(OKX.openAlgos, () => {
      kinds += 1;
      return kinds % 3 === 1
        ? Array.from({ length: algos }, (_, n) => ({ ...ALGO, algoId: `${500 + n}` }))
        : [];
    });
    return script;
  };
  const idsOf = ({ parameters }: Script['sent'][number]) =>
    (parameters.ordId ?? parameters.algoId ?? '').split(LINES);

  it('names each open order of both books once, in as few requests as there may be', async () => {
    const script = many(45, 21);
    expect(await script.calls.cancelAll(symbol, DISPATCH)).toEqual({ kind: 'done', states: [] });
    expect(script.sent.map((one) => [one.path, idsOf(one).length])).toEqual([
      ...[20, 20, 5].map((ids) => [OKX.cancelBatch.path, ids]),
      ...[10, 10, 1].map((ids) => [OKX.cancelAlgos.path, ids]),
    ]);
    const ids = script.sent.flatMap(idsOf);
    expect(new Set(ids).size).toBe(66);
    for (const one of script.sent)
      expect(one.parameters.instId?.split(LINES)).toEqual(idsOf(one).map(() => 'BTC-USDT-SWAP'));
  });

  it('is done only if no request of it is lost or refused', async () => {
    const refused = answer({ ordId: '', sCode: '50013', sMsg: 'busy' }, '1');
    const taken = answer({ ordId: '100', sCode: '0' });
    for (const [last, kind] of [
      [LOST, 'unknown'],
      [refused, 'rejected'],
      [answer({ ordId: '', sCode: '51400' }, '1'), 'done'],
    ] as const)
      for (const before of [0, 1, 2]) {
        const script = many(21, 3);
        script.answers = [...Array.from({ length: before }, () => taken), last];
        expect([before, (await script.calls.cancelAll(symbol, DISPATCH)).kind]).toEqual([before, kind]);
      }
  });
});

describe('a change', () => {
  const ref = { clientId: 'a', symbol, venueIds: ['7'] };

  it('is written in contracts, and done only when the order is so', async () => {
    const script = new Script();
    let looks = 0;
    script.rows.set(OKX.order, () => {
      looks += 1;
      return [looks < 2 ? ROW : { ...ROW, sz: '50', px: '49000' }];
    });
    const change = { price: '49000', quantity: '0.5' };
    expect(await script.calls.amend(ref, change, DISPATCH)).toMatchObject({
      kind: 'done',
      state: { origQty: '0.5', terms: { price: '49000' } },
    });
    expect(script.sent[0]?.parameters).toMatchObject({ ordId: '7', newSz: '50', newPx: '49000' });
  });

  it('of which one part is not made yet is not known', async () => {
    for (const so of [{ sz: '50' }, { px: '49000' }, {}]) {
      const script = new Script();
      script.rows.set(OKX.order, () => [{ ...ROW, ...so }]);
      const change = { price: '49000', quantity: '0.5' };
      expect(await script.calls.amend(ref, change, DISPATCH)).toMatchObject({ kind: 'unknown' });
    }
  });

  it('of an order that has ended meanwhile says how it has', async () => {
    const script = new Script();
    script.rows.set(OKX.order, () => [{ ...ROW, state: 'filled', accFillSz: '100' }]);
    const change = { price: '49000' };
    expect(await script.calls.amend(ref, change, DISPATCH)).toMatchObject({
      kind: 'done',
      state: { status: 'FILLED' },
    });
    script.answers = [answer({ ordId: '', sCode: '51503' }, '1')];
    expect(await script.calls.amend(ref, change, DISPATCH)).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED' },
    });
    // A list that lags still has it as open, which says nothing.
    script.rows.set(OKX.order, () => [ROW]);
    script.answers = [answer({ ordId: '', sCode: '51503' }, '1')];
    expect(await script.calls.amend(ref, change, DISPATCH)).toEqual({ kind: 'gone', state: null });
  });

  it('to no size at all is not sent', async () => {
    const script = new Script();
    expect(await script.calls.amend(ref, { quantity: '0' }, DISPATCH)).toMatchObject({
      kind: 'rejected',
      reason: 'LOT_SIZE',
    });
    expect(script.sent).toEqual([]);
  });
});

describe('an order', () => {
  it('is taken only where the answer is of this very order, and names it', async () => {
    for (const [row, kind] of [
      [{ ordId: '7', clOrdId: 'a', sCode: '0' }, 'accepted'],
      [{ ordId: '7', sCode: '0' }, 'accepted'],
      [{ ordId: '7', clOrdId: 'b', sCode: '0' }, 'unknown'],
      [{ ordId: '', clOrdId: 'a', sCode: '0' }, 'unknown'],
    ] as const) {
      const script = new Script();
      script.answers = [answer(row)];
      expect([row, (await script.submit()).kind]).toEqual([row, kind]);
    }
  });

  it('that reduces is blocked by what rests where there is something to reduce', async () => {
    for (const [reduces, reason] of [
      [true, 'EXITS_REST'],
      [false, 'REDUCE_ONLY'],
    ] as const) {
      const script = new Script();
      script.reduces = reduces;
      script.answers = [answer({ ordId: '', sCode: '51169', sMsg: 'no position' }, '1')];
      expect(await script.submit({ side: 'SELL', reduceOnly: true })).toMatchObject({
        kind: 'rejected',
        reason,
      });
    }
  });
});
