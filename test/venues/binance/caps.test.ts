/**
 * What Binance does by itself, and what is left to this desk: which orders it takes on each market, within
 * which bounds, and which changes of them.
 */
import { describe, expect, it } from 'vitest';
import type { Asked, Asking } from '../../../src/domain/order-form.ts';
import { formOf } from '../../../src/domain/order-form.ts';
import type { OrderType } from '../../../src/schemas/order.ts';
import { BINANCE_FUTURES_CAPS } from '../../../src/venues/binance/futures/forms.ts';
import { BINANCE_SPOT_CAPS } from '../../../src/venues/binance/spot/forms.ts';

const TYPES: readonly OrderType[] = [
  ...(['MARKET', 'LIMIT', 'LIMIT_MAKER', 'STOP_LIMIT', 'TAKE_PROFIT_LIMIT'] as const),
  ...(['STOP_MARKET', 'TAKE_PROFIT_MARKET'] as const),
];
const LISTED = ['STOP_LOSS', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'];

/** How spot takes an order of which some wait already, on the symbol or elsewhere. */
function spot(asked: Asked, order: Asking['order'], onSymbol = 0, orderTypes: string[] = LISTED): string {
  return formOf(BINANCE_SPOT_CAPS.forms, asked, {
    ...{ order, instrument: { symbol: 'LTCUSDT', orderTypes }, now: 0 },
    waiting: (symbol) => (symbol === 'LTCUSDT' ? onSymbol : 150),
  }).form;
}

describe('Binance spot', () => {
  it('takes orders that wait where their type is listed, five on a symbol', () => {
    const all = (onSymbol: number, orderTypes?: string[]) =>
      TYPES.map((type) => spot('type', { type }, onSymbol, orderTypes));
    const native = Array(7).fill('native');
    const held = [...native.slice(0, 3), ...Array(4).fill('held')];
    expect([all(0), all(4), all(5), all(0, [])]).toEqual([native, native, held, held]);
    for (const [type, name] of [
      ['STOP_LIMIT', 'STOP_LOSS_LIMIT'],
      ['TAKE_PROFIT_LIMIT', 'TAKE_PROFIT_LIMIT'],
      ['STOP_MARKET', 'STOP_LOSS'],
      ['TAKE_PROFIT_MARKET', 'TAKE_PROFIT'],
    ] as const)
      expect(
        TYPES.filter(
          (one) =>
            !['MARKET', 'LIMIT', 'LIMIT_MAKER'].includes(one) &&
            spot('type', { type: one }, 0, [name]) === 'native',
        ),
      ).toEqual([type]);
  });

  it('takes trailing stops of 0.1 to 20 percent that trail at once', () => {
    const trails = (trailingDelta: number, more: object = {}, onSymbol = 0, types = LISTED) =>
      spot('trailing', { type: 'STOP_MARKET', trailingDelta, ...more }, onSymbol, types);
    expect([9, 10, 11, 2_000, 2_001].map((bps) => trails(bps))).toEqual([
      ...['held', 'native', 'native', 'native', 'held'],
    ]);
    expect(trails(100, { activationPrice: '90' })).toBe('held');
    expect([trails(100, {}, 5), trails(100, {}, 0, ['STOP_LOSS_LIMIT'])]).toEqual(['held', 'held']);
  });

  it('takes no end dates, icebergs with a limit alone, and amounts at the market', () => {
    expect(TYPES.map((type) => spot('end date', { type, goodTillDate: 9_999_999_000 }))).not.toContain(
      'native',
    );
    const taken = (asked: Asked) => TYPES.filter((type) => spot(asked, { type }) === 'native');
    expect([taken('iceberg'), taken('quote amount')]).toEqual([['LIMIT', 'LIMIT_MAKER'], ['MARKET']]);
    expect(spot('iceberg', { type: 'STOP_LIMIT' })).toBe('refused');
  });

  it('has these times, fees and changes', () => {
    const { forms: _, amends, ...caps } = BINANCE_SPOT_CAPS;
    expect(caps).toEqual({
      ...{
        validityWindowMs: 5_000,
        sendWithinMs: 500,
        idPrefix: 'bs',
        settleMs: 5_000,
        closeBelowMinimum: 'no',
      },
      highestFees: { maker: '0.001', taker: '0.001' },
    });
    expect(amends).toMatchObject({
      ...{ types: ['LIMIT', 'LIMIT_MAKER'], fields: ['quantity'], onlyLess: true, keepsPlace: 'less' },
    });
  });
});

describe('Binance futures', () => {
  it('takes orders that wait, two hundred of an account', () => {
    const form = (type: OrderType, waiting: number) =>
      formOf(BINANCE_FUTURES_CAPS.forms, 'type', {
        ...{ order: { type }, instrument: { symbol: 'LTCUSDT' }, now: 0 },
        waiting: (symbol) => (symbol === null ? waiting : 0),
      }).form;
    expect(TYPES.map((type) => [form(type, 199), form(type, 200)].join(' '))).toEqual([
      ...Array(3).fill('native native'),
      ...Array(4).fill('native held'),
    ]);
  });

  it('has these times, fees, changes and countdowns', () => {
    const { forms: _, amends, deadMan, ...caps } = BINANCE_FUTURES_CAPS;
    expect(caps).toEqual({
      ...{ validityWindowMs: 5_000, sendWithinMs: 500, idPrefix: 'bf', settleMs: 5_000 },
      ...{ triggersMakeOrders: true, closeBelowMinimum: 'flag' },
      highestFees: { maker: '0.0002', taker: '0.0005' },
    });
    expect(amends).toMatchObject({
      ...{ types: ['LIMIT', 'LIMIT_MAKER'], fields: ['price', 'quantity'], keepsPlace: 'never' },
    });
    expect(amends).not.toHaveProperty('onlyLess');
    expect(deadMan).toMatchObject({ form: 'symbol', mostSymbols: 40, leastSeconds: 120, mostSeconds: 3_600 });
  });
});
