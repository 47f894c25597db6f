/**
 * The filters of an instrument at their edges: a value exactly on a bound passes, one step beyond it does
 * not; and the texts of the refusals.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../src/domain/decimal.ts';
import type { InstrumentNumbers } from '../../src/domain/instrument.ts';
import {
  checkGrid,
  checkNotional,
  checkPrice,
  checkQuantity,
  type Problem,
} from '../../src/engine/filters.ts';
import { BTC } from './support/market.ts';

const numbers = Object.fromEntries(
  [
    ['tick', '0.01'],
    ['step', '0.001'],
    ['minPrice', '1'],
    ['maxPrice', '1000000'],
    ['minQty', '0.002'],
    ['maxQty', '100'],
    ['marketMaxQty', '50'],
    ['minNotional', '5'],
    ['maxNotional', '900000'],
    ['percentDown', '0.2'],
    ['percentUp', '5'],
  ].map(([name, text]) => [name, dec(text as string)]),
) as unknown as InstrumentNumbers;

const words = (problem: Problem | null) => problem && [problem.field, problem.reason, problem.message];

const price = (text: string, last?: string) =>
  words(checkPrice('price', dec(text), BTC, numbers, last === undefined ? undefined : dec(last)));
const quantity = (text: string, market = false, n = numbers) =>
  words(checkQuantity('quantity', dec(text), BTC, n, market));
const worth = (text: string, at: string, n = numbers) =>
  words(checkNotional('quantity', dec(text), dec(at), BTC, n));

describe('a price', () => {
  it.each([
    ['1', undefined, null],
    ['0.99', undefined, ['price', 'PRICE_RANGE', 'price 0.99 is outside 1 to 1000000 of BTCUSDT']],
    ['1000000', undefined, null],
    [
      '1000000.01',
      undefined,
      ['price', 'PRICE_RANGE', 'price 1000000.01 is outside 1 to 1000000 of BTCUSDT'],
    ],
    ['12000', '60000', null],
    [
      '11999.99',
      '60000',
      [
        'price',
        'PRICE_RANGE',
        'price 11999.99 is too far from the last price 60000; allowed: 12000 to 300000',
      ],
    ],
    ['300000', '60000', null],
    [
      '300000.01',
      '60000',
      [
        'price',
        'PRICE_RANGE',
        'price 300000.01 is too far from the last price 60000; allowed: 12000 to 300000',
      ],
    ],
    // The suggested bounds are valid prices: the minimum rounded up to the tick, the maximum rounded down.
    [
      '2',
      '10.03',
      ['price', 'PRICE_RANGE', 'price 2 is too far from the last price 10.03; allowed: 2.01 to 50.15'],
    ],
    ['2.01', '10.03', null],
    ['50.15', '10.03', null],
    [
      '50.16',
      '10.03',
      ['price', 'PRICE_RANGE', 'price 50.16 is too far from the last price 10.03; allowed: 2.01 to 50.15'],
    ],
    [
      '1',
      '60000',
      ['price', 'PRICE_RANGE', 'price 1 is too far from the last price 60000; allowed: 12000 to 300000'],
    ],
  ])('of %s while the last one is %s: %j', (text, last, problem) =>
    expect(price(text, last)).toEqual(problem),
  );

  it('is named with the nearest ones below and above it where it is off its grid, none of them zero', () => {
    const grid = (text: string) => words(checkGrid('p', dec(text), dec('0.05'), 'tick size', 'PRICE_TICK'));
    expect(grid('0.15')).toBeNull();
    expect(grid('0.16')).toEqual([
      'p',
      'PRICE_TICK',
      'p 0.16 is not a multiple of the tick size 0.05; nearest: 0.15, 0.2',
    ]);
    expect(grid('0.04')).toEqual([
      'p',
      'PRICE_TICK',
      'p 0.04 is not a multiple of the tick size 0.05; nearest: 0.05',
    ]);
  });
});

describe('a quantity', () => {
  const outside = (text: string, most: string) => [
    'quantity',
    'QUANTITY_RANGE',
    `quantity ${text} is outside 0.002 to ${most} BTC of BTCUSDT`,
  ];
  it.each([
    ['0.002', false, null],
    ['0.001', false, outside('0.001', '100')],
    ['100', false, null],
    ['100.001', false, outside('100.001', '100')],
    ['50', true, null],
    ['50.001', true, outside('50.001', '50')],
    ['0.001', true, outside('0.001', '50')],
  ])('of %s (market order: %s): %j', (text, market, problem) =>
    expect(quantity(text, market)).toEqual(problem),
  );

  it('of a market order is bounded by the smaller of both limits', () => {
    const wide = { ...numbers, marketMaxQty: dec('500') };
    expect(quantity('100', true, wide)).toBeNull();
    expect(quantity('100.001', true, wide)).toEqual(outside('100.001', '100'));
  });
});

describe('what an order is worth', () => {
  it.each([
    ['0.005', '1000', null],
    [
      '0.004',
      '1000',
      [
        'quantity',
        'MIN_NOTIONAL',
        'quantity 0.004 is worth 4 USDT, below the minimum of 5; at 1000 at least 0.005 BTC',
      ],
    ],
    // The suggested minimum is a valid quantity: rounded up to the step.
    [
      '0.004',
      '999',
      [
        'quantity',
        'MIN_NOTIONAL',
        'quantity 0.004 is worth 3.996 USDT, below the minimum of 5; at 999 at least 0.006 BTC',
      ],
    ],
    ['9', '100000', null],
    [
      '9.001',
      '100000',
      ['quantity', 'MAX_NOTIONAL', 'quantity 9.001 is worth 900100 USDT, above the maximum of 900000'],
    ],
  ])('%s at %s: %j', (text, at, problem) => expect(worth(text, at)).toEqual(problem));

  it('has no maximum where the exchange states none', () => {
    expect(worth('100', '1000000', { ...numbers, maxNotional: 0n })).toBeNull();
  });
});
