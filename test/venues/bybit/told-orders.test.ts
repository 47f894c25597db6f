/**
 * Orders as Bybit writes them and as the desk gets them, field by field: the same from an event and from the
 * list of open orders, whatever side, position, trigger or end they have.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangeOrder, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import type { OrderRow } from '../../../src/venues/bybit/messages.ts';
import { OrderNamesKept } from '../../../src/venues/bybit/order-names.ts';
import { stateOf } from '../../../src/venues/bybit/order-states.ts';
import { bybitRig, orderOf, type Rig } from './bybit-rig.ts';

const ROW = {
  orderId: 'x1',
  orderLinkId: 'c1',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  orderStatus: 'New',
  price: '50000.10',
  qty: '0.030',
  cumExecQty: '0.000',
  cumExecValue: '',
  timeInForce: 'GTC',
  stopOrderType: '',
  positionIdx: 0,
  createdTime: '1690000000000',
  updatedTime: '1700000000001',
} as const satisfies OrderRow;
const STATE: ExchangeOrderState = {
  clientId: 'c1',
  venueIds: ['x1'],
  symbol: 'BTCUSDT',
  status: 'WORKING',
  origQty: '0.03',
  cumQty: '0',
  quoteQty: '0',
  seq: 1_700_000_000_001,
  time: 1_700_000_000_001,
};
const TERMS = {
  side: 'BUY',
  type: 'LIMIT',
  price: '50000.1',
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  positionSide: 'BOTH',
  workingType: 'CONTRACT_PRICE',
} as const;
const MARKET = { orderType: 'Market', price: '', timeInForce: 'IOC' } as const;
const { price: _, ...NO_PRICE } = TERMS;
const MARKET_TERMS = { ...NO_PRICE, type: 'MARKET', timeInForce: 'IOC' } as const;
const WAITS = { orderStatus: 'Untriggered', stopOrderType: 'Stop', triggerPrice: '60000.50' } as const;
const STOP_TERMS = { ...NO_PRICE, stopPrice: '60000.5' } as const;

type Row = Partial<Record<keyof OrderRow, unknown>>;
type Told = Partial<ExchangeOrderState>;

const CONTRACTS: readonly [string, Row, Told][] = [
  ['a limit buy', {}, { terms: TERMS }],
  [
    'a limit sell that takes at once or not at all',
    { side: 'Sell', timeInForce: 'FOK', qty: '7', price: '3' },
    { origQty: '7', terms: { ...TERMS, side: 'SELL', timeInForce: 'FOK', price: '3' } },
  ],
  ['one that takes what it can', { timeInForce: 'IOC' }, { terms: { ...TERMS, timeInForce: 'IOC' } }],
  ['one that only makes', { timeInForce: 'PostOnly' }, { terms: { ...TERMS, type: 'LIMIT_MAKER' } }],
  ['a market order', { ...MARKET, price: '70000' }, { terms: MARKET_TERMS }],
  [
    'one without an id of ours, written by others',
    { orderLinkId: '', stopOrderType: 'UNKNOWN', triggerPrice: '0', triggerBy: 'UNKNOWN', price: '1.0' },
    { clientId: '', terms: { ...TERMS, price: '1' } },
  ],
  [
    'one in part',
    { orderStatus: 'PartiallyFilled', cumExecQty: '0.0299', cumExecValue: '1490.50' },
    { cumQty: '0.0299', quoteQty: '1490.5', terms: TERMS },
  ],
  [
    'one that has executed all and is still called open',
    { orderStatus: 'PartiallyFilled', cumExecQty: '0.03', cumExecValue: '1500' },
    { status: 'FILLED', cumQty: '0.03', quoteQty: '1500', terms: TERMS },
  ],
  [
    'one that only reduces',
    { ...MARKET, side: 'Sell', reduceOnly: true },
    { terms: { ...MARKET_TERMS, side: 'SELL', reduceOnly: true } },
  ],
  [
    'one that closes the long side, which its position side says',
    { ...MARKET, side: 'Sell', reduceOnly: true, positionIdx: 1 },
    { terms: { ...MARKET_TERMS, side: 'SELL', positionSide: 'LONG' } },
  ],
  ['one of the short side', { positionIdx: 2 }, { terms: { ...TERMS, positionSide: 'SHORT' } }],
  [
    'a close of all, whose size is not told before it does so',
    {
      ...{ ...MARKET, ...WAITS, side: 'Sell', triggerDirection: 2, triggerBy: 'MarkPrice' },
      ...{ qty: '0', reduceOnly: true, closeOnTrigger: true },
    },
    {
      status: 'PENDING',
      origQty: '0',
      terms: {
        ...{ ...STOP_TERMS, type: 'STOP_MARKET', side: 'SELL', timeInForce: 'IOC', reduceOnly: true },
        ...{ closePosition: true, workingType: 'MARK_PRICE' },
      },
    },
  ],
  [
    'a close of all that has done so has the size that it has closed',
    { ...MARKET, side: 'Sell', orderStatus: 'Filled', qty: '0', cumExecQty: '0.5', closeOnTrigger: true },
    {
      ...{ status: 'FILLED', origQty: '0.5', cumQty: '0.5' },
      terms: { ...MARKET_TERMS, side: 'SELL', closePosition: true },
    },
  ],
  [
    'one with a size that closes on its trigger',
    { ...MARKET, ...WAITS, triggerDirection: 1, closeOnTrigger: true, triggerBy: 'LastPrice' },
    { status: 'PENDING', terms: { ...STOP_TERMS, type: 'STOP_MARKET', timeInForce: 'IOC' } },
  ],
  [
    'one without a size that closes nothing',
    { ...MARKET, qty: '0', closeOnTrigger: false },
    { origQty: '0', terms: MARKET_TERMS },
  ],
  [
    'a stop with a limit, by the mark',
    { ...WAITS, triggerDirection: 1, triggerBy: 'MarkPrice', price: '60100' },
    {
      status: 'PENDING',
      terms: {
        ...{ ...STOP_TERMS, type: 'STOP_LIMIT', price: '60100', workingType: 'MARK_PRICE' },
      },
    },
  ],
  [
    'a take-profit with a limit, whose trigger is met',
    { ...WAITS, orderStatus: 'Triggered', side: 'Sell', triggerDirection: 1, price: '60100' },
    {
      status: 'PENDING',
      terms: { ...STOP_TERMS, type: 'TAKE_PROFIT_LIMIT', side: 'SELL', price: '60100' },
    },
  ],
  [
    'what waits at the very price that it was made at, which falls to it',
    { ...MARKET, ...WAITS, side: 'Sell', lastPriceOnCreated: '60000.5' },
    { status: 'PENDING', terms: { ...STOP_TERMS, type: 'STOP_MARKET', side: 'SELL', timeInForce: 'IOC' } },
  ],
  [
    'what rises to its trigger, as it says, wherever it was made',
    { ...MARKET, ...WAITS, triggerDirection: 1, lastPriceOnCreated: '70000' },
    { status: 'PENDING', terms: { ...STOP_TERMS, type: 'STOP_MARKET', timeInForce: 'IOC' } },
  ],
  ['one that waits for nothing, whatever price it names', { triggerPrice: '5' }, { terms: TERMS }],
  [
    'what is called a take-profit, wherever it was made',
    { ...WAITS, stopOrderType: 'PartialTakeProfit', triggerDirection: 1, price: '5' },
    { status: 'PENDING', terms: { ...STOP_TERMS, type: 'TAKE_PROFIT_LIMIT', price: '5' } },
  ],
  [
    'what is called a stop-loss, wherever it was made',
    { ...MARKET, ...WAITS, stopOrderType: 'StopLoss', triggerDirection: 2 },
    { status: 'PENDING', terms: { ...STOP_TERMS, type: 'STOP_MARKET', timeInForce: 'IOC' } },
  ],
  [
    'one that is called a stop and has no trigger',
    { stopOrderType: 'Stop', triggerPrice: '0.00', timeInForce: 'PostOnly' },
    { terms: { ...TERMS, type: 'LIMIT_MAKER' } },
  ],
];

describe('an order of contracts', () => {
  const linear: Rig = bybitRig({ kind: 'futures' });
  beforeAll(() => linear.open());

  it.each(CONTRACTS)('%s', async (_name, more, told) => {
    const state = { ...STATE, ...told };
    linear.forget();
    linear.hear('order.linear', [{ ...ROW, category: 'linear', ...more }]);
    expect(linear.told.orders).toEqual([state]);
    linear.list('/v5/order/realtime', [{ ...ROW, ...more }]);
    linear.list('/v5/order/realtime', []);
    expect(await linear.during(linear.venue.openOrders())).toEqual([state]);
  });

  it('of an event is told once for each of its rows, in their order, and none of another market', () => {
    linear.forget();
    const { cumExecValue: _value, ...plain } = ROW;
    linear.hear('order.linear', [
      { ...plain, orderId: 'x7', orderLinkId: 'c7', category: 'linear', qty: '7' },
      { ...plain, orderId: 'x8', orderLinkId: 'c8', category: 'spot', qty: '8' },
      { ...plain, orderId: 'x9', orderLinkId: 'c9', symbol: 'ETHUSDT', side: 'Sell', qty: '9' },
    ]);
    expect(linear.told.orders).toEqual([
      { ...without(STATE, 'quoteQty'), clientId: 'c7', venueIds: ['x7'], origQty: '7', terms: TERMS },
      {
        ...{ ...without(STATE, 'quoteQty'), clientId: 'c9', venueIds: ['x9'], origQty: '9' },
        ...{ symbol: 'ETHUSDT', terms: { ...TERMS, side: 'SELL' } },
      },
    ]);
    expect(linear.told.stream).toEqual([]);
  });

  it('that cannot be read leaves the others of its event as they are, and has the account compared', async () => {
    const rig = bybitRig({ kind: 'futures' });
    await rig.open();
    rig.forget();
    rig.hear('order.linear', [
      { ...ROW, orderId: 'x7', orderStatus: 'Odd' },
      { ...ROW, orderId: 'x8', orderLinkId: 'c8' },
    ]);
    expect(rig.told.orders.map(({ clientId }) => clientId)).toEqual(['c8']);
    expect(rig.told.stream).toEqual(['gap']);
    rig.list('/v5/order/realtime', [ROW, { ...ROW, orderId: 'x7', orderStatus: 'Odd' }]);
    expect(await rig.during(rig.venue.openOrders())).toBeNull();
    expect(rig.told.reports.at(-1)).toContain('status Odd');
  });
});

function without<T extends object, K extends keyof T>(of: T, name: K): Omit<T, K> {
  const { [name]: _left, ...rest } = of;
  return rest;
}

describe('the end of an order', () => {
  const of = (more: Row, names = new OrderNamesKept()) =>
    stateOf({ ...ROW, orderStatus: 'Cancelled', ...more } as OrderRow, {
      ...{ category: 'linear', names },
      stepOf: () => dec('0.001'),
    });

  it.each([
    ['CancelByUser', '', 'cancelled'],
    ['CancelByReduceOnly', 'EC_NoError', 'cancelled: nothing was left to reduce'],
    ['CancelByPrepareLiq', '', 'cancelled to prevent a liquidation'],
    ['CancelAllBeforeLiq', '', 'cancelled to prevent a liquidation'],
    ['CancelByPrepareAdl', '', 'cancelled by auto-deleveraging'],
    ['CancelAllBeforeAdl', '', 'cancelled by auto-deleveraging'],
    ['CancelByAdmin', '', 'cancelled by the exchange'],
    ['CancelBySettle', '', 'cancelled: the contract is delisted'],
    ['CancelByTpSlTsClear', '', 'cancelled: its position is closed'],
    ['CancelBySmp', '', 'cancelled: it would have traded with an order of the same account'],
    ['CancelByDCP', '', 'cancelled: the line of this account was broken (DCP)'],
    ['Odd', 'UNKNOWN', 'cancelled'],
    ['', 'EC_PerCancelRequest', 'cancelled'],
    ['CancelByUser', 'EC_SomeReason', 'cancelled'],
    ['CancelByAdmin', 'EC_SomeReason', 'SomeReason'],
    ['', 'EC_NoImmediateQtyToFill', 'NoImmediateQtyToFill'],
    ['', `EC_${'x'.repeat(200)}`, 'x'.repeat(120)],
  ])('by %s for %s is said so: %s', (cancelType, rejectReason, text) => {
    const state = of({ cancelType, rejectReason });
    expect(state).toMatchObject({ status: 'CANCELLED', text });
    expect(state).not.toHaveProperty('reason');
  });

  it.each([
    ['EC_PostOnlyWillTakeLiquidity', 'POST_ONLY'],
    ['EC_DuplicatedClOrdID', 'DUPLICATE_ID'],
    ['EC_UnknownOrderType', 'UNSUPPORTED'],
    ['EC_UnknownTimeInForce', 'UNSUPPORTED'],
    ['EC_MarketOrderCannotBePostOnly', 'UNSUPPORTED'],
    ['EC_MarketOrderNoSupportTIF', 'UNSUPPORTED'],
    ['EC_LimitOrderInvalidPrice', 'PRICE_FILTER'],
    ['EC_InvalidPriceScale', 'PRICE_FILTER'],
    ['EC_ReachRiskPriceLimit', 'PERCENT_PRICE'],
    ['EC_ReachMarketPriceLimit', 'PERCENT_PRICE'],
    ['EC_QtyCannotBeZero', 'LOT_SIZE'],
    ['EC_EcInvalidQty', 'LOT_SIZE'],
    ['EC_InvalidAmount', 'LOT_SIZE'],
    ['EC_InvalidSymbolStatus', 'SYMBOL_HALTED'],
    ['EC_SecurityStatusFail', 'SYMBOL_HALTED'],
    ['EC_InCallAuctionStatus', 'SYMBOL_HALTED'],
    ['EC_NoImmediateQtyToFill', 'NO_PRICE'],
    ['INSUFFICIENT_MARGIN', 'BALANCE'],
    ['cannot afford', 'BALANCE'],
    ['wallet BALANCE low', 'BALANCE'],
    ['Reduce-only rule not met', 'REDUCE_ONLY'],
    ['EC_ReduceOnlyFail', 'REDUCE_ONLY'],
    ['EC_Others', 'OTHER'],
    ['', 'OTHER'],
  ])(
    'as a refusal for %s is %s, told twice too, and a cancel of what had executed',
    (rejectReason, reason) => {
      const names = new OrderNamesKept();
      const refused = { orderStatus: 'Rejected', rejectReason };
      for (let times = 0; times < 2; times++)
        expect(of(refused, names)).toMatchObject({ status: 'REJECTED', reason, cumQty: '0' });
      const part = of({ ...refused, orderId: 'x2', cumExecQty: '0.01' }, names);
      expect(part).toMatchObject({ status: 'CANCELLED', cumQty: '0.01' });
      expect(part).not.toHaveProperty('reason');
    },
  );

  it.each(['New', 'PartiallyFilled', 'Untriggered', 'Triggered'])(
    'is no refusal of what was %s before, of that very order alone',
    (orderStatus) => {
      const names = new OrderNamesKept();
      of({ orderStatus, stopOrderType: 'Stop', triggerPrice: '9' }, names);
      of({ orderStatus: 'Filled', cumExecQty: '0.03', orderId: 'x2' }, names);
      expect(of({ orderStatus: 'Rejected' }, names)?.status).toBe('CANCELLED');
      expect(of({ orderStatus: 'Rejected', orderId: 'x3' }, names)?.status).toBe('REJECTED');
    },
  );

  it('by its execution or while it is open has no text, nor a reason', () => {
    for (const orderStatus of ['New', 'Filled', 'Triggered']) {
      const state = of({ orderStatus, cancelType: 'CancelByUser', rejectReason: 'EC_Others' });
      expect(state).not.toHaveProperty('text');
      expect(state).not.toHaveProperty('reason');
    }
  });
});

describe('an order of spot', () => {
  const of = (more: Row, sent?: Partial<ExchangeOrder>, category: 'spot' | 'linear' = 'spot') => {
    const names = new OrderNamesKept();
    if (sent) names.sends(orderOf({ ...sent, clientId: 'c1' }));
    const row = { ...ROW, ...more } as OrderRow;
    return stateOf(row, { category, names, stepOf: (symbol) => dec(symbol === 'BTCUSDT' ? '0.001' : '1') });
  };
  const BOUGHT = { ...MARKET, orderStatus: 'PartiallyFilledCanceled', qty: '100', cumExecValue: '99' };

  it.each<[string, Row, Partial<ExchangeOrder> | undefined, 'spot' | 'linear', string]>([
    ['over an amount, as it was sent', { marketUnit: 'baseCoin' }, { quoteOrderQty: '100' }, 'spot', '2'],
    ['by quantity, as it was sent', { marketUnit: 'quoteCoin' }, { quantity: '100' }, 'spot', '100'],
    ['over an amount, as it says', { marketUnit: 'quoteCoin', side: 'Sell' }, undefined, 'spot', '2'],
    ['by quantity, as it says', { marketUnit: 'baseCoin' }, undefined, 'spot', '100'],
    ['a buy that does not say is over an amount', { marketUnit: '' }, undefined, 'spot', '2'],
    ['a sell that does not say is by quantity', { side: 'Sell' }, undefined, 'spot', '100'],
    ['one of contracts is by quantity', { marketUnit: 'quoteCoin' }, undefined, 'linear', '100'],
    ['a limit is by quantity', { orderType: 'Limit', marketUnit: 'quoteCoin' }, undefined, 'spot', '100'],
  ])('%s', (_name, more, sent, category, origQty) => {
    const type = sent ? { type: 'MARKET' as const, ...sent } : undefined;
    const state = of({ ...BOUGHT, cumExecQty: '2', cumExecValue: '60', ...more }, type, category);
    expect(state).toMatchObject({ origQty, cumQty: '2', status: 'CANCELLED' });
  });

  it('over an amount is filled by the step of its own symbol, and never where nothing was bought', () => {
    const amount = { type: 'MARKET', quoteOrderQty: '100' } as const;
    // 1 of a coin costs 10: what is left, 1, is less than a whole coin, and not less than a thousandth.
    const part = { ...BOUGHT, cumExecQty: '9.9' };
    expect(of({ ...part, symbol: 'XYUSDT' }, amount)?.status).toBe('FILLED');
    expect(of(part, amount)?.status).toBe('CANCELLED');
    expect(of({ ...part, cumExecValue: '0' }, amount)?.status).toBe('CANCELLED');
    expect(of({ ...BOUGHT, cumExecQty: '0', cumExecValue: '0', qty: '0.0001' }, amount)?.status).toBe(
      'CANCELLED',
    );
  });

  it.each([
    ['STOP_MARKET', 'BUY', '99', true, false],
    ['STOP_MARKET', 'BUY', '100', true, true],
    ['STOP_MARKET', 'BUY', '101', true, true],
    ['STOP_LIMIT', 'SELL', '99', true, true],
    ['STOP_LIMIT', 'SELL', '101', true, false],
    ['TAKE_PROFIT_MARKET', 'SELL', '99', true, false],
    ['TAKE_PROFIT_MARKET', 'SELL', '101', true, true],
    ['TAKE_PROFIT_LIMIT', 'BUY', '99', true, true],
    ['TAKE_PROFIT_LIMIT', 'BUY', '101', true, false],
    // Of an order of others, or without the price at which it was made, nothing is known.
    ['STOP_MARKET', 'BUY', '101', false, false],
    ['STOP_MARKET', 'BUY', '', true, false],
    ['STOP_MARKET', 'BUY', '0', true, false],
  ] as const)('%s %s at 100, made at %s, sent from here: %s, waits for nothing: %s', (...told) => {
    const [type, side, lastPriceOnCreated, isOwn, isStuck] = told;
    const sent = { type, side, stopPrice: '100', quantity: '1' };
    const row = { ...WAITS, triggerPrice: '100', side: side === 'BUY' ? 'Buy' : 'Sell', lastPriceOnCreated };
    expect(of(row, isOwn ? sent : undefined)?.stuck).toBe(isStuck ? true : undefined);
    // A contract has a direction, and what no longer waits protects, or is over.
    expect(of(row, sent, 'linear')).not.toHaveProperty('stuck');
    expect(of({ ...row, orderStatus: 'New' }, sent)).not.toHaveProperty('stuck');
  });
});
