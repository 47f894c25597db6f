/**
 * RSI and EMA compared with values calculated by hand, and with a full recomputation at each close
 * (strategies.md 1).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ema } from '../../../src/bots/market/ema.ts';
import { Rsi } from '../../../src/bots/market/rsi.ts';
import { naiveEma, naiveRsi } from './naive.ts';

const RUNS = { numRuns: 300 };

function rsiOver(period: number, closes: readonly number[]): (number | null)[] {
  const rsi = new Rsi(period);
  return closes.map((close) => {
    rsi.push(close);
    return rsi.value;
  });
}

function emaOver(period: number, closes: readonly number[]): (number | null)[] {
  const ema = new Ema(period);
  return closes.map((close) => {
    ema.push(close);
    return ema.value;
  });
}

// proves: bot rsi formula
describe('RSI', () => {
  it('of three changes is what the formula gives by hand', () => {
    const values = rsiOver(3, [10, 11, 10, 12, 11, 14]);
    expect(values.slice(0, 3)).toEqual([null, null, null]);
    // Changes +1 -1 +2: average gain (1 + 0 + 2) / 3 = 1, loss (0 + 1 + 0) / 3 = 1/3, ratio 3: 100 - 100 / 4 = 75.
    expect(values[3]).toBeCloseTo(75, 12);
    // -1: gain (1 x 2 + 0) / 3 = 2/3, loss (1/3 x 2 + 1) / 3 = 5/9, ratio 6/5: 100 - 100 / (11/5) = 600/11.
    expect(values[4]).toBeCloseTo(600 / 11, 12);
    // +3: gain (2/3 x 2 + 3) / 3 = 13/9, loss (5/9 x 2 + 0) / 3 = 10/27, ratio 39/10: 100 - 100 / (49/10) = 3900/49.
    expect(values[5]).toBeCloseTo(3900 / 49, 12);
  });

  it('of fourteen changes is what the formula gives by hand', () => {
    const closes = [44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.1, 45.42, 45.84, 46.08, 45.89, 46.03, 45.61];
    const values = rsiOver(14, [...closes, 46.28, 46.28, 46]);
    expect(values.slice(0, 14).every((value) => value === null)).toBe(true);
    // Gains 0.06 + 0.72 + 0.50 + 0.27 + 0.32 + 0.42 + 0.24 + 0.14 + 0.67 = 3.34, losses 0.25 + 0.54 + 0.19 + 0.42 = 1.40,
    // the last change is 0. 100 - 100 / (1 + 3.34 / 1.40) = 100 x 3.34 / 4.74.
    expect(values[14]).toBeCloseTo(334 / 4.74, 10);
    // -0.28: gain 3.34 x 13 / 14 = 43.42 / 14, loss (1.40 x 13 + 0.28 x 14) / 14 = 22.12 / 14, both over 14 again:
    // 100 x 43.42 / (43.42 + 22.12) = 4342 / 65.54.
    expect(values[15]).toBeCloseTo(4342 / 65.54, 10);
  });

  it('is 100 when the price never fell, 0 when it never rose, 50 when it stood still', () => {
    expect(rsiOver(3, [1, 2, 3, 4, 4, 5]).slice(3)).toEqual([100, 100, 100]);
    expect(rsiOver(3, [5, 4, 3, 2, 2]).slice(3)).toEqual([0, 0]);
    expect(rsiOver(3, [7, 7, 7, 7, 7]).slice(3)).toEqual([50, 50]);
  });

  it('of one change follows each change alone', () => {
    expect(rsiOver(1, [1, 2, 1, 1])).toEqual([null, 100, 0, 50]);
  });

  it('keeps the value one close earlier', () => {
    const rsi = new Rsi(2);
    const previous = [3, 4, 3, 5, 5].map((close) => {
      const before = rsi.value;
      rsi.push(close);
      expect(rsi.previous).toBe(before);
      return rsi.previous;
    });
    expect(previous.slice(0, 3)).toEqual([null, null, null]);
    expect(previous[3]).toBe(50);
  });

  it('equals computing it anew over all closes, at every close', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), closesOf(), (period, closes) => {
        const values = rsiOver(period, closes);
        values.forEach((value, at) => {
          expectClose(value, naiveRsi(closes.slice(0, at + 1), period));
        });
      }),
      RUNS,
    );
  });

  it('goes on from its snapshot to the last bit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), closesOf(), fc.nat(80), (period, closes, cut) => {
        const whole = new Rsi(period);
        let stopped = new Rsi(period);
        closes.forEach((close, at) => {
          if (at === cut) stopped = Rsi.restore(JSON.parse(JSON.stringify(stopped.snapshot())));
          expect([stopped.value, stopped.previous]).toEqual([whole.value, whole.previous]);
          whole.push(close);
          stopped.push(close);
        });
      }),
      RUNS,
    );
  });
});

// proves: bot ema formula
describe('EMA', () => {
  it('is what the formula gives by hand', () => {
    // Seed (2 + 4 + 6) / 3 = 4, k = 2 / 4: 10 x 0.5 + 4 x 0.5 = 7, then 5 x 0.5 + 7 x 0.5 = 6.
    expect(emaOver(3, [2, 4, 6, 10, 5])).toEqual([null, null, 4, 7, 6]);
    // Seed (1 + 2 + 3 + 6) / 4 = 3, k = 2 / 5: 8 x 0.4 + 3 x 0.6 = 5, then 0 x 0.4 + 5 x 0.6 = 3.
    expect(emaOver(4, [1, 2, 3, 6, 8, 0]).slice(2)).toEqual([null, 3, 5, 3]);
  });

  it('of one close is that close', () => {
    expect(emaOver(1, [3, 5, 4])).toEqual([3, 5, 4]);
  });

  it('equals computing it anew over all closes, at every close', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), closesOf(), (period, closes) => {
        const values = emaOver(period, closes);
        values.forEach((value, at) => {
          expectClose(value, naiveEma(closes.slice(0, at + 1), period));
        });
      }),
      RUNS,
    );
  });

  it('goes on from its snapshot to the last bit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), closesOf(), fc.nat(80), (period, closes, cut) => {
        const whole = new Ema(period);
        let stopped = new Ema(period);
        closes.forEach((close, at) => {
          if (at === cut) stopped = Ema.restore(JSON.parse(JSON.stringify(stopped.snapshot())));
          whole.push(close);
          stopped.push(close);
          expect(stopped.value).toBe(whole.value);
        });
      }),
      RUNS,
    );
  });
});

/** Prices with two decimals that move, stay and jump. */
function closesOf(): fc.Arbitrary<number[]> {
  const change = fc.oneof(fc.constant(0), fc.integer({ min: -200, max: 200 }));
  return fc.array(change, { maxLength: 80 }).map((changes) => {
    let cents = 50_000;
    return changes.map((by) => {
      cents += by;
      return cents / 100;
    });
  });
}

function expectClose(value: number | null, expected: number | null): void {
  if (value === null || expected === null) expect(value).toBe(expected);
  else expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9);
}
