/** What is computed of candles to be drawn, against plain definitions that share nothing with it. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emaOf, rsiOf, vwapOf } from '../../../src/console/market/indicators.ts';

const prices = fc.array(fc.double({ min: 1, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 60 });
const near = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThan(1e-6);

describe('averages', () => {
  it('are the weighted sum of all values: the plain average of the first, then each with its share', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 20 }), (values, length) => {
        const out = emaOf(values, length);
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
          rsiOf(values, 5),
          rsiOf(
            values.map((value) => 2_000 - value),
            5,
          ),
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
    // New Concepts in Technical Trading Systems, worked through in StockCharts' ChartSchool: RSI (14) of these closes begins at 70.53.
    const closes = [
      ...[44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826],
      ...[45.8931, 46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328],
    ];
    const out = rsiOf(closes, 14);
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
      ...[candle(22 * HOUR, 10, 0), candle(23 * HOUR, 10, 2)],
      ...[candle(24 * HOUR, 40, 1), candle(25 * HOUR, 10, 2)],
    ];
    expect(vwapOf(candles, HOUR)).toEqual([Number.NaN, 10, 40, 20]);
    expect(vwapOf(candles, 24 * HOUR)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });
});
