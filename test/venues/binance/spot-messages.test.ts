/**
 * The reading of single messages of Binance spot. The payloads were written for these tests after the public
 * documents, with their own values.
 */
import { describe, expect, it } from 'vitest';
import { tellEvent } from '../../../src/venues/binance/spot/account-events.ts';
import {
  readCancelledAll,
  readPlaced,
  readQueried,
  readTrades,
} from '../../../src/venues/binance/spot/messages.ts';
import { fillOfTrade, stateOfPlaced, stateOfQueried } from '../../../src/venues/binance/spot/order-states.ts';
import { spotOrder } from '../../../src/venues/binance/spot/wire-order.ts';
import { Complaints } from '../../../src/venues/kit/complaints.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PLACED = {
  symbol: 'LTCUSDT',
  orderId: 811,
  orderListId: -1,
  clientOrderId: 'bs-1',
  transactTime: 1_790_000_000_123,
  price: '88.10000000',
  origQty: '2.00000000',
  executedQty: '0.50000000',
  origQuoteOrderQty: '0.00000000',
  cummulativeQuoteQty: '44.05000000',
  status: 'PARTIALLY_FILLED',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'SELL',
  workingTime: 1_790_000_000_123,
  selfTradePreventionMode: 'EXPIRE_MAKER',
};
const QUERIED = {
  ...PLACED,
  stopPrice: '0.00000000',
  icebergQty: '0.00000000',
  time: 1_790_000_000_000,
  updateTime: 1_790_000_000_456,
  isWorking: true,
};
const REPORT = {
  e: 'executionReport',
  E: 1_790_000_000_130,
  s: 'LTCUSDT',
  c: 'bs-1',
  S: 'SELL',
  o: 'LIMIT',
  f: 'GTC',
  q: '2.00000000',
  p: '88.10000000',
  P: '0.00000000',
  F: '0.00000000',
  g: -1,
  C: '',
  x: 'TRADE',
  X: 'PARTIALLY_FILLED',
  r: 'NONE',
  i: 811,
  l: '0.50000000',
  z: '0.50000000',
  L: '88.10000000',
  n: '0.00011000',
  N: 'BNB',
  T: 1_790_000_000_129,
  t: 9_001,
  v: 3,
  I: 77,
  w: true,
  m: true,
  M: true,
  O: 1_790_000_000_000,
  Z: '44.05000000',
  Y: '44.05000000',
  Q: '0.00000000',
  W: 1_790_000_000_000,
  V: 'NONE',
};

function told(event: unknown) {
  const words: unknown[] = [];
  const reports: string[] = [];
  tellEvent(JSON.stringify({ subscriptionId: 0, event }), {
    sink: {
      order: (state) => words.push({ order: state }),
      fill: (fill) => words.push({ fill }),
      balances: (changed) => words.push({ changed }),
      ledger: () => words.push('ledger'),
      stream: (state) => words.push(state),
    },
    complaints: new Complaints({ clock: new VirtualClock(), report: (text) => reports.push(text) }),
    quoteOf: () => 'USDT',
    held: () => {},
    moved: (entry) => words.push({ entry }),
    doubted: () => words.push('doubted'),
  });
  return { words, reports };
}

describe('an answer', () => {
  it('to a placement is the state of the order', () => {
    const read = readPlaced(JSON.stringify(PLACED));
    expect(read.ok && stateOfPlaced(read.value)).toEqual({
      clientId: 'bs-1',
      symbol: 'LTCUSDT',
      status: 'WORKING',
      origQty: '2',
      cumQty: '0.5',
      quoteQty: '44.05',
      seq: 1_790_000_000_123,
      time: 1_790_000_000_123,
      venueIds: ['811'],
      terms: {
        side: 'SELL',
        type: 'LIMIT',
        price: '88.1',
        timeInForce: 'GTC',
        reduceOnly: false,
        closePosition: false,
        positionSide: 'BOTH',
        workingType: 'CONTRACT_PRICE',
      },
    });
  });

  it.each([
    ['NEW', true, 'WORKING'],
    ['NEW', false, 'PENDING'],
    ['PENDING_NEW', false, 'PENDING'],
    ['PARTIALLY_FILLED', true, 'WORKING'],
    ['FILLED', true, 'FILLED'],
    ['CANCELED', false, 'CANCELLED'],
    ['EXPIRED', false, 'CANCELLED'],
    ['EXPIRED_IN_MATCH', true, 'CANCELLED'],
    ['REJECTED', false, 'REJECTED'],
  ])('of a stop whose status is %s, on the book %s, says %s', (status, isWorking, ours) => {
    const stop = { ...QUERIED, type: 'STOP_LOSS_LIMIT', stopPrice: '90.00000000', executedQty: '0.00000000' };
    const read = readQueried(JSON.stringify({ ...stop, status, isWorking }));
    const state = read.ok ? stateOfQueried(read.value) : null;
    expect(state).toMatchObject({ status: ours, terms: { type: 'STOP_LIMIT', stopPrice: '90' } });
  });

  it('of a stop that has executed waits no more, though it is said to be off the book', () => {
    const stop = { ...QUERIED, type: 'STOP_LOSS_LIMIT', stopPrice: '90.00000000', isWorking: false };
    const part = { ...stop, status: 'PARTIALLY_FILLED', executedQty: '0.10000000' };
    const read = readQueried(JSON.stringify(part));
    expect(read.ok ? stateOfQueried(read.value)?.status : null).toBe('WORKING');
  });

  it('with a status that is not known is no state', () => {
    const read = readQueried(JSON.stringify({ ...QUERIED, status: 'PAUSED' }));
    expect(read.ok && stateOfQueried(read.value)).toBeNull();
  });

  it('keeps numbers of orders and executions that no double can hold', () => {
    const text = JSON.stringify({ ...QUERIED, orderId: 1 }).replace(
      '"orderId":1',
      '"orderId":9223372036854775807',
    );
    const read = readQueried(text);
    expect(read.ok && stateOfQueried(read.value)?.venueIds).toEqual(['9223372036854775807']);
  });

  it('about executions gives each with its fee, be it paid or given', () => {
    const trade = {
      symbol: 'LTCUSDT',
      id: 9_001,
      orderId: 811,
      orderListId: -1,
      price: '88.10000000',
      qty: '0.50000000',
      quoteQty: '44.05000000',
      commission: '-0.00010000',
      commissionAsset: 'LTC',
      time: 1_790_000_000_129,
      isBuyer: true,
      isMaker: false,
      isBestMatch: true,
    };
    const read = readTrades(JSON.stringify([trade]));
    expect(read.ok && read.value.map((one) => fillOfTrade(one, 'bs-1'))).toEqual([
      {
        tradeId: '9001',
        clientId: 'bs-1',
        venueId: '811',
        symbol: 'LTCUSDT',
        side: 'BUY',
        price: '88.1',
        qty: '0.5',
        comm: '-0.0001',
        commAsset: 'LTC',
        maker: false,
        rPnl: null,
        posSide: 'BOTH',
        time: 1_790_000_000_129,
      },
    ]);
  });

  it('to a cancel of all has orders and lists of orders', () => {
    const row = { ...PLACED, origClientOrderId: 'bs-1', status: 'CANCELED', clientOrderId: 'of-the-cancel' };
    const list = {
      orderListId: 5,
      contingencyType: 'OCO',
      orderReports: [row, { ...row, origClientOrderId: 'bs-2' }],
    };
    const read = readCancelledAll(JSON.stringify([row, list]));
    expect(read.ok && read.value.length).toBe(2);
  });
});

describe('an event', () => {
  it('of an execution tells it, then the order', () => {
    expect(told(REPORT).words).toMatchObject([
      {
        fill: {
          tradeId: '9001',
          clientId: 'bs-1',
          venueId: '811',
          side: 'SELL',
          price: '88.1',
          qty: '0.5',
          comm: '0.00011',
          commAsset: 'BNB',
          maker: true,
          time: 1_790_000_000_129,
        },
      },
      {
        order: {
          clientId: 'bs-1',
          status: 'WORKING',
          cumQty: '0.5',
          quoteQty: '44.05',
          seq: 1_790_000_000_129,
        },
      },
    ]);
  });

  it('of a cancel has the id of the request in front, and the order in its second place', () => {
    const event = {
      ...REPORT,
      c: 'of-the-cancel',
      C: 'bs-1',
      x: 'CANCELED',
      X: 'CANCELED',
      t: -1,
      l: '0.00000000',
      N: null,
      n: '0',
    };
    expect(told(event).words).toMatchObject([
      { order: { clientId: 'bs-1', status: 'CANCELLED', text: 'cancelled' } },
    ]);
  });

  it('of an execution of nothing, or without a fee, is no execution, and one in the quote', () => {
    expect(told({ ...REPORT, l: '0.00000000' }).words).toMatchObject([{ order: {} }]);
    expect(told({ ...REPORT, n: '0', N: null }).words).toMatchObject([
      { fill: { comm: '0', commAsset: 'USDT' } },
      {},
    ]);
  });

  it('of an order that has expired says why', () => {
    const event = {
      ...REPORT,
      x: 'EXPIRED',
      X: 'EXPIRED',
      t: -1,
      l: '0.00000000',
      eR: 'INSUFFICIENT_LIQUIDITY',
    };
    expect(told(event).words).toMatchObject([
      { order: { status: 'CANCELLED', text: 'expired: INSUFFICIENT_LIQUIDITY' } },
    ]);
  });

  it('of the wallet gives what there is, with its time', () => {
    const event = {
      e: 'outboundAccountPosition',
      E: 5,
      u: 4,
      B: [
        { a: 'LTC', f: '1.50000000', l: '0.00000000' },
        { a: 'USDT', f: '10.00000000', l: '3.10000000' },
      ],
    };
    expect(told(event).words).toEqual([
      {
        changed: [
          { asset: 'LTC', free: '1.5', locked: '0', time: 4 },
          { asset: 'USDT', free: '10', locked: '3.1', time: 4 },
        ],
      },
    ]);
  });

  it('of a lock by something else asks for the balances', () => {
    expect(told({ e: 'externalLockUpdate', E: 2, a: 'BTC', d: '-0.1', T: 1 }).words).toEqual(['doubted']);
  });

  it('of an order list is told by its orders, and one that is new is left out and said', () => {
    expect(told({ e: 'listStatus', E: 1 })).toEqual({ words: [], reports: [] });
    const { words, reports } = told({ e: 'brandNew', E: 1 });
    expect([words, reports]).toEqual([
      [],
      ['an event of the account: brandNew is not known and was left out'],
    ]);
  });

  it.each([
    ['a quantity that is none', { ...REPORT, z: 'lots' }],
    ['a status that is new', { ...REPORT, X: 'PAUSED', t: -1, l: '0' }],
    ['no number', { ...REPORT, i: null }],
    ['no kind', { E: 1 }],
    ['a text that is too long', { ...REPORT, s: 'X'.repeat(600) }],
  ])('with %s is a gap, and is said', (_, event) => {
    const { words, reports } = told(event);
    expect(words).toEqual(['gap']);
    expect(reports).toHaveLength(1);
  });
});

describe('an order on the wire', () => {
  const ORDER = { clientId: 'bs-1', symbol: 'LTCUSDT', side: 'BUY', timeInForce: 'GTC' } as const;

  it('carries what its type takes, and nothing else', () => {
    const of = (more: Partial<Parameters<typeof spotOrder>[0]>) => {
      const wire = spotOrder({ ...ORDER, type: 'LIMIT', ...more });
      return wire.kind === 'wire' ? Object.keys(wire.parameters).sort().join(' ') : wire.message;
    };
    const always = 'newClientOrderId newOrderRespType';
    expect([
      of({ type: 'LIMIT', quantity: '1', price: '88', icebergQty: '0.1' }),
      of({ type: 'LIMIT_MAKER', quantity: '1', price: '88' }),
      of({ type: 'MARKET', quantity: '1' }),
      of({ type: 'MARKET', quoteOrderQty: '50' }),
      of({ type: 'STOP_LIMIT', quantity: '1', price: '88', stopPrice: '87' }),
      of({ type: 'STOP_MARKET', quantity: '1', trailingDelta: 100 }),
    ]).toEqual([
      `icebergQty ${always} price quantity side symbol timeInForce type`,
      `${always} price quantity side symbol type`,
      `${always} quantity side symbol type`,
      `${always} quoteOrderQty side symbol type`,
      `${always} price quantity side stopPrice symbol timeInForce type`,
      `${always} quantity side symbol trailingDelta type`,
    ]);
    expect(of({ type: 'STOP_MARKET', quantity: '1', trailingDelta: 100, activationPrice: '99' })).toMatch(
      /trails at once/,
    );
    expect(of({ quantity: '1', price: '88', icebergQty: '0.1', timeInForce: 'IOC' })).toMatch(
      /icebergQty goes with/,
    );
    expect(of({ type: 'MARKET' })).toMatch(/either quantity or quoteOrderQty/);
  });
});
