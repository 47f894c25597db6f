/**
 * What answers about orders of USD-M futures lead to: a conditional order and what its trigger has made are
 * one, also where the exchange has forgotten a part of it, or it fires between two questions.
 */
import { describe, expect, it } from 'vitest';
import { OrderNamesKept } from '../../../src/venues/binance/futures/order-names.ts';
import { OrderQuestions } from '../../../src/venues/binance/futures/order-questions.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';
import { FUTURES } from '../../../src/venues/binance/futures/requests.ts';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';

const symbol = 'BTCUSDT';
const ORDER = {
  ...{ orderId: 7, clientOrderId: 'a', symbol, side: 'SELL', status: 'NEW', type: 'MARKET', updateTime: 9 },
  ...{ timeInForce: 'GTC', price: '0', origQty: '2', executedQty: '0' },
};
const ALGO = {
  ...{ algoId: 5, clientAlgoId: 'a', symbol, side: 'SELL', orderType: 'STOP_MARKET', algoStatus: 'NEW' },
  ...{ quantity: '2', triggerPrice: '40000', updateTime: 9 },
};
const MADE = { ...ALGO, algoStatus: 'TRIGGERED', actualOrderId: '7' };
const TRADE = {
  ...{ id: 1, orderId: 7, symbol, side: 'SELL', price: '1', qty: '2', commission: '0', time: 9 },
  ...{ commissionAsset: 'USDT', maker: false },
};

/** An exchange that answers each request with what is said; null: nothing is known of it. */
class Answers {
  readonly names = new OrderNamesKept();
  readonly asked: { readonly form: RequestForm; readonly parameters: Record<string, string> }[] = [];
  readonly says = new Map<RequestForm, (parameters: Record<string, string>) => object | null>();
  readonly orders: OrderQuestions;

  constructor() {
    const answer = (form: RequestForm, parameters: Record<string, string>) => {
      this.asked.push({ form, parameters });
      return this.says.get(form)?.(parameters) ?? null;
    };
    const questions = {
      value: async (form: RequestForm, parameters: Record<string, string>) => answer(form, parameters),
      ask: async (form: RequestForm, parameters: Record<string, string>) => {
        const value = answer(form, parameters);
        return value ? { kind: 'found', value } : { kind: 'absent', cause: 'none' };
      },
    };
    this.orders = new OrderQuestions({
      questions: questions as unknown as Questions,
      names: this.names,
      complaints: { say: () => {} } as unknown as Complaints,
    });
  }

  query(venueIds?: readonly string[]) {
    return this.orders.query({ clientId: 'a', symbol, ...(venueIds ? { venueIds } : {}) });
  }

  get forms(): readonly RequestForm[] {
    return this.asked.map(({ form }) => form);
  }
}

describe('an order that is asked for', () => {
  it('by both its numbers is the conditional one first, with its terms, and the executions of what that has made', async () => {
    const answers = new Answers();
    answers.says.set(FUTURES.algoOrder, () => MADE);
    answers.says.set(FUTURES.order, () => ({ ...ORDER, status: 'FILLED', executedQty: '2' }));
    answers.says.set(FUTURES.trades, () => [TRADE, { ...TRADE, id: 2, orderId: 8 }]);
    expect(await answers.query(['a5', '7'])).toMatchObject({
      kind: 'found',
      state: {
        ...{ clientId: 'a', venueIds: ['a5', '7'], status: 'FILLED', cumQty: '2' },
        terms: { type: 'STOP_MARKET', stopPrice: '40000' },
      },
      fills: [{ tradeId: '1', clientId: 'a' }],
    });
    expect(answers.asked.slice(0, 2)).toEqual([
      { form: FUTURES.algoOrder, parameters: { algoId: '5' } },
      { form: FUTURES.order, parameters: { symbol, orderId: '7' } },
    ]);
  });

  it('by our id is looked for where it was sent first, and is absent only where neither has it', async () => {
    for (const [isAlgo, forms] of [
      [true, [FUTURES.algoOrder, FUTURES.order]],
      [false, [FUTURES.order, FUTURES.algoOrder]],
    ] as const) {
      const answers = new Answers();
      if (isAlgo) answers.names.sendsAlgo('a');
      expect(await answers.query()).toMatchObject({ kind: 'absent' });
      expect(answers.forms).toEqual(forms);
      answers.says.set(FUTURES.algoOrder, () => ALGO);
      expect(await answers.query()).toMatchObject({ kind: 'found', state: { status: 'PENDING' } });
    }
  });

  it.each([
    ['without an execution', { actualQty: '0' }, [], { status: 'CANCELLED', cumQty: '0' }],
    ['with a part', { actualQty: '1' }, [{ ...TRADE, qty: '1' }], { status: 'CANCELLED', cumQty: '1' }],
    ['with all of it', { actualQty: '2' }, [TRADE], { status: 'FILLED', cumQty: '2' }],
    [
      'with what there was to close',
      { actualQty: '2', quantity: '0', closePosition: true },
      [TRADE],
      { status: 'FILLED', cumQty: '2' },
    ],
  ])('and is forgotten where it was made ended %s', async (_, more, trades, state) => {
    const answers = new Answers();
    answers.says.set(FUTURES.algoOrder, () => ({ ...MADE, algoStatus: 'FINISHED', ...more }));
    answers.says.set(FUTURES.trades, () => trades);
    const found = await answers.query(['a5']);
    expect(found).toMatchObject({ kind: 'found', state });
    expect(found.kind === 'found' && found.fills).toHaveLength(trades.length);
  });
});

describe('open orders', () => {
  const open = (algos: object[], orders: object[], links: object[] | null = []) => {
    const answers = new Answers();
    answers.says.set(FUTURES.openAlgoOrders, () => algos);
    answers.says.set(FUTURES.openOrders, () => orders);
    answers.says.set(FUTURES.allAlgoOrders, () => links);
    return answers;
  };

  it('are of both books, conditional ones asked for first', async () => {
    const answers = open([ALGO], [{ ...ORDER, clientOrderId: 'bf-b' }]);
    expect(await answers.orders.open()).toMatchObject([{ venueIds: ['a5'] }, { venueIds: ['7'] }]);
    expect(answers.forms).toEqual([FUTURES.openAlgoOrders, FUTURES.openOrders]);
  });

  it('are one where a trigger has fired between the two questions', async () => {
    const answers = open([ALGO], [ORDER]);
    expect(await answers.orders.open()).toMatchObject([{ clientId: 'a', venueIds: ['a5', '7'] }]);
  });

  it('are matched within their symbol, and each symbol of strangers is asked about once', async () => {
    const eth = { symbol: 'ETHUSDT', side: 'BUY' };
    const answers = open(
      [ALGO, { ...ALGO, ...eth, algoId: 6 }],
      [
        { ...ORDER, ...eth, orderId: 7 },
        { ...ORDER, orderId: 8, clientOrderId: 'x' },
        { ...ORDER, orderId: 9, clientOrderId: 'y' },
        { ...ORDER, ...eth, orderId: 10, clientOrderId: 'z' },
      ],
    );
    const told = await answers.orders.open();
    expect(told?.map((one) => `${one.symbol} ${one.clientId} ${one.venueIds}`)).toEqual([
      ...['BTCUSDT a a5', 'ETHUSDT a a6,7', 'BTCUSDT x 8', 'BTCUSDT y 9', 'ETHUSDT z 10'],
    ]);
    expect(answers.asked.slice(2)).toEqual(
      ['BTCUSDT', 'ETHUSDT'].map((of) => ({
        form: FUTURES.allAlgoOrders,
        parameters: { symbol: of, limit: '1000' },
      })),
    );
    // They are known from then on.
    answers.asked.length = 0;
    await answers.orders.open();
    expect(answers.forms).toEqual([FUTURES.openAlgoOrders, FUTURES.openOrders]);
  });

  it('of strangers may be made by triggers, which is asked for, and nothing is told where it cannot be', async () => {
    const stranger = { ...ORDER, clientOrderId: 'x' };
    const answers = open([], [stranger], [MADE]);
    expect(await answers.orders.open()).toMatchObject([{ clientId: 'a', venueIds: ['a5', '7'] }]);
    const failing = open([], [stranger], null);
    expect(await failing.orders.open()).toBeNull();
    // Those of ours are no strangers.
    const own = open([], [{ ...stranger, clientOrderId: 'bf-b' }], null);
    expect(await own.orders.open()).toHaveLength(1);
  });

  it('are not told in part where one of them cannot be read', async () => {
    expect(await open([ALGO], [{ ...ORDER, status: 'ODD' }]).orders.open()).toBeNull();
    expect(await open([{ ...ALGO, algoStatus: 'ODD' }], []).orders.open()).toBeNull();
  });
});

describe('names of orders', () => {
  it('stay known where a message leaves them out, and a trigger’s order has those of the conditional one', () => {
    const names = new OrderNamesKept();
    expect(names.known(symbol, '7')).toBeNull();
    names.order(symbol, '7', 'a');
    expect(names.order(symbol, '7', '')).toEqual({ clientId: 'a', venueIds: ['7'] });
    expect(names.known('ETHUSDT', '7')).toBeNull();
    names.algo(symbol, '5', 'b', '7');
    expect(names.order(symbol, '7', 'x')).toEqual({ clientId: 'b', venueIds: ['a5', '7'] });
    expect([names.isChild(symbol, '7'), names.isChild('ETHUSDT', '7')]).toEqual([true, false]);
  });

  it('an order may be made by a trigger only while a conditional one of its symbol and side waits', () => {
    const names = new OrderNamesKept();
    const may = () =>
      (['BUY', 'SELL'] as const).filter(
        (side) => names.mayBeChild(symbol, side) || names.mayBeChild('ETHUSDT', side),
      );
    expect(may()).toEqual([]);
    names.waits('5', { symbol, side: 'SELL' }, true);
    names.waits('6', { symbol, side: 'SELL' }, true);
    expect(may()).toEqual(['SELL']);
    names.waits('5', { symbol, side: 'SELL' }, false);
    expect([may(), names.stillWaits('5'), names.stillWaits('6')]).toEqual([['SELL'], false, true]);
    names.waits('6', { symbol, side: 'SELL' }, false);
    expect(may()).toEqual([]);
  });

  it('of two symbols and two sides are apart, and the newest of twenty thousand are kept', () => {
    const names = new OrderNamesKept();
    names.order(symbol, '7', 'a');
    names.order('ETHUSDT', '7', 'b');
    expect([names.known(symbol, '7'), names.known('ETHUSDT', '7')]).toEqual([
      { clientId: 'a', venueIds: ['7'] },
      { clientId: 'b', venueIds: ['7'] },
    ]);
    expect(names.order(symbol, '8', '')).toEqual({ clientId: '', venueIds: ['8'] });
    expect(names.known(symbol, '8')).toBeNull();
    expect(names.algo(symbol, '5', 'c', null)).toEqual({ clientId: 'c', venueIds: ['a5'] });
    expect(names.known(symbol, '5')).toBeNull();
    names.sendsAlgo('first');
    names.waits('1', { symbol, side: 'BUY' }, true);
    for (let n = 1; n < 20_000; n++) names.sendsAlgo(`later ${n}`);
    expect([names.wasAlgo('first'), names.wasAlgo('later 1'), names.wasAlgo('never')]).toEqual([
      true,
      true,
      false,
    ]);
    names.sendsAlgo('one more');
    expect([names.wasAlgo('first'), names.wasAlgo('later 1'), names.stillWaits('1')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
