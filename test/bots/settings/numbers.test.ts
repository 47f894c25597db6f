/** Numbers of settings: a JSON number means exactly the decimal of its text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, readDecimal, readInteger } from '../../../src/bots/settings/numbers.ts';
import { dec, str } from '../../../src/domain/decimal.ts';

const RUNS = { numRuns: 500 };

// proves: bot numbers
describe('a decimal of the settings', () => {
  it.each([
    [12.5, '12.5'],
    ['12.50', '12.5'],
    [0, '0'],
    [-0, '0'],
    [1e-7, '0.0000001'],
    [1.25e-9, '0.00000000125'],
    [-3, '-3'],
    ['-0.25', '-0.25'],
    [0.1, '0.1'],
    [9_007_199_254_740_991, '9007199254740991'],
  ])('takes %j as %s', (given, text) => {
    const read = readDecimal(given);
    expect(read === null ? null : str(read)).toBe(text);
  });

  it.each([
    ['1e3'],
    ['+5'],
    ['.5'],
    ['5.'],
    ['007'],
    [' 5'],
    ['1,5'],
    ['0x10'],
    [''],
    ['1.000000000000000000001'],
    ['123456789012345678901'],
    [1e-21],
    [9_007_199_254_740_992],
    [1e21],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [true],
    [null],
    [['5']],
    [{ value: '5' }],
  ])('is not %j', (given) => {
    expect(readDecimal(given)).toBeNull();
  });

  it('is the very decimal that the text of a number says', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(20), (digits, places) => {
        const scaled = dec(String(digits)) / 10n ** BigInt(places);
        const text = str(scaled);
        const number = Number(text);
        // Fifteen digits survive the conversion to a binary number and back.
        expect(readDecimal(number)).toBe(scaled);
        expect(readDecimal(text)).toBe(scaled);
      }),
      RUNS,
    );
  });

  it('writes no exponent, and a text that is the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = plainText(number);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(Object.is(number, -0) ? 0 : number);
      }),
      RUNS,
    );
  });
});

describe('a whole number of the settings', () => {
  it.each([
    [5, 5],
    ['60000', 60_000],
    [0, 0],
  ])('takes %j', (given, value) => {
    expect(readInteger(given)).toBe(value);
  });

  it.each([[1.5], ['1.5'], [-1], ['-1'], ['05'], ['1e3'], [''], [2 ** 53], [null], [true]])(
    'is not %j',
    (given) => {
      expect(readInteger(given)).toBeNull();
    },
  );
});
