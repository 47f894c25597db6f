/**
 * Figures of the last 24 hours for filters (strategies.md 2, "Filters") compared with sums over all ticks.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { DAY_MS, DayWindow } from '../../../src/bots/market/day-window.ts';
import { type Dec, dec, div, ONE, str } from '../../../src/domain/decimal.ts';
import { feedCandle, type NaiveTick, naiveCandles } from './naive.ts';

const M = 60_000;
const T = 1_700_006_400_000;
const BTC = 'BTCUSDT';

function figures(hub: CandleHub): [quoteVolume: string, changePercent: string | null] {
  const { quoteVolume, changePercent } = hub.view(BTC).day();
  return [str(quoteVolume), changePercent === null ? null : str(changePercent)];
}

// proves: bot candles day
describe('figures of the day', () => {
  it('are nothing until somebody needs them and when nobody does any more', () => {
    const hub = new CandleHub({ time: T });
    hub.tick(BTC, T, dec('100'), dec('2'));
    expect(figures(hub)).toEqual(['0', null]);
    const one = hub.needDay(BTC);
    hub.tick(BTC, T + 1, dec('100'), dec('2'));
    const other = hub.needDay(BTC);
    one();
    one();
    expect(figures(hub)).toEqual(['200', null]);
    other();
    expect(figures(hub)).toEqual(['0', null]);
  });

  it('follow the ticks and forget those of a day ago', () => {
    const hub = new CandleHub({ time: T });
    hub.needDay(BTC);
    hub.tick(BTC, T + 5, dec('100'), dec('2'));
    hub.tick(BTC, T + M, dec('110'), dec('1'));
    expect(figures(hub)).toEqual(['310', null]);
    // 24 h after a time in the first minute: the price one day ago is the first price of that minute.
    hub.advance(T + DAY_MS, () => {});
    expect(figures(hub)).toEqual(['310', '10']);
    hub.tick(BTC, T + DAY_MS + 30_000, dec('90'), dec('0.1'));
    expect(figures(hub)).toEqual(['319', '-10']);
    hub.advance(T + DAY_MS + M, () => {});
    // 90 against 110: -200 / 11.
    expect(figures(hub)).toEqual(['119', `-18.${'18'.repeat(15)}`]);
    hub.advance(T + 2 * DAY_MS + M, () => {});
    expect(figures(hub)).toEqual(['0', '0']);
    hub.advance(T + 900 * DAY_MS, () => {});
    expect(figures(hub)).toEqual(['0', '0']);
  });

  it('begin with candles of history, asked for once', () => {
    const hub = new CandleHub({ time: T + 30_000 });
    expect(hub.dayHistoryFrom(BTC)).toBeNull();
    hub.needDay(BTC);
    expect(hub.dayHistoryFrom(BTC)).toBe(T - DAY_MS);
    hub.tick(BTC, T + 30_000, dec('7'), dec('7'));
    const open = (time: number, price: string, volume: string) => ({
      time,
      open: price,
      high: price,
      low: price,
      close: price,
      volume,
    });
    hub.dayHistory(BTC, [
      open(T - DAY_MS - M, '10', '1000'),
      { time: T - DAY_MS, open: '80', high: '80', low: '80', close: '100', volume: '1' },
      { time: T - M, open: '99', high: '101', low: '97', close: '103', volume: '2' },
    ]);
    expect(hub.dayHistoryFrom(BTC)).toBeNull();
    // (3 x 80 + 100) / 4 x 1 + (99 + 101 + 97 + 103) / 4 x 2; 103 against 80.
    expect(figures(hub)).toEqual(['285', '28.75']);
    hub.tick(BTC, T + 30_000, dec('100'), dec('1'));
    expect(figures(hub)).toEqual(['385', '25']);
  });

  it('do not take a price that is newer than the history for one of a day ago', () => {
    const hub = new CandleHub({ time: T + 30_000 });
    hub.needDay(BTC);
    hub.tick(BTC, T + 30_000, dec('7'), dec('7'));
    hub.dayHistory(BTC, [{ time: T - M, open: '99', high: '101', low: '97', close: '103', volume: '2' }]);
    expect(figures(hub)).toEqual(['200', null]);
  });

  it('may have larger buckets, where the feed has no smaller candles', () => {
    const hub = new CandleHub({ time: T + 1_000, dayBucketMs: 15 * M });
    hub.needDay(BTC);
    expect(hub.dayHistoryFrom(BTC)).toBe(T - DAY_MS);
    hub.tick(BTC, T + 1_000, dec('10'), dec('1'));
    hub.tick(BTC, T + 14 * M, dec('20'), dec('1'));
    hub.advance(T + DAY_MS + 15 * M - 1, () => {});
    expect(figures(hub)).toEqual(['30', '100']);
    hub.advance(T + DAY_MS + 15 * M, () => {});
    expect(figures(hub)).toEqual(['0', '0']);
  });

  it('equal sums over all ticks of the buckets in the day, at any time', () => {
    const step = fc.record({
      after: fc.oneof(fc.nat(3 * M), fc.nat(40 * M), fc.nat(2 * DAY_MS)),
      cents: fc.integer({ min: 1, max: 20_000 }),
      volume: fc.nat(50),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.constantFrom(M, 15 * M, 60 * M),
        (steps, bucketMs) => {
          const day = new DayWindow(bucketMs);
          const ticks: NaiveTick[] = [];
          let now = T;
          for (const { after, cents, volume } of steps) {
            now += after;
            expect(day.figures(now)).toEqual(naiveFigures(ticks, bucketMs, now));
            const tick = { time: now, price: dec(`${cents / 100}`), volume: dec(`${volume}`) };
            ticks.push(tick);
            day.tick(tick.time, tick.price, tick.volume);
            expect(day.figures(now)).toEqual(naiveFigures(ticks, bucketMs, now));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('change alike whether ticks or the candles of those ticks brought them in', () => {
    const after = fc.oneof(fc.nat(20_000), fc.nat(30 * M));
    const step = fc.record({ after, cents: fc.integer({ min: 1, max: 20_000 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const ticked = new DayWindow(M);
        const ticks: NaiveTick[] = [];
        let now = T;
        for (const { after, cents } of steps) {
          now += after;
          ticks.push({ time: now, price: dec(`${cents / 100}`), volume: 0n });
          ticked.tick(now, dec(`${cents / 100}`), 0n);
        }
        now += M;
        const seeded = new DayWindow(M);
        seeded.seed(naiveCandles(ticks, M, now).map(feedCandle));
        for (const later of [now, ...ticks.map(({ time }) => time + DAY_MS)]) {
          if (later >= now) expect(seeded.figures(later)).toEqual(ticked.figures(later));
        }
      }),
      { numRuns: 100 },
    );
  });
});

function naiveFigures(ticks: readonly NaiveTick[], bucketMs: number, now: number) {
  const from = now - (now % bucketMs) - DAY_MS;
  const inside = ticks.filter(({ time }) => time >= from);
  const quoteVolume = inside.reduce((sum, { price, volume }) => sum + price * volume, 0n) / ONE;
  const first = inside.find(({ time }) => time < from + bucketMs)?.price;
  const before: Dec | undefined = first ?? ticks.filter(({ time }) => time < from).at(-1)?.price;
  const last = ticks.at(-1)?.price;
  const changePercent = before && last ? div((last - before) * 100n, before) : null;
  return { quoteVolume, changePercent };
}
