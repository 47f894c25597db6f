import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec, maxDec, minDec, str } from '../../src/domain/decimal.ts';
import type { Candle } from '../../src/domain/rows.ts';
import { aggregate, closedFrames, compareDecimals, fillFlat } from '../../src/market/aggregate.ts';
import { decimalsOf, formatScaled, parseScaled, quarterOf } from '../../src/market/scaled.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/market/timeframe.ts';

const START = Date.UTC(2025, 1, 3);
const decimalText = fc
  .tuple(fc.bigInt(0n, 10n ** 24n), fc.integer({ min: 0, max: 18 }))
  .map(([units, decimals]) => str(units * 10n ** BigInt(30 - decimals)));

/** Minutes in time order, some missing, each a valid candle. */
const minutes: fc.Arbitrary<Candle[]> = fc
  .array(
    fc.record({
      skip: fc.integer({ min: 0, max: 90 }),
      prices: fc.array(decimalText, { minLength: 4, maxLength: 4 }),
      volume: decimalText,
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    let time = START;
    return list.map(({ skip, prices, volume }) => {
      const sorted = prices.toSorted(compareDecimals) as [string, string, string, string];
      const candle = { time, open: sorted[1], high: sorted[3], low: sorted[0], close: sorted[2], volume };
      time += (1 + skip) * MINUTE_MS;
      return candle;
    });
  });

describe('candles of a larger frame', () => {
  it('have the first open, the highest high, the lowest low, the last close and the exact sum of volumes', () => {
    fc.assert(
      fc.property(minutes, fc.constantFrom(1, 5, 15, 60), (candles, factor) => {
        const frameMs = factor * MINUTE_MS;
        const groups = Object.values(Object.groupBy(candles, (candle) => Math.floor(candle.time / frameMs)));
        const expected = groups.map((group = []) => ({
          time: Math.floor((group[0]?.time ?? 0) / frameMs) * frameMs,
          open: group[0]?.open,
          high: str(group.map((candle) => dec(candle.high)).reduce(maxDec)),
          low: str(group.map((candle) => dec(candle.low)).reduce(minDec)),
          close: group.at(-1)?.close,
          volume: str(group.reduce((sum, candle) => sum + dec(candle.volume), 0n)),
        }));
        expect(aggregate(candles, frameMs)).toEqual(expected);
      }),
    );
  });

  it('are the same whether they are made at once or over a frame between', () => {
    fc.assert(
      fc.property(minutes, (candles) => {
        expect(aggregate(aggregate(candles, 15 * MINUTE_MS), HOUR_MS)).toEqual(aggregate(candles, HOUR_MS));
      }),
    );
  });

  it('add up volumes that a double cannot hold', () => {
    const candle = (minute: number, volume: string) => ({
      time: START + minute * MINUTE_MS,
      open: '1',
      high: '1',
      low: '1',
      close: '1',
      volume,
    });
    const candles = [
      candle(0, '4503599627370495'),
      candle(1, '4503599627370497'),
      candle(2, '0.000000000000000001'),
    ];
    expect(aggregate(candles, HOUR_MS)[0]?.volume).toBe('9007199254740992.000000000000000001');
  });

  it('are flat at the previous close where nothing traded', () => {
    const candle = { time: START + MINUTE_MS, open: '2', high: '3', low: '1', close: '2.5', volume: '7' };
    const range = { start: START, end: START + 3 * MINUTE_MS };
    const flat = (time: number, price: string) => ({
      time,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: '0',
    });
    expect(fillFlat([candle], MINUTE_MS, range, () => '9')).toEqual([
      flat(START, '9'),
      candle,
      flat(START + 2 * MINUTE_MS, '2.5'),
    ]);
    expect(fillFlat([candle], MINUTE_MS, range, () => null)).toHaveLength(2);
  });

  it('are asked for by open time, closed ones only, the newest 5,000', () => {
    const day = START + 24 * HOUR_MS;
    expect(closedFrames(HOUR_MS, START, START + 3 * HOUR_MS, day)).toEqual({
      start: START,
      end: START + 3 * HOUR_MS,
    });
    expect(closedFrames(HOUR_MS, START + 1, START + 1 + HOUR_MS, day)).toEqual({
      start: START + HOUR_MS,
      end: START + 2 * HOUR_MS,
    });
    expect(closedFrames(HOUR_MS, START, day, START + 2 * HOUR_MS - 1)).toEqual({
      start: START,
      end: START + HOUR_MS,
    });
    expect(closedFrames(HOUR_MS, START, START, day)).toBeNull();
    expect(closedFrames(MINUTE_MS, 0, day, day)).toEqual({ start: day - 5_000 * MINUTE_MS, end: day });
  });
});

describe('decimal texts', () => {
  it('compare by value', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const exact = dec(a) < dec(b) ? -1 : dec(a) > dec(b) ? 1 : 0;
        expect(Math.sign(compareDecimals(a, b))).toBe(exact);
      }),
    );
    expect(compareDecimals('0.10000000000000000001', '0.1')).toBeGreaterThan(0);
    expect(compareDecimals('1.50', '1.5')).toBe(0);
  });

  it('are split into four exactly', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        expect(dec(quarterOf(text)) * 4n).toBe(dec(text));
        expect(quarterOf(text)).toBe(str(dec(quarterOf(text))));
      }),
    );
  });

  it('survive being counted in whole units', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 48 }),
        fc.integer({ min: 0, max: 12 }),
        (units, decimals) => {
          const text = formatScaled(units, decimals);
          expect(text).toBe(str(BigInt(units) * 10n ** BigInt(30 - decimals)));
          expect(parseScaled(text, decimals)).toBe(units);
          expect(decimalsOf(text)).toBeLessThanOrEqual(decimals);
        },
      ),
    );
  });
});
