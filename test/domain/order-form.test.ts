/**
 * The rows of an exchange's order forms: the first row that matches an order decides, and a row whose bound
 * is missed leaves it to the next.
 */
import { describe, expect, it } from 'vitest';
import { type Asked, type Asking, type FormRow, formOf } from '../../src/domain/order-form.ts';
import type { OrderType } from '../../src/schemas/order.ts';

const NOW = 1_760_000_000_000;
const asking = (order: Partial<Asking['order']> = {}, other: Partial<Asking> = {}): Asking => ({
  order: { type: 'STOP_MARKET', ...order },
  instrument: { symbol: 'BTCUSDT' },
  now: NOW,
  waiting: () => 0,
  ...other,
});
const native = (asked: Asked, bounds?: FormRow['bounds']): FormRow => ({
  asked,
  form: 'native',
  ...(bounds ? { bounds } : {}),
  source: 'a page',
});
const form = (rows: readonly FormRow[], asked: Asked, what: Asking) => formOf(rows, asked, what).form;

describe('without a row that speaks of it', () => {
  it.each<[OrderType, string]>([
    ['MARKET', 'refused'],
    ['LIMIT', 'refused'],
    ['LIMIT_MAKER', 'refused'],
    ['STOP_MARKET', 'held'],
    ['STOP_LIMIT', 'held'],
    ['TAKE_PROFIT_MARKET', 'held'],
    ['TAKE_PROFIT_LIMIT', 'held'],
  ])('%s is %s', (type, expected) => {
    expect(form([], 'type', asking({ type }))).toBe(expected);
    // A row of another type does not match.
    const others = (['MARKET', 'STOP_MARKET'] as const).filter((one) => one !== type);
    expect(form([{ ...native('type'), types: others }], 'type', asking({ type }))).toBe(expected);
  });

  it.each<[Asked, string]>([
    ['trailing', 'held'],
    ['end date', 'held'],
    ['iceberg', 'refused'],
    ['quote amount', 'refused'],
  ])('%s is %s', (asked, expected) => {
    expect(form([native('type')], asked, asking())).toBe(expected);
  });
});

describe('the first row that speaks of it', () => {
  it('decides, with its cure and its source', () => {
    const no: FormRow = { asked: 'iceberg', form: 'refused', cure: 'use split', source: 'first' };
    const rows = [{ ...no, types: ['LIMIT'] as const }, native('iceberg')];
    expect(formOf(rows, 'iceberg', asking({ type: 'LIMIT' }))).toMatchObject(no);
    expect(formOf(rows, 'iceberg', asking())).toMatchObject({ form: 'native', source: 'a page' });
  });
});

describe('a bound', () => {
  const trailing = (trailingDelta: number) =>
    form(
      [native('trailing', { callback: { min: 10, max: 2_000, step: 10 } })],
      'trailing',
      asking({ trailingDelta }),
    );

  it.each([
    [10, 'native'],
    [9, 'held'],
    [2_000, 'native'],
    [2_010, 'held'],
    [15, 'held'],
  ])('of the callback: %d basis points are %s', (delta, expected) => {
    expect(trailing(delta)).toBe(expected);
  });

  it.each([
    [601_000, 'native'],
    [600_999, 'held'],
    [601_500, 'held'],
    [602_000, 'native'],
  ])('of an end date: %d ms ahead is %s', (ahead, expected) => {
    const rows = [native('end date', { ahead: { min: 601_000, step: 1_000 } })];
    expect(form(rows, 'end date', asking({ goodTillDate: NOW + ahead }))).toBe(expected);
  });

  it('of what waits counts the symbol, or the account', () => {
    const waiting = (symbol: string | null) => (symbol === null ? 7 : symbol === 'BTCUSDT' ? 3 : 0);
    const of = (bounds: FormRow['bounds']) => form([native('type', bounds)], 'type', asking({}, { waiting }));
    expect([of({ waitingOnSymbol: 4 }), of({ waitingOnSymbol: 3 })]).toEqual(['native', 'held']);
    expect([of({ waitingOnAccount: 8 }), of({ waitingOnAccount: 7 })]).toEqual(['native', 'held']);
    expect(of({ waitingOnSymbol: 4, waitingOnAccount: 7 })).toBe('held');
  });

  it('of the price that triggers: an order that names none means the mark', () => {
    const rows = [native('type', { workingTypes: ['CONTRACT_PRICE'] })];
    expect(form(rows, 'type', asking())).toBe('held');
    expect(form(rows, 'type', asking({ workingType: 'MARK_PRICE' }))).toBe('held');
    expect(form(rows, 'type', asking({ workingType: 'CONTRACT_PRICE' }))).toBe('native');
  });

  it('of the instrument asks what the exchange lists for it', () => {
    const rows = [native('trailing', { listed: 'STOP_LOSS' })];
    const of = (orderTypes?: readonly string[]) =>
      form(
        rows,
        'trailing',
        asking({}, { instrument: { symbol: 'BTCUSDT', ...(orderTypes ? { orderTypes } : {}) } }),
      );
    expect([of(), of(['LIMIT']), of(['LIMIT', 'STOP_LOSS'])]).toEqual(['held', 'held', 'native']);
  });
});
