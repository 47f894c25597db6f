/**
 * What answers and events of USD-M futures say of orders, field by field: regular and conditional ones, of
 * both sides and in hedge mode, with each way of the exchange to write that there is none.
 */
import { describe, expect, it } from 'vitest';
import {
  readAlgo,
  readAlgoEvent,
  readOrder,
  readOrderEvent,
} from '../../../src/venues/binance/futures/messages.ts';
import type { Names } from '../../../src/venues/binance/futures/order-names.ts';
import {
  stateOfAlgo,
  stateOfAlgoEvent,
  stateOfOrder,
  stateOfOrderEvent,
} from '../../../src/venues/binance/futures/order-states.ts';
import type { Message } from '../../../src/venues/kit/messages.ts';

const OWN: Names = { clientId: 'bf-1', venueIds: ['7'] };
const MADE: Names = { clientId: 'bf-1', venueIds: ['a5', '7'] };

function value<T>(message: Message<T>): T {
  if (!message.ok) throw new Error(message.problem);
  return message.value;
}

const order = (more: object, names = OWN, isChild = false) => {
  const row = {
    ...{ orderId: 7, clientOrderId: 'bf-1', symbol: 'ETHUSDC', side: 'SELL', positionSide: 'BOTH' },
    ...{
      status: 'NEW',
      type: 'LIMIT',
      origType: 'LIMIT',
      timeInForce: 'GTC',
      price: '50.10',
      stopPrice: '0',
    },
    ...{
      origQty: '2.000',
      executedQty: '0.500',
      cumQuote: '25.050',
      reduceOnly: false,
      closePosition: false,
    },
    ...{ workingType: 'CONTRACT_PRICE', time: 8, updateTime: 9 },
    ...more,
  };
  return stateOfOrder(value(readOrder(JSON.stringify(row))), names, isChild);
};
const event = (more: object, names = OWN, isChild = false) => {
  const o = {
    ...{
      s: 'ETHUSDC',
      c: 'bf-1',
      S: 'SELL',
      o: 'LIMIT',
      ot: 'LIMIT',
      f: 'GTC',
      q: '2.000',
      p: '50.10',
      sp: '0',
    },
    ...{ x: 'NEW', X: 'NEW', i: 7, l: '0', z: '0.500', L: '0', T: 5, t: 0, R: false, wt: 'CONTRACT_PRICE' },
    ...{ ps: 'BOTH', cp: false, rp: '0', er: '0' },
    ...more,
  };
  const text = JSON.stringify({ e: 'ORDER_TRADE_UPDATE', E: 12, T: 11, o });
  return stateOfOrderEvent(value(readOrderEvent(text)), names, isChild);
};
const algo = (more: object, names: Names = { clientId: 'bf-1', venueIds: ['a5'] }) => {
  const row = {
    ...{ algoId: 5, clientAlgoId: 'bf-1', symbol: 'ETHUSDC', side: 'SELL', positionSide: 'BOTH' },
    ...{ orderType: 'STOP', timeInForce: 'GTC', quantity: '2.000', algoStatus: 'NEW', triggerPrice: '51.20' },
    ...{ price: '50.10', workingType: 'MARK_PRICE', closePosition: false, reduceOnly: true, updateTime: 9 },
    ...more,
  };
  return stateOfAlgo(value(readAlgo(JSON.stringify(row))), names);
};
const algoEvent = (more: object, names: Names = { clientId: 'bf-1', venueIds: ['a5'] }) => {
  const o = {
    ...{
      caid: 'bf-1',
      aid: 5,
      o: 'STOP',
      s: 'ETHUSDC',
      S: 'SELL',
      ps: 'BOTH',
      f: 'GTC',
      q: '2.000',
      X: 'NEW',
    },
    ...{ ai: '', tp: '51.20', p: '50.10', wt: 'MARK_PRICE', cp: false, R: true, rm: '' },
    ...more,
  };
  return stateOfAlgoEvent(value(readAlgoEvent(JSON.stringify({ e: 'ALGO_UPDATE', E: 12, T: 11, o }))), names);
};

const TERMS = {
  ...{ side: 'SELL', type: 'LIMIT', price: '50.1', timeInForce: 'GTC', reduceOnly: false },
  ...{ closePosition: false, positionSide: 'BOTH', workingType: 'CONTRACT_PRICE' },
};
const STATE = {
  ...{ clientId: 'bf-1', venueIds: ['7'], symbol: 'ETHUSDC', status: 'WORKING', origQty: '2', cumQty: '0.5' },
};

describe('an order of the matching engine', () => {
  it('is told with all that an answer has, and with its quote where that is told', () => {
    const state = { ...STATE, seq: 9, time: 9, terms: TERMS };
    expect(order({})).toEqual({ ...state, quoteQty: '25.05' });
    expect(order({ cumQuote: undefined, time: undefined })).toEqual(state);
    expect(order({}, MADE, true)).toEqual({
      ...{ ...STATE, venueIds: ['a5', '7'], seq: 9, time: 9, quoteQty: '25.05' },
    });
  });

  it('is told with all that an event has, at the time of the exchange', () => {
    expect(event({})).toEqual({ ...STATE, seq: 11, time: 11, terms: TERMS });
    expect(event({}, MADE, true)).toEqual({ ...STATE, venueIds: ['a5', '7'], seq: 11, time: 11 });
  });

  it.each<[string, object, object, object]>([
    ['post-only', { timeInForce: 'GTX' }, { f: 'GTX' }, { type: 'LIMIT_MAKER', timeInForce: 'GTC' }],
    ['IOC', { timeInForce: 'IOC' }, { f: 'IOC' }, { timeInForce: 'IOC' }],
    ['FOK', { timeInForce: 'FOK' }, { f: 'FOK' }, { timeInForce: 'FOK' }],
    ['with an end date', { timeInForce: 'GTD' }, { f: 'GTD' }, { timeInForce: 'GTC' }],
    [
      'of the market',
      { type: 'MARKET', origType: 'MARKET', price: '0.00' },
      { o: 'MARKET', ot: 'MARKET', p: '0.00' },
      { type: 'MARKET', price: undefined },
    ],
    [
      'of the market, whose time in force is that of a post-only one',
      { type: 'MARKET', origType: undefined, price: '0', timeInForce: 'GTX' },
      { o: 'MARKET', ot: null, p: '0', f: 'GTX' },
      { type: 'MARKET', price: undefined },
    ],
    [
      'that was a stop before its trigger',
      { type: 'LIMIT', origType: 'TAKE_PROFIT', stopPrice: '49.90' },
      { o: 'LIMIT', ot: 'TAKE_PROFIT', sp: '49.90' },
      { type: 'TAKE_PROFIT_LIMIT', stopPrice: '49.9' },
    ],
    [
      'that reduces',
      { reduceOnly: true, workingType: 'MARK_PRICE' },
      { R: true, wt: 'MARK_PRICE' },
      { reduceOnly: true, workingType: 'MARK_PRICE' },
    ],
    [
      'that closes a short position in hedge mode',
      { side: 'BUY', reduceOnly: true, positionSide: 'SHORT', closePosition: true },
      { S: 'BUY', R: true, ps: 'SHORT', cp: true },
      { side: 'BUY', reduceOnly: false, positionSide: 'SHORT', closePosition: true },
    ],
    [
      'of which little is told',
      { positionSide: undefined, reduceOnly: undefined, closePosition: undefined, workingType: undefined },
      { ps: undefined, R: undefined, cp: undefined, wt: undefined, sp: undefined, er: undefined },
      {},
    ],
    ['without a stop, in a word', { stopPrice: 'null' }, { sp: 'null' }, {}],
    ['without a stop, in no word', { stopPrice: '' }, { sp: '' }, {}],
    ['without a stop, by null', { stopPrice: null }, { sp: null }, {}],
    [
      'of a liquidation',
      { type: 'LIQUIDATION', origType: undefined },
      { o: 'LIQUIDATION', ot: undefined },
      {
        type: 'MARKET',
      },
    ],
    [
      'that trails',
      { type: 'TRAILING_STOP_MARKET', origType: undefined },
      { o: 'X', ot: 'TRAILING_STOP_MARKET' },
      {
        type: 'STOP_MARKET',
      },
    ],
  ])('%s has these terms, in answers and in events', (_, answered, told, terms) => {
    const all: Record<string, unknown> = { ...TERMS, ...terms };
    if (all.price === undefined) delete all.price;
    expect(order(answered)?.terms).toEqual(all);
    expect(event(told)?.terms).toEqual(all);
  });

  it.each<[string, object, object, object]>([
    ['in force', {}, {}, { status: 'WORKING' }],
    ['of an insurance fund', { status: 'NEW_INSURANCE' }, { X: 'NEW_INSURANCE' }, { status: 'WORKING' }],
    ['of a deleveraging', { status: 'NEW_ADL' }, { X: 'NEW_ADL' }, { status: 'WORKING' }],
    [
      'without a quantity and without an execution',
      { origQty: '0', executedQty: '0' },
      { q: '0', z: '0.0' },
      { status: 'WORKING' },
    ],
    ['filled to the last', { executedQty: '2' }, { z: '2.0' }, { status: 'FILLED' }],
    ['nearly filled', { executedQty: '1.999' }, { z: '1.999' }, { status: 'WORKING' }],
    [
      'cancelled though it was filled',
      { status: 'CANCELED', executedQty: '2' },
      { X: 'CANCELED', z: '2' },
      { status: 'CANCELLED', text: 'cancelled' },
    ],
    ['refused', { status: 'REJECTED' }, { X: 'REJECTED', er: 2 }, { status: 'REJECTED' }],
  ])('%s is told so', (_, answered, told, expected) => {
    for (const state of [order(answered), event(told)]) {
      expect(state).toMatchObject(expected);
      expect(state?.text).toBe((expected as { text?: string }).text);
    }
  });

  it('that has expired says why where the event tells it', () => {
    const word = (er: unknown) => event({ X: 'EXPIRED', er })?.text;
    const words = [1, '2', 3, 4, 5, 6, 7, 8, 9, 10, '11'].map(word);
    expect(words.map((one) => one?.replace(/^expired: /, ''))).toEqual([
      'it would have traded with an order of the same account',
      'IOC, the rest was not taken',
      'IOC, it would have traded with an order of the same account',
      'reduce-only, nothing was left to reduce',
      'the account was liquidated',
      'its position or order is gone',
      'the symbol is not traded any more',
      'its stop has fired',
      'the market had no more within its limits',
      'FOK, it could not be filled as a whole',
      'post-only, it would have traded at once',
    ]);
    expect(words.every((one) => one?.startsWith('expired: '))).toBe(true);
    expect([0, '12', null, undefined].map(word)).toEqual(Array(4).fill('cancelled'));
    expect(order({ status: 'EXPIRED_IN_MATCH' })?.text).toBe('expired');
  });

  it('with a word that is not known is none', () => {
    for (const more of [{ status: 'ODD' }, { type: 'ODD', origType: undefined }])
      expect(order(more)).toBeNull();
    for (const more of [{ X: 'ODD' }, { o: 'ODD', ot: undefined }]) expect(event(more)).toBeNull();
  });
});

describe('a conditional order', () => {
  const terms = {
    ...{ ...TERMS, type: 'STOP_LIMIT', stopPrice: '51.2', reduceOnly: true, workingType: 'MARK_PRICE' },
  };
  const state = { ...STATE, venueIds: ['a5'], status: 'PENDING', cumQty: '0', terms };

  it('is told with all that an answer or an event has', () => {
    expect(algo({})).toEqual({ ...state, seq: 9, time: 9 });
    expect(algoEvent({})).toEqual({ ...state, seq: 11, time: 11 });
  });

  it.each<[string, object, object, object]>([
    ['IOC', { timeInForce: 'IOC' }, { f: 'IOC' }, { timeInForce: 'IOC' }],
    ['without a time in force', { timeInForce: null }, { f: null }, {}],
    [
      'that takes profit at the market, by the last price',
      { orderType: 'TAKE_PROFIT_MARKET', price: '0.0', workingType: 'CONTRACT_PRICE', reduceOnly: false },
      { o: 'TAKE_PROFIT_MARKET', p: '0', wt: 'CONTRACT_PRICE', R: false },
      { type: 'TAKE_PROFIT_MARKET', price: undefined, workingType: 'CONTRACT_PRICE', reduceOnly: false },
    ],
    [
      'that trails, without a trigger',
      { orderType: 'TRAILING_STOP_MARKET', price: null, triggerPrice: '' },
      { o: 'TRAILING_STOP_MARKET', p: 'null', tp: null },
      { type: 'STOP_MARKET', price: undefined, stopPrice: undefined },
    ],
    [
      'that closes a long position in hedge mode',
      { positionSide: 'LONG', closePosition: true },
      { ps: 'LONG', cp: true },
      { positionSide: 'LONG', closePosition: true, reduceOnly: false },
    ],
    [
      'that buys, of which little is told',
      { side: 'BUY', positionSide: undefined, reduceOnly: undefined, closePosition: undefined },
      { S: 'BUY', ps: undefined, R: undefined, cp: undefined },
      { side: 'BUY', reduceOnly: false },
    ],
  ])('%s has these terms', (_, answered, told, more) => {
    const all: Record<string, unknown> = { ...terms, ...more };
    for (const name of ['price', 'stopPrice']) if (all[name] === undefined) delete all[name];
    expect(algo(answered)?.terms).toEqual(all);
    expect(algoEvent(told)?.terms).toEqual(all);
  });

  it.each<[string, string, object, Names | undefined, object]>([
    ['made nothing yet', 'TRIGGERED', {}, undefined, { status: 'PENDING', cumQty: '0' }],
    ['made an order', 'TRIGGERED', { executed: '' }, MADE, { status: 'WORKING', cumQty: '0' }],
    ['executed nothing', 'FINISHED', { executed: '0.0' }, MADE, { status: 'CANCELLED', cumQty: '0' }],
    ['executed a part', 'FINISHED', { executed: '1.9' }, MADE, { status: 'CANCELLED', cumQty: '1.9' }],
    ['executed it all', 'FINISHED', { executed: '2.0' }, MADE, { status: 'FILLED', cumQty: '2' }],
    [
      'closed what was there',
      'FINISHED',
      { executed: '3', quantity: '0', closes: true },
      MADE,
      { status: 'WORKING', cumQty: '3', origQty: '0' },
    ],
    [
      'closed a quantity of its own',
      'FINISHED',
      { executed: '2', closes: true },
      MADE,
      { status: 'FILLED', cumQty: '2' },
    ],
    [
      'ended without anything',
      'CANCELED',
      { executed: '1' },
      undefined,
      { status: 'CANCELLED', cumQty: '0' },
    ],
  ])('that has %s is told so in both', (_, status, more, names, expected) => {
    const {
      executed,
      quantity = '2',
      closes = false,
    } = more as Record<string, string> & { closes?: boolean };
    const states = [
      algo({ algoStatus: status, actualQty: executed, quantity, closePosition: closes }, names),
      algoEvent({ X: status, aq: executed, q: quantity, cp: closes }, names),
    ];
    for (const told of states) expect(told).toMatchObject({ ...expected, ...(names ?? {}) });
  });

  it('that is refused or ended has the words of the exchange, and a reason that follows from them', () => {
    for (const [rm, reason] of [
      ['Reduce Only Order is rejected', 'REDUCE_ONLY'],
      ['reduce-only: margin', 'REDUCE_ONLY'],
      ['Margin is insufficient', 'BALANCE'],
      ['not enough balance', 'BALANCE'],
      ['INSUFFICIENT', 'BALANCE'],
      ['it is late', 'OTHER'],
    ])
      expect(algoEvent({ X: 'REJECTED', rm })).toMatchObject({ status: 'REJECTED', text: rm, reason });
    for (const rm of ['', null, undefined])
      expect(algoEvent({ X: 'REJECTED', rm })).toMatchObject({
        ...{ text: 'refused by the matching engine', reason: 'OTHER' },
      });
    expect(algoEvent({ X: 'EXPIRED', rm: 'x'.repeat(300) })?.text).toBe('x'.repeat(200));
    expect(algoEvent({ X: 'NEW', rm: 'nothing' })).not.toHaveProperty('text');
    expect(algo({ algoStatus: 'FINISHED', actualQty: '2' }, MADE)).not.toHaveProperty('text');
    expect(algo({ algoStatus: 'CANCELED' })).not.toHaveProperty('reason');
  });

  it('follows the price only where an event says so, and not in an answer', () => {
    const trails = { o: 'TRAILING_STOP_MARKET' };
    expect(algoEvent({ ...trails, ia: true })?.armedAt).toBe(11);
    for (const state of [algoEvent(trails), algoEvent({ ...trails, ia: true, X: 'EXPIRED' }), algo({})])
      expect(state).not.toHaveProperty('armedAt');
  });
});
