/** What the words of USD-M futures say of an order: each status, alone and with what has executed. */
import { describe, expect, it } from 'vitest';
import type {
  AlgoEvent,
  AlgoOrder,
  FuturesOrder,
  OrderEvent,
} from '../../../src/venues/binance/futures/messages.ts';
import type { Names } from '../../../src/venues/binance/futures/order-names.ts';
import {
  stateOfAlgo,
  stateOfAlgoEvent,
  stateOfOrder,
  stateOfOrderEvent,
} from '../../../src/venues/binance/futures/order-states.ts';

const WAITS: Names = { clientId: 'a', venueIds: ['a5'] };
const MADE: Names = { clientId: 'a', venueIds: ['a5', '7'] };
const OWN: Names = { clientId: 'a', venueIds: ['7'] };

const algo = (more: Partial<AlgoOrder>) =>
  ({
    ...{ algoId: 5, clientAlgoId: 'a', symbol: 'BTCUSDT', side: 'SELL', positionSide: 'BOTH' },
    ...{ orderType: 'STOP_MARKET', algoStatus: 'NEW', quantity: '2', triggerPrice: '50000', updateTime: 9 },
    ...{ reduceOnly: true, workingType: 'MARK_PRICE' },
    ...more,
  }) as AlgoOrder;
const algoEvent = (more: Partial<AlgoEvent['o']>) =>
  ({
    ...{ E: 9, T: 9 },
    o: {
      ...{ caid: 'a', aid: 5, o: 'STOP_MARKET', s: 'BTCUSDT', S: 'SELL', ps: 'BOTH', X: 'NEW', q: '2' },
      tp: '50000',
      ...more,
    },
  }) as AlgoEvent;

describe('a conditional order', () => {
  it.each<[string, Partial<AlgoOrder>, Names, object | null]>([
    ['waits', {}, WAITS, { status: 'PENDING', cumQty: '0' }],
    ['fires', { algoStatus: 'TRIGGERING' }, WAITS, { status: 'PENDING' }],
    [
      'has fired, and nobody knows what it has made',
      { algoStatus: 'TRIGGERED' },
      WAITS,
      { status: 'PENDING' },
    ],
    ['has made an order', { algoStatus: 'TRIGGERED', actualQty: '0' }, MADE, { status: 'WORKING' }],
    [
      'has made one that executed in part so far',
      { algoStatus: 'TRIGGERED', actualQty: '1' },
      MADE,
      { status: 'WORKING', cumQty: '1' },
    ],
    [
      'is finished without an execution',
      { algoStatus: 'FINISHED', actualQty: '0' },
      MADE,
      { status: 'CANCELLED' },
    ],
    [
      'is finished with a part',
      { algoStatus: 'FINISHED', actualQty: '1.99' },
      MADE,
      { status: 'CANCELLED', cumQty: '1.99' },
    ],
    [
      'is finished with all of it',
      { algoStatus: 'FINISHED', actualQty: '2.0' },
      MADE,
      { status: 'FILLED', cumQty: '2' },
    ],
    [
      'that closes all is finished with what was there, which its order tells',
      { algoStatus: 'FINISHED', actualQty: '1', quantity: '0', closePosition: true },
      MADE,
      { status: 'WORKING' },
    ],
    [
      'that closes all is finished without anything',
      { algoStatus: 'FINISHED', actualQty: '', quantity: '', closePosition: true },
      MADE,
      { status: 'CANCELLED' },
    ],
    [
      'is cancelled',
      { algoStatus: 'CANCELED', actualQty: '1' },
      WAITS,
      { status: 'CANCELLED', text: 'cancelled', cumQty: '0' },
    ],
    ['has expired', { algoStatus: 'EXPIRED' }, WAITS, { status: 'CANCELLED', text: 'expired' }],
    ['is refused', { algoStatus: 'REJECTED' }, WAITS, { status: 'REJECTED', reason: 'OTHER' }],
    ['is what nobody knows', { algoStatus: 'ODD' }, WAITS, null],
    ['of a type that nobody knows', { orderType: 'ODD' }, WAITS, null],
  ])('that %s is told so', (_, more, names, state) => {
    const told = stateOfAlgo(algo(more), names);
    if (state === null) expect(told).toBeNull();
    else expect(told).toMatchObject({ ...names, ...state, seq: 9, time: 9 });
  });

  it('reduces by its flag in one-way mode alone: in hedge mode its side says so', () => {
    const reduces = (positionSide: 'BOTH' | 'SHORT') =>
      stateOfAlgo(algo({ positionSide }), WAITS)?.terms?.reduceOnly;
    expect([reduces('BOTH'), reduces('SHORT')]).toEqual([true, false]);
  });

  it('that trails follows from when an event says so, while it waits', () => {
    const armed = (more: Partial<AlgoEvent['o']>) =>
      stateOfAlgoEvent(algoEvent({ o: 'TRAILING_STOP_MARKET', ...more }), WAITS)?.armedAt;
    expect([
      armed({}),
      armed({ ia: false }),
      armed({ ia: true }),
      armed({ ia: true, X: 'CANCELED' }),
    ]).toEqual([undefined, undefined, 9, undefined]);
  });

  it.each([
    ['ReduceOnly Order is rejected', 'REDUCE_ONLY'],
    ['Margin is insufficient', 'BALANCE'],
    ['something else', 'OTHER'],
  ])('refused with "%s" is refused for %s', (rm, reason) => {
    expect(stateOfAlgoEvent(algoEvent({ X: 'REJECTED', rm }), WAITS)).toMatchObject({ reason, text: rm });
  });
});

describe('an order of the matching engine', () => {
  const order = (more: Partial<FuturesOrder>) =>
    ({
      ...{ orderId: 7, clientOrderId: 'a', symbol: 'BTCUSDT', side: 'BUY', status: 'NEW', type: 'LIMIT' },
      ...{ timeInForce: 'GTC', price: '5', origQty: '2', executedQty: '0', updateTime: 9, reduceOnly: true },
      ...more,
    }) as FuturesOrder;
  const event = (more: Partial<OrderEvent['o']>) =>
    ({
      ...{ E: 9, T: 9 },
      o: {
        ...{ s: 'BTCUSDT', c: 'a', S: 'BUY', o: 'LIMIT', f: 'GTC', q: '2', p: '5', x: 'NEW', X: 'NEW', i: 7 },
        ...{ l: '0', z: '0' },
        ...more,
      },
    }) as OrderEvent;

  it.each<[string, string, string | null]>([
    ['NEW', '0', 'WORKING'],
    ['PARTIALLY_FILLED', '1', 'WORKING'],
    ['PARTIALLY_FILLED', '2.00', 'FILLED'],
    ['FILLED', '2', 'FILLED'],
    ['CANCELED', '1', 'CANCELLED'],
    ['EXPIRED', '0', 'CANCELLED'],
    ['EXPIRED_IN_MATCH', '0', 'CANCELLED'],
    ['REJECTED', '0', 'REJECTED'],
    ['ODD', '0', null],
  ])('that is %s with %s executed is %s, in answers and in events', (status, executedQty, ours) => {
    const states = [
      stateOfOrder(order({ status, executedQty }), OWN, false),
      stateOfOrderEvent(event({ X: status, z: executedQty }), OWN, false),
    ];
    expect(states.map((state) => state?.status ?? null)).toEqual([ours, ours]);
  });

  it('says why it has ended', () => {
    expect(stateOfOrder(order({ status: 'EXPIRED' }), OWN, false)?.text).toBe('expired');
    expect(stateOfOrderEvent(event({ X: 'EXPIRED', er: 11 }), OWN, false)?.text).toContain('post-only');
    expect(stateOfOrderEvent(event({ X: 'CANCELED' }), OWN, false)?.text).toBe('cancelled');
  });

  it('has terms of its own, but one that a trigger has made has those of the conditional one', () => {
    expect(stateOfOrder(order({ timeInForce: 'GTX' }), OWN, false)?.terms).toMatchObject({
      ...{ type: 'LIMIT_MAKER', timeInForce: 'GTC', price: '5', reduceOnly: true },
    });
    expect(stateOfOrder(order({ positionSide: 'LONG' }), OWN, false)?.terms?.reduceOnly).toBe(false);
    expect(stateOfOrder(order({}), MADE, true)).not.toHaveProperty('terms');
    expect(stateOfOrderEvent(event({}), MADE, true)).not.toHaveProperty('terms');
  });
});
