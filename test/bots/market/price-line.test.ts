/** Lines through two points and their crossings (strategies.md 1, "Line values", and 8). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossed, type KeptSide, keepSide, lineAt, sideOf } from '../../../src/bots/market/price-line.ts';
import type { PriceLine } from '../../../src/bots/settings/compiled.ts';
import { dec, ONE, str } from '../../../src/domain/decimal.ts';

const RUNS = { numRuns: 500 };
const T = 1_700_000_000_000;

function line(p1: string, p2: string, span = 3_600_000): PriceLine {
  return { t1: T, p1: dec(p1), t2: T + span, p2: dec(p2) };
}

const anyLine = fc.record({
  t1: fc.integer({ min: T - 10 ** 9, max: T }),
  t2: fc.integer({ min: T + 1, max: T + 10 ** 9 }),
  p1: fc.bigInt({ min: 1n, max: 10n ** 36n }),
  p2: fc.bigInt({ min: 1n, max: 10n ** 36n }),
});
const anyTime = fc.integer({ min: T - 10 ** 10, max: T + 10 ** 10 });

// proves: bot line value
describe('a price line', () => {
  it('goes through its two points and on in both directions', () => {
    const rising = line('2000', '2072');
    const at = (ms: number) => str(lineAt(rising, T + ms));
    expect([at(0), at(3_600_000)]).toEqual(['2000', '2072']);
    // 72 in 3,600,000 ms: 0.00002 a ms.
    expect([at(40_000), at(1), at(7_200_000), at(-1_800_000)]).toEqual([
      '2000.8',
      '2000.00002',
      '2144',
      '1964',
    ]);
    expect(str(lineAt(line('100', '40', 60_000), T + 90_000))).toBe('10');
  });

  it('is the same everywhere when both prices are', () => {
    expect(lineAt(line('30000', '30000'), T + 12_345)).toBe(dec('30000'));
  });

  it('is rounded at 30 places to the nearest', () => {
    expect(str(lineAt(line('1', '2', 3), T + 1))).toBe(`1.${'3'.repeat(30)}`);
    expect(str(lineAt(line('1', '2', 3), T + 2))).toBe(`1.${'6'.repeat(29)}7`);
    // Half a unit of the last place is rounded up, for a falling line too.
    expect(lineAt({ t1: 0, p1: 10n, t2: 2, p2: 11n }, 1)).toBe(11n);
    expect(lineAt({ t1: 0, p1: 11n, t2: 2, p2: 10n }, 1)).toBe(11n);
  });

  it('is never further than half a unit of the last place from the exact value', () => {
    fc.assert(
      fc.property(anyLine, anyTime, (any, t) => {
        const span = BigInt(any.t2 - any.t1);
        const exact = any.p1 * span + (any.p2 - any.p1) * BigInt(t - any.t1);
        const off = lineAt(any, t) * span - exact;
        expect(2n * (off < 0n ? -off : off) <= span).toBe(true);
      }),
      RUNS,
    );
  });
});

// proves: bot line value
describe('the side of a price', () => {
  it('is above, below or on the line at its own time', () => {
    const rising = line('100', '101', 100_000);
    expect(sideOf(rising, T + 50_000, dec('100.50'))).toBe(0);
    expect(sideOf(rising, T + 50_001, dec('100.50'))).toBe(-1);
    expect(sideOf(rising, T + 49_999, dec('100.50'))).toBe(1);
  });

  it('may be asked for a percentage above or below the line', () => {
    const level = line('2000', '2000');
    expect(sideOf(level, T, dec('2002'), dec('0.1'))).toBe(0);
    expect(sideOf(level, T, dec('2001.99'), dec('0.1'))).toBe(-1);
    expect(sideOf(level, T, dec('1980'), dec('-1'))).toBe(0);
    expect(sideOf(level, T, dec('1980.01'), dec('-1'))).toBe(1);
  });

  it('is none where the line is not positive', () => {
    const falling = line('100', '50', 100_000);
    expect(sideOf(falling, T + 199_999, dec('1'))).toBe(1);
    expect(sideOf(falling, T + 200_000, dec('1'))).toBeNull();
    expect(sideOf(falling, T + 900_000, dec('1'))).toBeNull();
    expect(sideOf(line('100', '100'), T, dec('1'), dec('-100'))).toBeNull();
  });

  it('is exact where a rounded line would not be', () => {
    // line(1) = 4/3 and line(2) = 5/3: no decimal lies exactly on the line there.
    const third = { t1: 0, p1: ONE, t2: 3, p2: 2n * ONE };
    expect(sideOf(third, 1, lineAt(third, 1))).toBe(-1);
    expect(sideOf(third, 1, lineAt(third, 1) + 1n)).toBe(1);
    expect(sideOf(third, 2, lineAt(third, 2))).toBe(1);
  });

  it('agrees with the line wherever its value is not rounded', () => {
    const percent = fc.integer({ min: -150, max: 150 }).map((value) => BigInt(value) * ONE);
    fc.assert(
      fc.property(anyLine, anyTime, fc.bigInt({ min: 1n, max: 10n ** 36n }), percent, (any, t, price, by) => {
        const span = BigInt(any.t2 - any.t1);
        const value = (any.p1 * span + (any.p2 - any.p1) * BigInt(t - any.t1)) * (100n * ONE + by);
        const compared = price * span * 100n * ONE;
        const side = compared > value ? 1 : compared < value ? -1 : 0;
        expect(sideOf(any, t, price, by)).toBe(value <= 0n ? null : side);
      }),
      RUNS,
    );
  });
});

// proves: bot line crossing
describe('a crossing', () => {
  /** Feeds the prices one second after another, keeping the side of each; returns where they cross. */
  function crossings(of: PriceLine, direction: 'up' | 'down' | 'both', ...prices: string[]): number[] {
    let side: KeptSide = null;
    return prices.flatMap((price, at) => {
      const before = side;
      side = keepSide(before, sideOf(of, T + at * 1_000, dec(price)));
      return crossed(before, side, direction) ? [at] : [];
    });
  }

  it('is a change of sides in the direction asked for', () => {
    const level = line('100', '100');
    const prices = ['99', '101', '102', '98', '101'];
    expect(crossings(level, 'up', ...prices)).toEqual([1, 4]);
    expect(crossings(level, 'down', ...prices)).toEqual([3]);
    expect(crossings(level, 'both', ...prices)).toEqual([1, 3, 4]);
  });

  it('is not there at the first value', () => {
    expect(crossings(line('100', '100'), 'both', '101', '102')).toEqual([]);
    expect(crossings(line('100', '100'), 'both', '100', '102', '99')).toEqual([2]);
  });

  it('does not come of touching the line and turning back, only of what leaves it on the other side', () => {
    expect(crossings(line('100', '100'), 'both', '99', '100', '99.5', '100', '100', '100.5')).toEqual([5]);
  });

  it('comes of a line that overtakes a price standing still', () => {
    // 10 a second: the line passes 2005 between the first and the second value.
    expect(crossings(line('2000', '2010', 1_000), 'both', '2005', '2005', '2005')).toEqual([1]);
  });

  it('never comes of a line that is not positive, and is found when it is again', () => {
    // 30, 15, 0, -15: above 0 the price 20 is below, then above, then there is no line.
    expect(crossings(line('30', '15', 1_000), 'both', '20', '20', '20', '1')).toEqual([1]);
    // -10, 0, 10, 20: the first side known is that at 2 s.
    const rising = { t1: T + 2_000, p1: dec('10'), t2: T + 3_000, p2: dec('20') };
    expect(crossings(rising, 'both', '15', '15', '15', '15')).toEqual([3]);
  });
});
