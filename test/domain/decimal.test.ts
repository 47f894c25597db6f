/**
 * Decimals against plain integer arithmetic on strings: exact, never through a binary floating point number.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ceilTo,
  DECIMAL_PLACES,
  dec,
  decOfInt,
  div,
  fixed,
  floorTo,
  isMultiple,
  maxDec,
  minDec,
  mul,
  ONE,
  roundTo,
  str,
  toNumber,
  ZERO,
} from '../../src/domain/decimal.ts';

const RUNS = { numRuns: 500 };
const SCALE = 10n ** 30n;

/** Texts without superfluous zeros, as `str` prints them. */
const canonical = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.bigInt({ min: 0n, max: SCALE - 1n }),
    fc.nat(30),
  )
  .map(([negative, whole, fraction, places]) => {
    const digits = fraction.toString().padStart(30, '0').slice(0, places).replace(/0+$/, '');
    const text = digits ? `${whole}.${digits}` : `${whole}`;
    return negative && text !== '0' ? `-${text}` : text;
  });
const value = fc.bigInt({ min: -(10n ** 50n), max: 10n ** 50n });
const positive = fc.bigInt({ min: 0n, max: 10n ** 50n });
/** Steps as exchanges have them, and odd ones. */
const step = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((places) => 10n ** BigInt(places)),
  fc.bigInt({ min: 1n, max: 10n ** 32n }),
);

/** The quotient cut toward zero, from magnitudes: independent of how bigint division treats signs. */
function cut(numerator: bigint, denominator: bigint): bigint {
  const abs = (n: bigint) => (n < 0n ? -n : n);
  const size = abs(numerator) / abs(denominator);
  return numerator < 0n === denominator < 0n ? size : -size;
}

describe('text', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(canonical, (text) => {
        expect(str(dec(text))).toBe(text);
      }),
      RUNS,
    );
  });

  it('of any value reads back as that value', () => {
    fc.assert(
      fc.property(value, (v) => {
        expect(dec(str(v))).toBe(v);
        expect(str(v)).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
      RUNS,
    );
  });

  it('may carry superfluous zeros on the way in', () => {
    fc.assert(
      fc.property(canonical, fc.nat(5), fc.nat(5), (text, before, after) => {
        const [sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text)?.slice(1) ?? [];
        const padded = `${fraction}${'0'.repeat(after)}`.slice(0, Math.max(30, fraction.length));
        expect(dec(`${sign}${'0'.repeat(before)}${whole}${padded ? `.${padded}` : ''}`)).toBe(dec(text));
      }),
      RUNS,
    );
  });

  it.each([
    '',
    ' ',
    '.',
    '1.',
    '.5',
    '+1',
    '1e5',
    '--1',
    '1,5',
    '0x1',
    'NaN',
    'Infinity',
    ' 1',
    '1\n',
    '1_000',
    '١',
  ])('refuses %j', (text) => {
    expect(() => dec(text)).toThrow(RangeError);
  });

  it('is what its digits say, or refused, whatever its length', () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-'), maxLength: 34 }),
      fc.stringMatching(/^-?[0-9]{1,18}(\.[0-9]{1,18})?$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const [whole = '', fraction, ...more] = text.replace(/^-/, '').split('.');
        const digits = /^[0-9]+$/;
        if (!digits.test(whole) || (fraction !== undefined && !digits.test(fraction)) || more.length > 0) {
          expect(() => dec(text)).toThrow(`not a decimal: ${JSON.stringify(text)}`);
          return;
        }
        const units = BigInt(whole) * ONE + BigInt((fraction ?? '').padEnd(30, '0'));
        expect(dec(text)).toBe(text.startsWith('-') ? -units : units);
      }),
      { numRuns: 2_000 },
    );
  });

  it('carries 30 decimals and refuses more', () => {
    const least = `0.${'0'.repeat(DECIMAL_PLACES - 1)}1`;
    expect(dec(least)).toBe(1n);
    expect(str(1n)).toBe(least);
    expect(() => dec(`${least}0`)).toThrow('more than 30 decimal places');
  });

  it('knows one zero', () => {
    expect([dec('0'), dec('-0'), dec('0.000')]).toEqual([ZERO, ZERO, ZERO]);
    expect(str(-0n)).toBe('0');
  });
});

describe('mul and div', () => {
  it('cut toward zero at 30 places', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(mul(a, b)).toBe(cut(a * b, SCALE));
        if (b !== 0n) expect(div(a, b)).toBe(cut(a * SCALE, b));
      }),
      RUNS,
    );
  });

  it('are exact for a price on its tick and a quantity on its step', () => {
    const places = fc.nat(15);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), places, places, (price, quantity, p, q) => {
        const of = (n: number, k: number) => BigInt(n) * 10n ** BigInt(30 - k);
        const product = BigInt(price) * BigInt(quantity) * 10n ** BigInt(30 - p - q);
        expect(mul(of(price, p), of(quantity, q))).toBe(product);
      }),
      RUNS,
    );
  });

  it('have one as their neutral element, and no quotient by zero', () => {
    expect(mul(dec('-12.5'), ONE)).toBe(dec('-12.5'));
    expect(div(dec('-12.5'), ONE)).toBe(dec('-12.5'));
    expect(decOfInt(3)).toBe(dec('3'));
    expect(str(div(dec('-2'), dec('3')))).toBe(`-0.${'6'.repeat(30)}`);
    expect(() => div(ONE, ZERO)).toThrow(RangeError);
  });
});

describe('floorTo, ceilTo and roundTo', () => {
  it('give the neighbours on the grid', () => {
    fc.assert(
      fc.property(positive, step, (v, s) => {
        const low = floorTo(v, s);
        const high = ceilTo(v, s);
        expect(low % s).toBe(0n);
        expect(high % s).toBe(0n);
        expect(low <= v && v < low + s).toBe(true);
        expect(high >= v && v > high - s).toBe(true);
        expect(isMultiple(v, s)).toBe(low === high);
      }),
      RUNS,
    );
  });

  it('round to the nearest, halves away from zero', () => {
    fc.assert(
      fc.property(value, step, (v, s) => {
        const rounded = roundTo(v, s);
        const distance = rounded > v ? rounded - v : v - rounded;
        expect(rounded % s).toBe(0n);
        expect(2n * distance <= s).toBe(true);
        if (2n * distance === s) expect(v < 0n ? rounded < v : rounded > v).toBe(true);
        expect(roundTo(-v, s)).toBe(-rounded);
      }),
      RUNS,
    );
  });

  it('leave what is on the grid alone', () => {
    for (const f of [floorTo, ceilTo, roundTo]) expect(f(dec('61234.56'), dec('0.01'))).toBe(dec('61234.56'));
  });
});

describe('fixed', () => {
  it('has exactly the decimals asked for and is the rounded value', () => {
    fc.assert(
      fc.property(value, fc.nat(30), (v, places) => {
        const text = fixed(v, places);
        expect(text).toMatch(places === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${places}}$`));
        expect(dec(text)).toBe(roundTo(v, 10n ** BigInt(30 - places)));
      }),
      RUNS,
    );
  });

  it.each([
    ['1.005', 2, '1.01'],
    ['-1.005', 2, '-1.01'],
    ['1.0049', 2, '1.00'],
    ['-0.004', 2, '0.00'],
    ['999.995', 2, '1000.00'],
    ['0.5', 0, '1'],
    ['-0.5', 0, '-1'],
    ['12', 3, '12.000'],
  ])('%s to %i places is %s', (text, places, printed) => {
    expect(fixed(dec(text), places)).toBe(printed);
  });
});

describe('the rest', () => {
  it('orders and converts', () => {
    expect(minDec(1n, 2n)).toBe(1n);
    expect(maxDec(1n, 2n)).toBe(2n);
    expect(maxDec(-1n, -2n)).toBe(-1n);
    expect(toNumber(dec('-0.1'))).toBe(-0.1);
    expect(toNumber(dec('61234.56'))).toBe(61234.56);
  });
});
