/**
 * What answers about orders of OKX lead to: which lists prove that there is none, what a trigger has made
 * and the exchange has forgotten, and where executions are looked for.
 */
import { describe, expect, it } from 'vitest';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import { ALGO_PROVEN_AFTER_MS } from '../../../src/venues/okx/absence.ts';
import type { OkxMarketKind } from '../../../src/venues/okx/account-given.ts';
import { Listed, readInstruments } from '../../../src/venues/okx/instruments.ts';
import { isTold } from '../../../src/venues/okx/ledger.ts';
import type { Bill } from '../../../src/venues/okx/messages.ts';
import { OrderNamesKept } from '../../../src/venues/okx/order-names.ts';
import { OrderQuestions } from '../../../src/venues/okx/order-questions.ts';
import type { Questions } from '../../../src/venues/okx/questions.ts';
import { OKX, type OkxForm } from '../../../src/venues/okx/requests.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';

const NOW = Date.UTC(2026, 10, 25);
const HOUR = 3_600_000;
const ORDER = {
  ...{ instId: 'BTC-USDT', instType: 'SPOT', ordId: '7', clOrdId: 'a', side: 'buy', ordType: 'limit' },
  ...{ state: 'live', px: '50000', sz: '0.1', accFillSz: '0', uTime: String(NOW), cTime: String(NOW) },
};
const ALGO = {
  ...{ instId: 'BTC-USDT', instType: 'SPOT', algoId: '70', algoClOrdId: 'a', side: 'sell' },
  ...{ ordType: 'conditional', state: 'live', sz: '0.1', slTriggerPx: '40000', slOrdPx: '-1' },
  ...{ cTime: String(NOW), uTime: String(NOW) },
};
const FILL = {
  ...{ instId: 'BTC-USDT', ordId: '7', clOrdId: 'a', tradeId: '1', billId: '1', side: 'buy' },
  ...{ fillPx: '50000', fillSz: '0.1', fee: '0', feeCcy: 'USDT', execType: 'M', ts: String(NOW) },
};

/** An exchange that answers each request with rows of its own, none where nothing is said. */
class Answers {
  readonly rows = new Map<OkxForm, (parameters: Record<string, string>) => readonly object[]>();
  readonly asked: OkxForm[] = [];
  readonly names = new OrderNamesKept();
  /** Monotonic. */
  mono = 1_000;
  readonly orders: OrderQuestions;

  constructor(kind: OkxMarketKind = 'spot') {
    const listed = new Listed();
    const rows = INSTRUMENTS.map(instrumentRow);
    const read = readInstruments(JSON.stringify({ code: '0', data: rows }), 'mine', kind);
    if (!read.ok) throw new Error(read.problem);
    listed.replace(read.value);
    const answer = async (form: OkxForm, parameters: Record<string, string>) => {
      this.asked.push(form);
      return this.rows.get(form)?.(parameters) ?? [];
    };
    const way = Object.defineProperty({}, 'now', { get: () => this.mono });
    const questions = {
      caller: { way },
      rows: answer,
      all: answer,
      one: async (form: OkxForm, parameters: Record<string, string>) => {
        const [value] = await answer(form, parameters);
        return value ? { kind: 'found', value } : { kind: 'absent', cause: 'none' };
      },
    };
    this.orders = new OrderQuestions({
      kind,
      questions: questions as unknown as Questions,
      names: this.names,
      listed,
      complaints: { say: () => {} } as unknown as Complaints,
      now: () => NOW,
    });
  }

  query(ref: { clientId?: string; venueIds?: readonly string[] } = {}) {
    return this.orders.query({ clientId: 'a', symbol: 'BTCUSDT', ...ref });
  }
}

describe('an order that neither book has by its id', () => {
  it.each<[string, OkxForm, (parameters: Record<string, string>) => boolean, object, object]>([
    ['is open', OKX.openOrders, () => true, ORDER, { kind: 'found', state: { status: 'WORKING' } }],
    ['waits', OKX.openAlgos, ({ ordType }) => ordType === 'trigger', ALGO, { kind: 'found' }],
    [
      'has ended',
      OKX.orderHistory,
      ({ instType }) => instType === 'SPOT',
      { ...ORDER, state: 'canceled' },
      { kind: 'found', state: { status: 'CANCELLED' } },
    ],
    [
      'has ended as one on margin, as crossed orders of spot do',
      OKX.orderHistory,
      ({ instType }) => instType === 'MARGIN',
      { ...ORDER, instType: 'MARGIN', state: 'canceled' },
      { kind: 'found', state: { status: 'CANCELLED' } },
    ],
    ['has executed', OKX.fills, () => true, FILL, { kind: 'unknown' }],
  ])('and that %s by a list is not absent', async (_, form, isAsked, row, outcome) => {
    const answers = new Answers();
    answers.mono += ALGO_PROVEN_AFTER_MS;
    answers.rows.set(form, (parameters) => (isAsked(parameters) ? [row] : []));
    expect(await answers.query()).toMatchObject(outcome);
  });

  it('of which this process knows nothing may still be on its way as a conditional one, for a while after the start', async () => {
    const answers = new Answers();
    answers.mono += ALGO_PROVEN_AFTER_MS - 1;
    expect(await answers.query()).toMatchObject({ kind: 'unknown' });
    answers.mono += 1;
    expect(await answers.query()).toEqual({ kind: 'absent' });
  });

  it('was sent as a conditional one when it left, not when it was handed over', async () => {
    const answers = new Answers();
    answers.names.sends('a', true, answers.mono);
    answers.names.left('a', answers.mono + 9_000);
    answers.mono += ALGO_PROVEN_AFTER_MS;
    expect(await answers.query()).toMatchObject({ kind: 'unknown' });
    answers.mono += 9_000;
    expect(await answers.query()).toEqual({ kind: 'absent' });
  });

  it('and was sent as an ordinary one need not be waited for among the conditional ones', async () => {
    const answers = new Answers();
    answers.names.sends('a', false, answers.mono);
    expect(await answers.query()).toEqual({ kind: 'absent' });
    expect(answers.asked).not.toContain(OKX.openAlgos);
  });
});

describe('what a trigger has made', () => {
  const made = { ...ALGO, state: 'effective', ordIdList: ['6', '7'], actualSz: '0' };

  it('is asked for by its own number, and is the order that waited, with its terms', async () => {
    const answers = new Answers();
    answers.rows.set(OKX.algoOrder, () => [made]);
    answers.rows.set(OKX.order, ({ ordId }) =>
      ordId === '7' ? [{ ...ORDER, side: 'sell', ordType: 'market', algoId: '70', algoClOrdId: 'a' }] : [],
    );
    // Both numbers are known: the conditional order decides.
    expect(await answers.query({ venueIds: ['a70', '7'] })).toMatchObject({
      kind: 'found',
      state: {
        ...{ clientId: 'a', status: 'WORKING', venueIds: ['a70', '7'] },
        terms: { type: 'STOP_MARKET', stopPrice: '40000', side: 'SELL' },
      },
    });
    expect(answers.asked.slice(0, 2)).toEqual([OKX.algoOrder, OKX.order]);
  });

  it('and is forgotten by the exchange was cancelled, unless all of it has executed', async () => {
    const answers = new Answers();
    const triggered = { ...made, uTime: String(NOW - 2 * HOUR) };
    answers.rows.set(OKX.algoOrder, () => [triggered]);
    expect(await answers.query({ venueIds: ['a70'] })).toMatchObject({
      kind: 'found',
      state: { status: 'CANCELLED', cumQty: '0' },
      fills: [],
    });
    answers.rows.set(OKX.fills, () => [{ ...FILL, fillSz: '0.04' }]);
    answers.rows.set(OKX.algoOrder, () => [{ ...triggered, actualSz: '0.1' }]);
    expect(await answers.query({ venueIds: ['a70'] })).toMatchObject({
      kind: 'found',
      state: { status: 'CANCELLED', cumQty: '0.04' },
      fills: [{ qty: '0.04' }],
    });
    answers.rows.set(OKX.fills, () => [FILL]);
    expect(await answers.query({ venueIds: ['a70'] })).toMatchObject({
      kind: 'found',
      state: { status: 'FILLED', cumQty: '0.1' },
      fills: [{ tradeId: '1' }],
    });
  });

  it('is one open order, though both books still list it', async () => {
    const answers = new Answers();
    answers.rows.set(OKX.openAlgos, ({ ordType }) => (ordType === 'trigger' ? [ALGO] : []));
    answers.rows.set(OKX.openOrders, () => [{ ...ORDER, algoId: '70', algoClOrdId: 'a' }]);
    expect(await answers.orders.open()).toMatchObject([{ clientId: 'a', venueIds: ['a70', '7'] }]);
  });
});

describe('executions of an order', () => {
  it.each([
    [69, OKX.fills],
    [71, OKX.fillsHistory],
  ] as const)('that changed %i hours ago are looked for where they are kept', async (hours, form) => {
    const answers = new Answers();
    const order = { ...ORDER, state: 'filled', accFillSz: '0.1', uTime: String(NOW - hours * HOUR) };
    answers.rows.set(OKX.order, () => [order]);
    answers.rows.set(form, () => [
      { ...FILL, tradeId: '2', billId: '2' },
      { ...FILL, ordId: '8', tradeId: '9' },
      FILL,
    ]);
    const found = await answers.query({ venueIds: ['7'] });
    // Oldest first, and none of another order.
    expect(found).toMatchObject({ kind: 'found', fills: [{ tradeId: '1' }, { tradeId: '2' }] });
    expect(found.kind === 'found' && found.fills).toHaveLength(2);
  });
});

it('executions of an instrument are told by the account that trades it, if there is one', () => {
  const rows = [
    { instType: 'SPOT', instId: 'BTC-USDT' },
    { instType: 'MARGIN', instId: 'BTC-USDT' },
    { instType: 'SWAP', instId: 'BTC-USDT-SWAP' },
    { instType: 'SWAP', instId: 'BTC-USDC-SWAP' },
    { instType: 'SWAP', instId: 'BTC-USD-SWAP' },
    { instType: 'FUTURES', instId: 'BTC-USDT-261225' },
  ] as Bill[];
  const told = (...markets: ('spot' | 'swap')[]) => rows.map((row) => isTold(markets, row));
  expect(told('spot')).toEqual([true, true, false, false, false, false]);
  expect(told('swap')).toEqual([false, false, true, true, false, false]);
  expect(told('spot', 'swap')).toEqual([true, true, true, true, false, false]);
});
