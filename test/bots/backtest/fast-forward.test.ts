/**
 * How many candles are skipped at once: never past the first row that may matter, and stopping at most a
 * price unit or two too early.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FastForwardOptions, fastForwardEnd } from '../../../src/bots/backtest/fast-forward.ts';
import type { EquityBounds } from '../../../src/bots/run/wake-bounds.ts';
import { type Dec, dec } from '../../../src/domain/decimal.ts';
import { M, T, table } from './support.ts';

const NEVER = { below: null, above: null };
const NO_EQUITY: EquityBounds = { lowest: null, highest: null, lowestClose: null, highestClose: null };
const UNIT = dec('0.1');

type Row = readonly [open: number, high: number, low: number, close: number];
type Bounds = Record<'below' | 'above' | 'restsBelow' | 'restsAbove' | keyof EquityBounds, Dec | null>;

function ends(rows: readonly (Row | null)[], bounds: Partial<Bounds>, whole = true): number {
  // An additional row determines the table's price unit.
  const given = table([...rows, [1.1, 1.1, 1.1, 1.1]]);
  const { below = null, above = null, restsBelow = null, restsAbove = null, ...equity } = bounds;
  const options: FastForwardOptions = {
    table: given,
    from: 0,
    to: given.count - 1,
    whole,
    forming: null,
    wake: { ticks: { below, above }, closes: 'nothing', equity: { ...NO_EQUITY, ...equity } },
    market: { below: restsBelow, above: restsAbove },
  };
  return fastForwardEnd(options);
}

/**
 * The first row of which a tick or a close matters, with bounds that are `slack` nearer; rows after a gap
 * always matter.
 */
function first(rows: readonly Row[], b: Partial<Bounds>, slack: Dec, whole: boolean): number {
  const of = (price: number) => dec(String(price));
  const under = (price: number, bound: Dec | null | undefined) => bound != null && of(price) <= bound + slack;
  const over = (price: number, bound: Dec | null | undefined) => bound != null && of(price) >= bound - slack;
  // Equity changes beyond its bounds, not at them.
  const less = (price: number, bound: Dec | null | undefined) => bound != null && of(price) < bound + slack;
  const more = (price: number, bound: Dec | null | undefined) => bound != null && of(price) > bound - slack;
  const at = rows.findIndex(([, high, low, close]) => {
    const [lowest, highest] = whole ? [close, close] : [low, high];
    return (
      under(low, b.below) ||
      under(low, b.restsBelow) ||
      over(high, b.above) ||
      over(high, b.restsAbove) ||
      less(low, b.lowest) ||
      more(high, b.highest) ||
      less(lowest, b.lowestClose) ||
      more(highest, b.highestClose)
    );
  });
  return at < 0 ? rows.length : at;
}

const NAMES = [
  'below',
  'above',
  'restsBelow',
  'restsAbove',
  'lowest',
  'highest',
  'lowestClose',
  'highestClose',
] as const;
const isLower = (name: string) => /below|lowest/i.test(name);
const tenths = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 10);
const rows = fc.array(
  fc
    .tuple(tenths(950, 1_050), tenths(950, 1_050), tenths(0, 20), tenths(0, 20))
    .map(([open, close, up, down]): Row => {
      const round = (n: number) => Math.round(n * 10) / 10;
      return [open, round(Math.max(open, close) + up), round(Math.min(open, close) - down), close];
    }),
  { minLength: 1, maxLength: 12 },
);

describe('rows are played at once up to the first that means something', () => {
  it.each(NAMES)('by %s, in prices of the table and between them', (name) => {
    let stopped = 0;
    fc.assert(
      fc.property(rows, fc.integer({ min: -300, max: 300 }), fc.boolean(), (given, far, whole) => {
        // Hundredths: every tenth bound is a price that the table has.
        const bound = dec(String(((isLower(name) ? 9_600 : 10_400) + far) / 100));
        const end = ends(given, { [name]: bound }, whole);
        expect(end).toBeLessThanOrEqual(first(given, { [name]: bound }, 0n, whole));
        expect(end).toBeGreaterThanOrEqual(first(given, { [name]: bound }, 2n * UNIT, whole));
        if (end < given.length) stopped += 1;
      }),
      { numRuns: 300 },
    );
    expect(stopped).toBeGreaterThan(30);
  });

  it.each(NAMES)('at a price of the table itself: %s', (name) => {
    const means = !/owest|ighest/.test(name);
    const way = isLower(name) ? -1 : 1;
    const at = (price: number): Row => [100, Math.max(100, price), Math.min(100, price), price];
    const bound = dec('100') + BigInt(way) * dec('2');
    const wake = at(100 + way * 1.8);
    expect(ends([wake, wake], { [name]: bound })).toBe(2);
    expect(ends([wake, at(100 + way * 2.1)], { [name]: bound })).toBe(1);
    expect(ends([wake, at(100 + way * 2)], { [name]: bound })).toBe(means ? 1 : 2);
  });

  it('without bounds to the end, and to a gap', () => {
    const row: Row = [100, 101, 99, 100];
    expect(ends([row, row, row], NEVER)).toBe(3);
    expect(ends([row, row, null, row], NEVER)).toBe(2);
  });
});

describe('an entry that follows the closes', () => {
  /** A row in which the price goes to `price` and comes back. */
  const far = (price: number): Row => [100, Math.max(100, price), Math.min(100, price), 100];
  const skipped = (given: readonly Row[], falling: boolean, frameMs: number, moves: string | null = null) => {
    const candles = table([...given, [1.1, 1.1, 1.1, 1.1]]);
    const factor = dec(falling ? '0.99' : '1.01');
    const closes = {
      frameMs,
      edge: 'close' as const,
      factor,
      falling,
      moves: moves === null ? null : dec(moves),
    };
    const wake = { ticks: NEVER, closes, equity: null };
    return fastForwardEnd({
      table: candles,
      from: 0,
      to: candles.count - 1,
      wake,
      market: NEVER,
      whole: true,
      forming: null,
    });
  };

  it.each([true, false])(
    'is not reached before the first close, and at its price after it, falling %s',
    (falling) => {
      const way = falling ? -1 : 1;
      expect(T % (2 * M)).toBe(0);
      expect(skipped([far(100 + way * 5), far(100), far(100), far(100)], falling, 2 * M)).toBe(4);
      expect(skipped([far(100), far(100), far(100), far(100 + way)], falling, 2 * M)).toBe(3);
      expect(skipped([far(100), far(100), far(100), far(100 + way * 0.9)], falling, 2 * M)).toBe(4);
    },
  );

  it('is moved where the price goes away from it', () => {
    expect(skipped([far(100), far(101), far(102), far(100)], true, M, '1.02')).toBe(2);
    expect(skipped([far(100), far(101), far(101.9), far(100)], true, M, '1.02')).toBe(4);
    expect(skipped([far(100), far(99), far(98), far(100)], false, M, '0.98')).toBe(2);
  });
});
