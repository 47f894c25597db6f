/**
 * An order as the API and the console show it: every known fact has its field, and no other field shows it.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { orderOf, orderViewOf, tradeOf, trailLevel } from '../../src/engine/views.ts';
import { SPOT, START } from './support/market.ts';

const PLAIN: OrderRecord = {
  id: 'a',
  user: 'owner',
  exchange: SPOT,
  symbol: 'BTCUSDT',
  side: 'SELL',
  type: 'LIMIT',
  status: 'OPENED',
  phase: 'live',
  positionSide: 'BOTH',
  price: '50000',
  origQty: '3',
  executedQty: '0',
  quoteQty: '0',
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  workingType: 'MARK_PRICE',
  isContract: false,
  isWorking: true,
  emulated: false,
  creator: 'API',
  creatorId: 'owner000',
  metadata: 'm',
  orderTime: START + 1,
  createdAt: START + 2,
  updatedAt: START + 3,
  seq: 1,
};
const ALIVE = { since: START, proof: 'it works', at: 'WORKING', cumQty: '0', asked: 4 } as const;

describe('what programs see of an order', () => {
  it('is all of these fields', () => {
    expect(orderOf(PLAIN)).toEqual({
      id: 'a',
      exchange: SPOT,
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      status: 'OPENED',
      positionSide: 'BOTH',
      price: '50000',
      stopPrice: null,
      fillPrice: null,
      origQty: '3',
      executedQty: '0',
      reduceOnly: false,
      closePosition: false,
      trailing: null,
      isContract: false,
      isWorking: true,
      creator: 'API',
      creatorId: 'owner000',
      metadata: 'm',
      specific: { timeInForce: 'GTC' },
      orderTime: START + 1,
    });
  });

  it('has the average of what was executed, rounded to sixteen places', () => {
    expect(orderOf({ ...PLAIN, executedQty: '3', quoteQty: '200' }).fillPrice).toBe('66.6666666666666667');
    expect(orderOf({ ...PLAIN, executedQty: '3', quoteQty: '100' }).fillPrice).toBe('33.3333333333333333');
  });

  const rows: [string, Partial<OrderRecord>, Record<string, unknown>][] = [
    ['an end date', { timeInForce: 'GTD', goodTillDate: 5 }, { timeInForce: 'GTD', goodTillDate: 5 }],
    ['an iceberg', { icebergQty: '0.5' }, { icebergQty: '0.5' }],
    ['a trailing stop', { trailing: { delta: 10 } }, {}],
    ['its activation price', { trailing: { delta: 10, activationPrice: '7' } }, { activationPrice: '7' }],
    ['the engine does some of it', { emulated: true }, { emulated: true }],
    ['others made it', { external: true }, { external: true }],
    ['it was sent', { submission: { sentAt: 1 } }, {}],
    [
      'its outcome got lost',
      {
        submission: { sentAt: 1, unresolved: { since: 1, cause: 'x', asked: 0, nextAskAt: 1, settlesAt: 2 } },
      },
      { unresolved: true },
    ],
    ['nobody can be asked about it', { notConnected: true }, { unresolved: true }],
    ['it proved to be alive', { contradiction: ALIVE }, { contradiction: true, unresolved: true }],
    [
      'and is being cancelled',
      { contradiction: { ...ALIVE, cancel: 'sent' } },
      { contradiction: true, unresolved: true, cancelPending: true },
    ],
    [
      'and that is refused',
      { contradiction: { ...ALIVE, cancel: 'refused' } },
      { contradiction: true, unresolved: true },
    ],
    ['and is gone', { contradiction: { ...ALIVE, goneAt: 9 } }, { contradiction: true }],
    ['a cancel', { cancel: { state: 'wanted', by: 'x', asked: 0 } }, { cancelPending: true }],
    ['what it was split from', { splitFrom: 'b' }, { splitFrom: 'b' }],
    ['what it takes the place of', { replaces: 'b' }, { replaces: 'b' }],
    ['what takes its place', { replacedBy: 'b' }, { replacedBy: 'b' }],
  ];
  it.each(rows)('tells %s', (_name, more, specific) =>
    expect(orderOf({ ...PLAIN, ...more }).specific).toEqual({ timeInForce: 'GTC', ...specific }),
  );

  it('tells how a trailing stop stands', () => {
    expect(orderOf({ ...PLAIN, trailing: { delta: 10 } }).trailing).toEqual({ delta: 10, time: 0 });
    expect(orderOf({ ...PLAIN, trailing: { delta: 10, armedAt: 4 } }).trailing).toEqual({
      delta: 10,
      time: 4,
    });
  });
});

describe('what the console sees beside that', () => {
  const beside = (more: Partial<OrderRecord>) => {
    const record = { ...PLAIN, ...more };
    const known = new Set(Object.keys(orderOf(record)));
    return Object.fromEntries(Object.entries(orderViewOf(record)).filter(([name]) => !known.has(name)));
  };
  const always = { timeInForce: 'GTC', createdAt: START + 2, updatedAt: START + 3, cancelPending: false };
  const unresolved = { since: 1, cause: 'x', asked: 2, nextAskAt: 3, settlesAt: 4 };
  const rows: [string, Partial<OrderRecord>, Record<string, unknown>][] = [
    ['of a plain order', {}, {}],
    ['an end date', { goodTillDate: 5 }, { goodTillDate: 5 }],
    ['how far the questions are', { submission: { sentAt: 1, unresolved } }, { unresolved }],
    ['a cancel', { cancel: { state: 'sent', by: 'x', asked: 0 } }, { cancelPending: true }],
    [
      'a cancel for a split',
      { cancel: { state: 'sent', by: 'x', asked: 0, forSplit: true } },
      { cancelPending: true, splitting: true },
    ],
    [
      'one that proved to be alive, among the unresolved ones',
      { status: 'CANCELLED', contradiction: { ...ALIVE, cancel: 'unknown', nextAskAt: START + 8 } },
      {
        cancelPending: true,
        contradiction: true,
        unresolved: {
          since: START,
          cause: 'CANCELLED here, but it works; cancel unknown',
          asked: 4,
          nextAskAt: START + 8,
          settlesAt: START + 8,
        },
      },
    ],
    [
      'that has ended there and owes executions',
      { status: 'CANCELLED', contradiction: { ...ALIVE, at: 'ENDED' } },
      {
        contradiction: true,
        unresolved: {
          since: START,
          cause: 'CANCELLED here, but it works; its executions are asked for',
          asked: 4,
          nextAskAt: START,
          settlesAt: START,
        },
      },
    ],
    ['that is gone', { contradiction: { ...ALIVE, goneAt: 9 } }, {}],
    ['that a setting comes first', { phase: 'waiting' }, { waiting: true }],
    ['that nothing protects', { phase: 'held', tries: 6 }, { withoutStop: true, held: true }],
    ['but not after five tries', { phase: 'held', tries: 5 }, { held: true }],
    ['nor once it is there', { phase: 'live', tries: 6 }, {}],
    ['what it was split from', { splitFrom: 'b' }, { splitFrom: 'b' }],
    ['why it ended', { text: 'no' }, { text: 'no' }],
    ['that it is held', { phase: 'held', trailing: { delta: 100 } }, { held: true }],
    [
      'where a stop that trails fires now',
      { phase: 'held', trailing: { delta: 100, best: '60000' } },
      { held: true, trail: { best: '60000', level: '59400' } },
    ],
  ];
  it.each(rows)('%s', (_name, more, shown) => expect(beside(more)).toEqual({ ...always, ...shown }));

  it('has the level of a buy above the best price, that of a sell below it', () => {
    expect(str(trailLevel('SELL', 250, dec('80')))).toBe('78');
    expect(str(trailLevel('BUY', 250, dec('80')))).toBe('82');
  });
});

it('a trade is shown with all its fields, and with which side has bought', () => {
  const fill = {
    exchange: SPOT,
    tradeId: '1',
    orderId: 'a',
    user: 'owner',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '1',
    qty: '2',
    comm: '3',
    commAsset: 'BTC',
    maker: true,
    rPnl: '4',
    posSide: 'LONG',
    time: 5,
  } as const;
  const shown = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '1',
    qty: '2',
    comm: '3',
    commAsset: 'BTC',
    buyer: true,
    rPnl: '4',
    posSide: 'LONG',
    time: 5,
  };
  expect(tradeOf(fill)).toEqual(shown);
  expect(tradeOf({ ...fill, side: 'SELL' })).toEqual({ ...shown, side: 'SELL', buyer: false });
});
