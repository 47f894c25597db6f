/**
 * What a spot account of Binance tells of orders that are answered to it, field by field, and which requests
 * it sends for each call. The answers were written for these tests after the public documents.
 */
import { describe, expect, it } from 'vitest';
import { HandAnswers } from './hand-answers-support.ts';
import { SpotCase } from './spot-support.ts';

const ORDER = '/api/v3/order';
const OPEN = 'GET /api/v3/openOrders';
const TRADES = 'GET /api/v3/myTrades';

async function opened() {
  const c = await new SpotCase().open();
  const hand = new HandAnswers(c.net);
  c.reports.length = 0;
  return { c, hand };
}

const row = (more: object) => ({
  ...{ symbol: 'LTCUSDT', orderId: 811, clientOrderId: 'bs-1', price: '88.10', origQty: '2.000' },
  ...{ executedQty: '0.500', cummulativeQuoteQty: '44.050', status: 'PARTIALLY_FILLED', timeInForce: 'GTC' },
  ...{ type: 'LIMIT', side: 'SELL', stopPrice: '0.000', icebergQty: '0.00', time: 3, updateTime: 9 },
  isWorking: true,
  ...more,
});
const waiting = (type: string, more: object) =>
  row({ status: 'NEW', executedQty: '0', cummulativeQuoteQty: '0', type, isWorking: false, ...more });
const TERMS = {
  ...{ side: 'SELL', timeInForce: 'GTC', reduceOnly: false, closePosition: false, positionSide: 'BOTH' },
  workingType: 'CONTRACT_PRICE',
};
const placed = ({ updateTime, isWorking, ...more }: ReturnType<typeof row>) => ({
  ...more,
  transactTime: updateTime,
  ...(isWorking ? { workingTime: 5 } : {}),
});

describe('open orders of spot', () => {
  it('are told each with its own terms', async () => {
    const { c, hand } = await opened();
    hand.on(OPEN, [
      row({ icebergQty: '0.100' }),
      row({ symbol: 'ETHUSDT', orderId: 7, clientOrderId: 'web', side: 'BUY', updateTime: 8 }),
      waiting('STOP_LOSS_LIMIT', { orderId: 812, stopPrice: '90.0', timeInForce: 'IOC', updateTime: 10 }),
      waiting('TAKE_PROFIT_LIMIT', { orderId: 813, stopPrice: '70.50', timeInForce: 'FOK' }),
      waiting('STOP_LOSS', { orderId: 814, price: '0.0', stopPrice: '91', trailingTime: 77 }),
      waiting('TAKE_PROFIT', { orderId: 815, price: '0.0', stopPrice: '60', trailingTime: -1 }),
      waiting('STOP_LOSS_LIMIT', { orderId: 816, stopPrice: '90', trailingTime: 78, isWorking: true }),
      waiting('LIMIT_MAKER', { orderId: 817 }),
      row({ orderId: 818, status: 'PENDING_NEW', executedQty: '0', cummulativeQuoteQty: '-1.0' }),
      row({ orderId: 819, status: 'PENDING_CANCEL', type: 'LIMIT_OF_ELSEWHERE' }),
    ]);
    const one = {
      ...{ clientId: 'bs-1', symbol: 'LTCUSDT', status: 'WORKING', origQty: '2', cumQty: '0.5' },
      ...{ quoteQty: '44.05', seq: 9, time: 9, venueIds: ['811'] },
    };
    const stops = { ...one, status: 'PENDING', cumQty: '0', quoteQty: '0' };
    const limit = { ...TERMS, type: 'LIMIT', price: '88.1' };
    const { quoteQty: _, ...old } = one;
    expect(await c.result(c.venue.openOrders())).toEqual([
      { ...one, terms: { ...limit, icebergQty: '0.1' } },
      {
        ...one,
        ...{ symbol: 'ETHUSDT', clientId: 'web', venueIds: ['7'], seq: 8, time: 8 },
        terms: { ...limit, side: 'BUY' },
      },
      {
        ...stops,
        ...{ venueIds: ['812'], seq: 10, time: 10 },
        terms: { ...limit, type: 'STOP_LIMIT', stopPrice: '90', timeInForce: 'IOC' },
      },
      {
        ...stops,
        venueIds: ['813'],
        terms: { ...limit, type: 'TAKE_PROFIT_LIMIT', stopPrice: '70.5', timeInForce: 'FOK' },
      },
      {
        ...stops,
        venueIds: ['814'],
        armedAt: 77,
        terms: { ...TERMS, type: 'STOP_MARKET', stopPrice: '91' },
      },
      { ...stops, venueIds: ['815'], terms: { ...TERMS, type: 'TAKE_PROFIT_MARKET', stopPrice: '60' } },
      {
        ...stops,
        ...{ venueIds: ['816'], status: 'WORKING' },
        terms: { ...limit, type: 'STOP_LIMIT', stopPrice: '90' },
      },
      { ...stops, venueIds: ['817'], status: 'WORKING', terms: { ...limit, type: 'LIMIT_MAKER' } },
      { ...old, venueIds: ['818'], status: 'PENDING', cumQty: '0', terms: limit },
      { ...one, venueIds: ['819'] },
    ]);
    expect(hand.asked()).toEqual([{ name: OPEN, parameters: {} }]);
    expect(c.reports).toEqual([]);
  });

  it('are none that can be told where one of them cannot be read, or the question fails', async () => {
    const { c, hand } = await opened();
    hand.on(OPEN, [row({}), row({ orderId: 812, status: 'PAUSED' })]);
    expect(await c.result(c.venue.openOrders())).toBeNull();
    expect(c.reports.splice(0)).toEqual(['mine-spot: open orders: a status that is not known']);
    await c.clock.advance(60_000);
    hand.on(OPEN, [row({}), row({ orderId: 812, price: 5 })]);
    expect(await c.result(c.venue.openOrders())).toBeNull();
    expect(c.reports).toHaveLength(1);
    for (const status of [400, 500, 203]) {
      hand.on(OPEN, [row({})], status);
      expect(await c.result(c.venue.openOrders())).toBeNull();
    }
    hand.on(OPEN, []);
    expect(await c.result(c.venue.openOrders())).toEqual([]);
  });
});

describe('an order of spot that is asked for', () => {
  const trade = (id: number, more: object = {}) => ({
    ...{ symbol: 'LTCUSDT', id, orderId: 811, price: '88.20', qty: '0.20', commission: '0.010' },
    ...{ commissionAsset: 'BNB', time: 7, isBuyer: false, isMaker: true },
    ...more,
  });
  const ref = { clientId: 'bs-1', symbol: 'LTCUSDT' };

  it('is told with its executions, the oldest first, under the id of the order', async () => {
    const { c, hand } = await opened();
    hand.on(`GET ${ORDER}`, row({ clientOrderId: 'bs-other' }));
    hand.on(TRADES, [
      trade(10, { price: '88', qty: '0.3', isMaker: false, commission: '-0.2', commissionAsset: 'LTC' }),
      trade(9),
    ]);
    const found = await c.result(c.venue.query({ ...ref, venueIds: ['811'] }));
    const fill = {
      ...{ tradeId: '9', clientId: 'bs-other', venueId: '811', symbol: 'LTCUSDT', side: 'SELL' },
      ...{ price: '88.2', qty: '0.2', comm: '0.01', commAsset: 'BNB', maker: true, time: 7 },
      ...{ rPnl: null, posSide: 'BOTH' },
    };
    const later = { ...fill, tradeId: '10', price: '88', qty: '0.3', maker: false };
    expect(found).toMatchObject({
      kind: 'found',
      state: { clientId: 'bs-other', status: 'WORKING', cumQty: '0.5' },
      fills: [fill, { ...later, comm: '-0.2', commAsset: 'LTC' }],
    });
    expect(hand.asked()).toEqual([
      { name: `GET ${ORDER}`, parameters: { symbol: 'LTCUSDT', orderId: '811' } },
      { name: TRADES, parameters: { symbol: 'LTCUSDT', orderId: '811', limit: '1000' } },
    ]);
  });

  it('by our id has no executions to ask for where nothing of it has executed, and is unknown without them', async () => {
    const { c, hand } = await opened();
    hand.on(`GET ${ORDER}`, row({ executedQty: '0.00', status: 'NEW' }));
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind: 'found', fills: [] });
    expect(hand.asked()).toEqual([
      { name: `GET ${ORDER}`, parameters: { symbol: 'LTCUSDT', origClientOrderId: 'bs-1' } },
    ]);
    hand.on(`GET ${ORDER}`, row({ status: 'CANCELED' })).on(TRADES, 'busy', 500);
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind: 'unknown' });
    hand.on(TRADES, [trade(9), { ...trade(10), qty: 1 }]);
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind: 'unknown' });
  });

  it.each<[number, string, number, kind: string]>([
    [-2013, 'Order does not exist.', 400, 'absent'],
    [-2026, 'Order was canceled or expired with no executed qty over 90 days ago.', 400, 'absent'],
    [-2039, 'Client order ID is not correct for this order ID.', 400, 'absent'],
    [-2011, 'Unknown order sent.', 400, 'unknown'],
    [-1003, 'Too many requests.', 400, 'unknown'],
    [-1021, 'Timestamp for this request is outside of the recvWindow.', 400, 'unknown'],
    [-2015, 'Invalid API-key, IP, or permissions for action.', 401, 'unknown'],
    [-1007, 'Timeout waiting for response from backend server.', 408, 'unknown'],
  ])('and is answered with %s is %s %s %s', async (code, msg, status, kind) => {
    const { c, hand } = await opened();
    hand.refuse(`GET ${ORDER}`, code, msg, status);
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind });
    // After -1021 the clock is measured at once.
    expect(hand.names()).toEqual([`GET ${ORDER}`, ...(code === -1021 ? ['GET /api/v3/time'] : [])]);
  });

  it('and is answered with what cannot be read, or not at all, is unknown', async () => {
    const { c, hand } = await opened();
    hand.on(`GET ${ORDER}`, row({}), 404);
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind: 'unknown' });
    hand.on(`GET ${ORDER}`, row({ status: 'PAUSED' }));
    expect(await c.result(c.venue.query(ref))).toEqual({
      kind: 'unknown',
      cause: 'its status PAUSED is not known',
    });
    hand.on(`GET ${ORDER}`, row({ orderId: null }));
    expect(await c.result(c.venue.query(ref))).toMatchObject({ kind: 'unknown' });
    for (const how of ['lost', 'unsent'] as const) {
      hand.lose(`GET ${ORDER}`, how);
      expect(await c.result(c.venue.query(ref))).toEqual({ kind: 'unknown', cause: `${how} on its way` });
    }
  });
});

describe('an answer to a placement on spot', () => {
  it.each<[string, object, object]>([
    ['on the book', { workingTime: 0, status: 'NEW' }, { status: 'WORKING' }],
    ['that waits, by its -1', { workingTime: -1, status: 'NEW' }, { status: 'PENDING' }],
    ['that waits, by nothing', { status: 'NEW', trailingTime: 6 }, { status: 'PENDING', armedAt: 6 }],
    ['that has executed a part', { status: 'PARTIALLY_FILLED', executedQty: '1.50' }, { status: 'WORKING' }],
    ['that expired', { status: 'EXPIRED', expiryReason: 'NONE' }, { status: 'CANCELLED', text: 'expired' }],
    [
      'that met one of its own',
      { status: 'EXPIRED_IN_MATCH' },
      { status: 'CANCELLED', text: 'expired: self-trade prevention' },
    ],
    [
      'that was refused after all',
      { status: 'REJECTED', expiryReason: 'FOR_THAT' },
      { status: 'REJECTED', text: 'rejected: FOR_THAT' },
    ],
  ])('tells of a stop %s', async (_, more, told) => {
    const { c, hand } = await opened();
    const stop = placed(waiting('STOP_LOSS_LIMIT', { stopPrice: '90' }));
    hand.on(`POST ${ORDER}`, { ...stop, ...more });
    const order = { type: 'STOP_LIMIT', price: '88.1', stopPrice: '90', quantity: '2' } as const;
    expect(await c.submit({ ...order, clientId: 'bs-1', symbol: 'LTCUSDT' })).toMatchObject({
      kind: 'accepted',
      state: { seq: 9, time: 9, terms: { stopPrice: '90' }, ...told },
    });
    expect(hand.names()).toEqual([`POST ${ORDER}`]);
  });

  it('that cannot be read proves nothing, and is said', async () => {
    const { c, hand } = await opened();
    for (const [body, problem] of [
      [placed(row({ status: 'PAUSED' })), /a status that is not known/],
      [placed(row({ executedQty: 'some' })), /executedQty/],
    ] as const) {
      hand.on(`POST ${ORDER}`, body);
      expect(await c.submit({ price: '88.1', quantity: '2' })).toMatchObject({ kind: 'unknown' });
      expect(c.reports.splice(0)).toEqual([expect.stringMatching(problem)]);
      await c.clock.advance(60_000);
    }
  });
});

describe('a cancel on spot', () => {
  const ref = { clientId: 'bs-1', symbol: 'LTCUSDT' };
  const cancelled = (more: object) => {
    const { updateTime: _, isWorking: __, ...rest } = row({ status: 'CANCELED', ...more });
    return { ...rest, clientOrderId: 'of-the-cancel', origClientOrderId: 'bs-1' };
  };

  it('names the order by its number where that is known, and tells it at the time of the exchange', async () => {
    const { c, hand } = await opened();
    hand.on(`DELETE ${ORDER}`, cancelled({ transactTime: 12 }));
    const state = { clientId: 'bs-1', status: 'CANCELLED', cumQty: '0.5', text: 'cancelled' };
    expect(await c.result(c.venue.cancel(ref))).toMatchObject({
      kind: 'done',
      state: { ...state, seq: 12, time: 12 },
    });
    hand.on(`DELETE ${ORDER}`, cancelled({}));
    const now = c.emulator.now();
    const outcome = await c.result(c.venue.cancel({ ...ref, venueIds: ['811'] }));
    expect(outcome).toMatchObject({ kind: 'done', state });
    const { time = 0, seq = 0 } = outcome.kind === 'done' && outcome.state ? outcome.state : {};
    expect([Math.abs(time - now) < 100, seq === time]).toEqual([true, true]);
    expect(hand.asked()).toEqual([
      { name: `DELETE ${ORDER}`, parameters: { symbol: 'LTCUSDT', origClientOrderId: 'bs-1' } },
      { name: `DELETE ${ORDER}`, parameters: { symbol: 'LTCUSDT', orderId: '811' } },
    ]);
  });

  it.each<[number, string, object]>([
    [-2011, 'Unknown order sent.', { kind: 'gone', state: { status: 'FILLED' } }],
    [-2013, 'Order does not exist.', { kind: 'gone', state: { status: 'FILLED' } }],
    [
      -2011,
      'This account may not place or cancel orders.',
      { kind: 'rejected', reason: 'ACCOUNT_RESTRICTED' },
    ],
    [-2011, 'Something new.', { kind: 'unknown' }],
    [-1006, 'An unexpected response was received.', { kind: 'unknown' }],
    [
      -2015,
      'Invalid API-key, IP, or permissions for action.',
      { kind: 'rejected', reason: 'BAD_CREDENTIALS' },
    ],
    [-1013, 'Filter failure: NOTIONAL', { kind: 'rejected', reason: 'OTHER' }],
  ])('that is answered with %s, %s, is as that says', async (code, msg, outcome) => {
    const { c, hand } = await opened();
    hand.refuse(`DELETE ${ORDER}`, code, msg).on(`GET ${ORDER}`, row({ status: 'FILLED', executedQty: '2' }));
    expect(await c.result(c.venue.cancel(ref))).toMatchObject(outcome);
    const { kind } = outcome as { readonly kind: string };
    expect(hand.names()).toEqual([`DELETE ${ORDER}`, ...(kind === 'gone' ? [`GET ${ORDER}`] : [])]);
  });

  it.each([
    [429, { code: -1003, msg: 'Too many requests.' }],
    [429, 'slow down'],
    [418, 'banned'],
    [400, { code: -1015, msg: 'Too many new orders.' }],
  ])('that is over a limit (%s) is sent again by itself', async (status, body) => {
    const { c, hand } = await opened();
    let times = 0;
    hand.by(`DELETE ${ORDER}`, () => {
      times += 1;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const over = { kind: 'answer', status, headers: { 'retry-after': '3' }, body: text } as const;
      return times < 3
        ? over
        : { ...over, status: 200, body: JSON.stringify(cancelled({ transactTime: 12 })) };
    });
    expect(await c.result(c.venue.cancel(ref))).toMatchObject({ kind: 'done', state: { seq: 12 } });
    expect(times).toBe(3);
  });

  it('of which nothing has come back, or never left, is unknown', async () => {
    const { c, hand } = await opened();
    for (const how of ['lost', 'unsent'] as const) {
      hand.lose(`DELETE ${ORDER}`, how);
      expect(await c.result(c.venue.cancel(ref))).toEqual({ kind: 'unknown', cause: `${how} on its way` });
    }
    hand.on(`DELETE ${ORDER}`, '<html>', 502);
    expect(await c.result(c.venue.cancel(ref))).toMatchObject({ kind: 'unknown' });
    expect(hand.names()).toHaveLength(3);
  });

  const ALL = 'DELETE /api/v3/openOrders';

  it('of all tells each order of the answer, also those of lists, and leaves out what it cannot read', async () => {
    const { c, hand } = await opened();
    const of = (id: number, more: object = {}) => ({
      ...cancelled({ orderId: id, transactTime: id, ...more }),
      origClientOrderId: `bs-${id}`,
    });
    hand.on(ALL, [
      of(1),
      of(2, { status: 'PAUSED' }),
      { orderListId: 5, orderReports: [of(3), of(4)] },
      of(5),
    ]);
    const told = [1, 3, 4, 5].map((id) => ({ clientId: `bs-${id}`, venueIds: [String(id)], seq: id }));
    expect(await c.result(c.venue.cancelAll?.('LTCUSDT') ?? Promise.reject())).toMatchObject({
      kind: 'done',
      states: told,
    });
    expect(hand.asked()).toEqual([{ name: ALL, parameters: { symbol: 'LTCUSDT' } }]);
  });

  it.each<[string, number, unknown, object]>([
    ['nothing to cancel', 400, { code: -2011, msg: 'Unknown order sent.' }, { kind: 'done', states: [] }],
    [
      'no right',
      401,
      { code: -2015, msg: 'Invalid API-key' },
      { kind: 'rejected', reason: 'BAD_CREDENTIALS' },
    ],
    ['a timeout', 408, { code: -1007, msg: 'Timeout' }, { kind: 'unknown' }],
    ['a page', 502, '<html>', { kind: 'unknown' }],
    ['an order that cannot be read', 200, [{ symbol: 'LTCUSDT' }], { kind: 'unknown' }],
  ])('of all that is answered with %s is as that says', async (_, status, body, outcome) => {
    const { c, hand } = await opened();
    hand.on(ALL, body, status);
    expect(await c.result(c.venue.cancelAll?.('LTCUSDT') ?? Promise.reject())).toMatchObject(outcome);
    expect([hand.names(), c.reports.length]).toEqual([[ALL], status === 200 ? 1 : 0]);
  });

  it('of all waits and is sent again where it is over a limit', async () => {
    const { c, hand } = await opened();
    hand.on(ALL, 'slow down', 429, { 'retry-after': '2' });
    const asked = c.venue.cancelAll?.('LTCUSDT') ?? Promise.reject();
    await c.clock.advance(1_900);
    expect(hand.names()).toEqual([ALL]);
    hand.on(ALL, []);
    expect(await c.result(asked)).toEqual({ kind: 'done', states: [] });
    expect(hand.names()).toEqual([ALL]);
  });
});

describe('a smaller quantity on spot', () => {
  const AMEND = `PUT ${ORDER}/amend/keepPriority`;
  const ref = { clientId: 'bs-1', symbol: 'LTCUSDT' };
  const amend = (c: SpotCase, change: object, venueIds?: readonly string[]) =>
    c.result(c.venue.amend?.({ ...ref, ...(venueIds ? { venueIds } : {}) }, change) ?? Promise.reject());

  it('is asked for under the id that the order has and keeps, and told as answered', async () => {
    const { c, hand } = await opened();
    hand.on(AMEND, {
      transactTime: 21,
      executionId: 60,
      amendedOrder: {
        ...{ symbol: 'LTCUSDT', orderId: 811, orderListId: -1, origClientOrderId: 'bs-0', side: 'BUY' },
        ...{ clientOrderId: 'bs-1', price: '88.10', qty: '1.50', executedQty: '0.5', preventedQty: '0' },
        ...{ cumulativeQuoteQty: '44.05', status: 'PARTIALLY_FILLED', timeInForce: 'GTC', type: 'LIMIT' },
      },
    });
    for (const venueIds of [undefined, ['811']])
      expect(await amend(c, { quantity: '1.5' }, venueIds)).toEqual({
        kind: 'done',
        state: {
          ...{ clientId: 'bs-1', symbol: 'LTCUSDT', status: 'WORKING', origQty: '1.5', cumQty: '0.5' },
          ...{ quoteQty: '44.05', seq: 21, time: 21, venueIds: ['811'] },
          terms: { ...TERMS, side: 'BUY', type: 'LIMIT', price: '88.1' },
        },
      });
    const change = { newQty: '1.5', newClientOrderId: 'bs-1' };
    expect(hand.asked().map(({ parameters }) => parameters)).toEqual([
      { symbol: 'LTCUSDT', origClientOrderId: 'bs-1', ...change },
      { symbol: 'LTCUSDT', orderId: '811', ...change },
    ]);
  });

  it.each<[number, string, object, string[]]>([
    [-2038, 'The order is not open.', { kind: 'gone', state: { status: 'FILLED' } }, [`GET ${ORDER}`]],
    [-2013, 'Order does not exist.', { kind: 'gone', state: { status: 'FILLED' } }, [`GET ${ORDER}`]],
    [-2038, 'The newQty is too large.', { kind: 'rejected', reason: 'OTHER' }, []],
    [-1013, 'Filter failure: LOT_SIZE', { kind: 'rejected', reason: 'LOT_SIZE' }, []],
    [-1015, 'Too many new orders.', { kind: 'rejected', reason: 'RATE_LIMITED' }, []],
    [-1007, 'Timeout', { kind: 'unknown' }, []],
  ])('that is answered with %s, %s, is as that says', async (code, msg, outcome, then) => {
    const { c, hand } = await opened();
    hand.refuse(AMEND, code, msg).on(`GET ${ORDER}`, row({ status: 'FILLED', executedQty: '2' }));
    expect(await amend(c, { quantity: '1.5' })).toMatchObject(outcome);
    expect(hand.names()).toEqual([AMEND, ...then]);
  });

  it('is the only change: any other is not sent, and one that never left is certain', async () => {
    const { c, hand } = await opened();
    for (const change of [{ price: '90' }, { price: '90', quantity: '1' }, {}])
      expect(await amend(c, change)).toMatchObject({ kind: 'rejected', reason: 'UNSUPPORTED' });
    expect(hand.names()).toEqual([]);
    hand.lose(AMEND, 'unsent');
    expect(await amend(c, { quantity: '1' })).toMatchObject({ kind: 'rejected', reason: 'UNREACHED' });
    hand.lose(AMEND);
    expect(await amend(c, { quantity: '1' })).toMatchObject({ kind: 'unknown' });
  });
});
