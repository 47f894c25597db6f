/**
 * The list of what Bybit trades, row by row: every figure of an instrument in its place, what is left out in
 * silence, and what is left out with a reason.
 */
import { describe, expect, it } from 'vitest';
import { instrumentsOf } from '../../../src/venues/bybit/instruments.ts';

const SPOT = {
  ...{ symbol: 'AUSDT', baseCoin: 'A', quoteCoin: 'USDT', status: 'Trading' },
  lotSizeFilter: {
    ...{ basePrecision: '0.0010', quotePrecision: '0.1', minOrderQty: '7', minOrderAmt: '5.0' },
    ...{ maxOrderQty: '80', maxLimitOrderQty: '90.0', maxMarketOrderQty: '40.50' },
  },
  priceFilter: { tickSize: '0.10' },
};
const LINEAR = {
  ...{ symbol: 'AUSDT', baseCoin: 'A', quoteCoin: 'USDT', settleCoin: 'USDT', status: 'Trading' },
  ...{ contractType: 'LinearPerpetual', deliveryTime: '0' },
  lotSizeFilter: {
    ...{ qtyStep: '0.010', minOrderQty: '0.020', maxOrderQty: '90.0', maxMktOrderQty: '40.50' },
    minNotionalValue: '5.0',
  },
  priceFilter: { tickSize: '0.10', minPrice: '0.20', maxPrice: '99.90' },
};
const COMMON = {
  ...{ exchange: 'x', symbol: 'AUSDT', base: 'A', quote: 'USDT', maxNotional: '0', percentDown: '0' },
  ...{ percentUp: '1000000', trailingMinBps: 10, trailingMaxBps: 2_000, maxOrders: 500 },
  ...{ maxIcebergParts: 0, tickSize: '0.1', maxQty: '90', marketMaxQty: '40.5', minNotional: '5' },
};
const A_SPOT = {
  ...{ ...COMMON, kind: 'spot', stepSize: '0.001', minQty: '0.001', minPrice: '0.1' },
  maxPrice: '1000000000',
};
const A_CONTRACT = {
  ...{ ...COMMON, kind: 'futures', stepSize: '0.01', minQty: '0.02', minPrice: '0.2', maxPrice: '99.9' },
};

const spot = (more: object, lot: object = {}) =>
  instrumentsOf([{ ...SPOT, ...more, lotSizeFilter: { ...SPOT.lotSizeFilter, ...lot } }], 'spot', 'x');
const linear = (more: object, lot: object = {}) =>
  instrumentsOf([{ ...LINEAR, ...more, lotSizeFilter: { ...LINEAR.lotSizeFilter, ...lot } }], 'linear', 'x');

describe('a pair of spot', () => {
  it.each<[string, object, object, object]>([
    ['with all it has', {}, {}, {}],
    [
      'with one largest quantity for all',
      {},
      { maxLimitOrderQty: '', maxMarketOrderQty: null },
      { maxQty: '80', marketMaxQty: '80' },
    ],
    [
      'with a larger quantity at the market than at all',
      {},
      { maxMarketOrderQty: '95' },
      { marketMaxQty: '90' },
    ],
    ['with none at the market', {}, { maxMarketOrderQty: '0' }, { marketMaxQty: '90' }],
    [
      'with the largest of a limit alone',
      {},
      { maxOrderQty: undefined, maxMarketOrderQty: '' },
      { marketMaxQty: '90' },
    ],
    ['without a least value', {}, { minOrderAmt: '' }, { minNotional: '0' }],
    ['that ends', { status: 'Delivering' }, {}, { halt: 'halted' }],
  ])('%s', (_, more, lot, so) => {
    expect(spot(more, lot)).toMatchObject({ instruments: [{}], problems: [] });
    expect(spot(more, lot).instruments).toEqual([{ ...A_SPOT, ...so }]);
  });
});

describe('a contract', () => {
  it.each<[string, object, object, object]>([
    ['with all it has', {}, {}, {}],
    ['without an end', { deliveryTime: undefined }, {}, {}],
    ['with an end', { deliveryTime: '7' }, {}, { endsAt: 7 }],
    ['that ends', { status: 'Delivering', deliveryTime: '1' }, {}, { halt: 'halted', endsAt: 1 }],
    [
      'without bounds of its own',
      {},
      { maxMktOrderQty: '', minNotionalValue: null },
      { marketMaxQty: '90', minNotional: '0' },
    ],
    ['of many of a coin', { baseCoin: '1000A' }, {}, { base: '1000A' }],
    ['of many of another', { baseCoin: '1000AB' }, {}, { base: '1000AB', multiplier: '1000' }],
    [
      'of very many of a coin',
      { baseCoin: 'AB100000000' },
      {},
      { base: 'AB100000000', multiplier: '100000000' },
    ],
    ['in USDC', { quoteCoin: 'USDC', settleCoin: 'USDC' }, {}, { quote: 'USDC' }],
  ])('%s', (_, more, lot, so) => {
    expect(linear(more, lot)).toMatchObject({ problems: [] });
    expect(linear(more, lot).instruments).toEqual([{ ...A_CONTRACT, ...so }]);
  });

  it.each([
    [{ settleCoin: 'BTC' }],
    [{ settleCoin: 'USDC' }],
    [{ quoteCoin: 'USDE', settleCoin: 'USDE', contractType: 'Odd', status: 'Odd' }],
    [{ contractType: 'LinearFutures', status: 'Odd' }],
    [{ contractType: 'InversePerpetual' }],
    [{ contractType: 'InverseFutures' }],
    [{ status: 'PreLaunch' }],
    [{ status: 'Closed' }],
  ])('with %o is left out in silence', (more) => {
    expect(linear(more)).toMatchObject({ instruments: [], problems: [], unread: [] });
  });
});

it.each<[string, ReturnType<typeof spot>, string]>([
  ['an unknown status', spot({ status: 'Odd' }), 'status Odd'],
  ['no step', spot({}, { basePrecision: '0' }), 'step size'],
  ['no tick', spot({ priceFilter: { tickSize: '0' } }), 'tick size'],
  ['no largest quantity', spot({}, { maxLimitOrderQty: '', maxOrderQty: '0' }), 'largest quantity'],
  ['a figure that is none', spot({}, { minOrderAmt: 'x' }), 'unreadable'],
  ['an unknown status of a contract', linear({ status: 'Odd' }), 'status Odd'],
  ['an unknown kind of contract', linear({ contractType: 'Odd' }), 'contract type Odd'],
  ['no highest price', linear({ priceFilter: { ...LINEAR.priceFilter, maxPrice: '0' } }), 'highest price'],
  ['no step of a contract', linear({}, { qtyStep: '0' }), 'step size'],
  ['no largest quantity of a contract', linear({}, { maxOrderQty: '0' }), 'largest quantity'],
  ['an end that is no time', linear({ deliveryTime: 'x' }), 'unreadable'],
  ['a coin with a name that cannot be', linear({ baseCoin: 'A B' }), 'a name that cannot be taken'],
])('what has %s is left out with the reason', (_, read, words) => {
  expect(read).toMatchObject({ instruments: [], unread: ['AUSDT'] });
  expect(read.problems).toEqual([expect.stringContaining(`AUSDT: `)]);
  expect(read.problems[0]).toContain(words);
});

it('a pair of spot that is closed or not open yet is left out in silence', () => {
  for (const status of ['PreLaunch', 'Closed'])
    expect(spot({ status })).toMatchObject({ instruments: [], problems: [], unread: [] });
});
