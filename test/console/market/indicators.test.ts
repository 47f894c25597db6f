/** The indicators computed from candles, against plain definitions that share no code with them. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Curve, ema, rsi, vwap } from '../../../src/console/market/indicators.ts';

const prices = fc.array(fc.double({ min: 1, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 60 });
const near = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThan(1e-6);

describe('averages', () => {
  it('are the weighted sum of all values: the plain average of the first, then each with its share', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 20 }), (values, length) => {
        const out = new Curve(ema(length)).of(values);
        expect(out).toHaveLength(values.length);
        for (const [at, value] of out.entries()) {
          if (at < length - 1) {
            expect(value).toBeNaN();
            continue;
          }
          const share = 2 / (length + 1);
          const plain = values.slice(0, length).reduce((sum, one) => sum + one, 0) / length;
          let wanted = plain * (1 - share) ** (at - length + 1);
          for (let k = length; k <= at; k++)
            wanted += (values[k] as number) * share * (1 - share) ** (at - k);
          near(value, wanted);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('relative strength', () => {
  it('is the share of rises, between 0 and 100, and turns round with the prices', () => {
    fc.assert(
      fc.property(prices, (values) => {
        const [out, mirrored] = [
          new Curve(rsi(5)).of(values),
          new Curve(rsi(5)).of(values.map((value) => 2_000 - value)),
        ];
        for (const [at, value] of out.entries()) {
          if (at < 5) expect(value).toBeNaN();
          else near(value + (mirrored[at] as number), 100);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is that of the published example', () => {
    // From New Concepts in Technical Trading Systems, worked through in StockCharts' ChartSchool: RSI (14) of
    // these closes begins at 70.53.
    const closes = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
      46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328,
    ];
    const out = new Curve(rsi(14)).of(closes);
    expect(out[14]).toBeCloseTo(70.53, 1);
    expect(out[15]).toBeCloseTo(66.32, 1);
    expect(out[16]).toBeCloseTo(66.55, 1);
  });
});

describe('the price by volume', () => {
  const candle = (time: number, price: number, volume: number) => {
    const text = String(price);
    return { time, open: text, high: text, low: text, close: text, volume: String(volume) };
  };
  const HOUR = 3_600_000;

  it('begins anew with each UTC day and has no number before anything was traded', () => {
    const candles = [
      candle(22 * HOUR, 10, 0),
      candle(23 * HOUR, 10, 2),
      candle(24 * HOUR, 40, 1),
      candle(25 * HOUR, 10, 2),
    ];
    expect(new Curve(vwap(HOUR)).of(candles)).toEqual([Number.NaN, 10, 40, 20]);
    expect(new Curve(vwap(24 * HOUR)).of(candles)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });
});

describe('a curve over a list that changes', () => {
  it('is at any time what it is over that list alone, and computes nothing again that stands', () => {
    const step = fc.record({
      keep: fc.integer({ min: 0, max: 12 }),
      more: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const counted = { computed: 0 };
        const { start, next } = rsi(3);
        const curve = new Curve({
          start,
          next: (known: typeof start, value: number, at: number) => {
            counted.computed++;
            return next(known, value, at);
          },
        });
        let list: readonly number[] = [];
        for (const { keep, more } of steps) {
          const before = list;
          list = [...list.slice(0, keep), ...more];
          const [same, at] = [before.findIndex((value, at) => value !== list[at]), counted.computed];
          expect(curve.of(list)).toEqual(new Curve(rsi(3)).of(list));
          expect(counted.computed - at).toBe(list.length - (same < 0 ? before.length : same));
        }
      }),
    );
  });
});
