/**
 * Computed levels: 30 significant digits, exact ends, equal distances or ratios; the plan of a SCALE cycle.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fiboLevel,
  type Grid,
  gridLevels,
  integerRoot,
  significant,
} from '../../../src/bots/settings/levels.ts';
import {
  type Scale,
  scaleBudgets,
  scaleDistances,
  scaleOverBudget,
} from '../../../src/bots/types/channel/scale-plan.ts';
import { type Dec, dec, str } from '../../../src/domain/decimal.ts';

const RUNS = { numRuns: 300 };

/** Prices of up to 12 digits before the point and 8 after it. */
const price = fc.bigInt({ min: 1n, max: 10n ** 20n }).map((units) => units * 10n ** 22n);
const grid = (spacing: Grid['spacing']) =>
  fc
    .record({ a: price, b: price, count: fc.integer({ min: 2, max: 200 }) })
    .filter(({ a, b }) => a !== b)
    .map(({ a, b, count }): Grid => ({ low: a < b ? a : b, high: a < b ? b : a, count, spacing }));

/** The last of 30 digits, or the last decimal place kept. */
function lastDigit(value: Dec): bigint {
  const digits = value.toString().length;
  return digits > 30 ? 10n ** BigInt(digits - 30) : 1n;
}

function texts(levels: readonly Dec[]): string[] {
  return levels.map(str);
}

// proves: bot rounding levels
describe('a value of 30 significant digits', () => {
  it('is rounded by halves up, and only where it has more', () => {
    const third = significant(dec('1'), 3n);
    expect(str(third)).toBe('0.333333333333333333333333333333');
    expect(str(significant(dec('200000'), 3n))).toBe('66666.6666666666666666666666667');
    expect(str(significant(dec('12345.678'), 1n))).toBe('12345.678');
    // 31 digits that end in a five.
    expect(significant(1234567890123456789012345678905n, 1n)).toBe(1234567890123456789012345678910n);
  });
});

// proves: bot FIBO prices
describe('a Fibonacci level', () => {
  it('lies between the two prices, whichever is the lower', () => {
    expect(str(fiboLevel(dec('60000'), dec('70000'), dec('0.236')))).toBe('62360');
    expect(str(fiboLevel(dec('70000'), dec('60000'), dec('0.236')))).toBe('67640');
    expect(str(fiboLevel(dec('0.08'), dec('0.1'), dec('0.786')))).toBe('0.09572');
  });

  it('is the price itself at 0 and 1', () => {
    fc.assert(
      fc.property(price, price, (p0, p1) => {
        expect(fiboLevel(p0, p1, dec('0'))).toBe(p0);
        expect(fiboLevel(p0, p1, dec('1'))).toBe(p1);
      }),
      RUNS,
    );
  });

  it('mirrors when the ends change places', () => {
    fc.assert(
      fc.property(price, price, (p0, p1) => {
        expect(fiboLevel(p0, p1, dec('0.382'))).toBe(fiboLevel(p1, p0, dec('0.618')));
      }),
      RUNS,
    );
  });
});

// proves: bot cells arithmetic, bot cells geometric, bot rounding levels
describe('levels of a grid', () => {
  it('have equal distances', () => {
    const levels = gridLevels({ low: dec('60000'), high: dec('64000'), count: 5, spacing: 'arithmetic' });
    expect(texts(levels)).toEqual(['60000', '61000', '62000', '63000', '64000']);
  });

  it('have equal ratios', () => {
    const levels = gridLevels({ low: dec('1000'), high: dec('1464.1'), count: 5, spacing: 'geometric' });
    expect(texts(levels)).toEqual(['1000', '1100', '1210', '1331', '1464.1']);
  });

  it('have equal ratios where the ratio itself has no end', () => {
    const levels = gridLevels({ low: dec('9'), high: dec('16'), count: 3, spacing: 'geometric' });
    expect(texts(levels)).toEqual(['9', '12', '16']);
    const root = gridLevels({ low: dec('1'), high: dec('2'), count: 3, spacing: 'geometric' });
    expect(str(root[1] as Dec)).toBe('1.41421356237309504880168872421');
  });

  it('move up by whole cells', () => {
    const doubled = gridLevels({ low: dec('1'), high: dec('8'), count: 4, spacing: 'geometric' }, 2);
    expect(texts(doubled)).toEqual(['4', '8', '16', '32']);
    const stepped = gridLevels({ low: dec('1'), high: dec('7'), count: 4, spacing: 'arithmetic' }, 1);
    expect(texts(stepped)).toEqual(['3', '5', '7', '9']);
  });

  it.each(['arithmetic', 'geometric'] as const)(
    'rise from the one given price to the other (%s)',
    (spacing) => {
      fc.assert(
        fc.property(grid(spacing), (g) => {
          const levels = gridLevels(g);
          expect(levels).toHaveLength(g.count);
          expect([levels[0], levels.at(-1)]).toEqual([g.low, g.high]);
          expect(levels.every((level, i) => i === 0 || level >= (levels[i - 1] as Dec))).toBe(true);
        }),
        RUNS,
      );
    },
  );

  it('are the nearest 30 digits to low x (high / low) ^ (i / cells)', () => {
    fc.assert(
      fc.property(grid('geometric'), fc.double({ min: 0, max: 1, noNaN: true }), (g, at) => {
        const n = BigInt(g.count - 1);
        const i = BigInt(Math.round(at * (g.count - 1)));
        const level = gridLevels(g)[Number(i)] as Dec;
        // Half a digit below and above, all times two: the n-th power of the true value lies between theirs.
        const digit = lastDigit(level);
        const truth = 2n ** n * g.low ** (n - i) * g.high ** i;
        expect((2n * level - digit) ** n <= truth).toBe(true);
        expect((2n * level + digit) ** n >= truth).toBe(true);
      }),
      { ...RUNS, numRuns: 60 },
    );
  });

  it('are the nearest 30 digits to low + (high - low) x i / cells', () => {
    fc.assert(
      fc.property(grid('arithmetic'), (g) => {
        const n = BigInt(g.count - 1);
        gridLevels(g).forEach((level, i) => {
          const digit = lastDigit(level);
          const truth = 2n * (g.low * n + (g.high - g.low) * BigInt(i));
          expect((2n * level - digit) * n <= truth && truth <= (2n * level + digit) * n).toBe(true);
        });
      }),
      RUNS,
    );
  });
});

describe('the integer root', () => {
  it('is the largest whose power is not above the value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 120n }), fc.integer({ min: 1, max: 199 }), (value, n) => {
        const root = integerRoot(value, n);
        expect(root ** BigInt(n) <= value).toBe(true);
        expect((root + 1n) ** BigInt(n) > value).toBe(true);
      }),
      RUNS,
    );
  });

  it('finds exact powers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.integer({ min: 1, max: 40 }), (root, n) => {
        expect(integerRoot(root ** BigInt(n), n)).toBe(root);
        expect(integerRoot(root ** BigInt(n) - 1n, n)).toBe(root - 1n);
      }),
      RUNS,
    );
  });
});

// proves: bot SCALE distances, bot SCALE sizes, bot SCALE size-left-out
describe('the plan of a SCALE cycle', () => {
  const scale = (changes: Partial<Record<keyof Scale, string | number | null>> = {}): Scale => {
    const all = {
      orders: 3,
      step: '1',
      stepScale: '1.5',
      size: '100',
      sizeScale: '2',
      takeProfit: '1',
      ...changes,
    };
    const read = (value: string | number | null) => (value === null ? null : dec(String(value)));
    return {
      orders: Number(all.orders),
      step: read(all.step) as Dec,
      stepScale: read(all.stepScale) as Dec,
      size: read(all.size),
      sizeScale: read(all.sizeScale) as Dec,
      takeProfit: read(all.takeProfit) as Dec,
    };
  };

  it('puts each order a scaled step below the one before', () => {
    expect(texts(scaleDistances(scale()))).toEqual(['1', '2.5', '4.75']);
  });

  it('gives each order a scaled budget, the base order first', () => {
    expect(texts(scaleBudgets(scale(), dec('1500')))).toEqual(['100', '200', '400', '800']);
  });

  it('shares the deposit out exactly when no size is given', () => {
    expect(texts(scaleBudgets(scale({ size: null, orders: 2, sizeScale: '1.5' }), dec('950')))).toEqual([
      '200',
      '300',
      '450',
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 1, max: 300 }),
        price,
        (orders, percent, deposit) => {
          const plan = scale({ orders, size: null, sizeScale: String(percent / 100) });
          const total = scaleBudgets(plan, deposit).reduce((a, b) => a + b, 0n);
          // Never more, and less only by the digits cut from each of them at 30 places.
          expect(total <= deposit && deposit - total <= BigInt(orders + 1)).toBe(true);
          expect(scaleOverBudget(plan, deposit, 'USDT')).toBeNull();
        },
      ),
      RUNS,
    );
  });
});
