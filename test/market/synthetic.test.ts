import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { dec, isMultiple } from '../../src/domain/decimal.ts';
import type { Candle } from '../../src/domain/rows.ts';
import { aggregate } from '../../src/market/aggregate.ts';
import { type Feed, FeedError, type Tick } from '../../src/market/feed.ts';
import { SeededRandom } from '../../src/market/random.ts';
import { MARKETS } from '../../src/market/symbols.ts';
import { createSyntheticFeed, type SyntheticFeedOptions } from '../../src/market/synthetic.ts';
import { HISTORY_DAYS } from '../../src/market/synthetic-history.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/market/timeframe.ts';
import { attacked } from '../support/attacks.ts';

const START = Date.UTC(2026, 0, 5, 9, 30, 20, 130);
const FIRST = Date.UTC(2026, 0, 5, 9, 30, 20, 250);
const SYMBOLS = MARKETS.map((market) => market.symbol);
const MINUTE_OF_TICKS = 4 * 60 * SYMBOLS.length;

const feedOf = (options: Partial<SyntheticFeedOptions> = {}) =>
  createSyntheticFeed({ seed: 7, startTime: START, ...options });
const take = (feed: Feed, count: number) => Array.from({ length: count }, () => feed.next() as Tick);
const throughJson = (state: unknown) => JSON.parse(JSON.stringify(state));

/** A store of closed minutes, as the desk keeps them. */
function candleStore() {
  const rows = new Map<string, Candle[]>();
  return {
    onCandle: (symbol: string, candle: Candle) =>
      void rows.set(symbol, [...(rows.get(symbol) ?? []), candle]),
    recorded: (symbol: string, from: number, to: number) =>
      (rows.get(symbol) ?? []).filter((candle) => candle.time >= from && candle.time < to),
  };
}

describe('synthetic ticks', () => {
  it('come four times a second for every symbol, in the order of the table', () => {
    const ticks = take(feedOf(), SYMBOLS.length * 8);
    ticks.forEach((tick, at) => {
      expect(tick.symbol).toBe(SYMBOLS[at % SYMBOLS.length]);
      expect(tick.time).toBe(FIRST + Math.floor(at / SYMBOLS.length) * 250);
    });
  });

  it('lie on tick and step and start at the table price', () => {
    const ticks = take(feedOf(), MINUTE_OF_TICKS);
    for (const [at, tick] of ticks.entries()) {
      const market = MARKETS[at % MARKETS.length];
      expect(isMultiple(dec(tick.price), dec(market?.tickSize as string))).toBe(true);
      expect(isMultiple(dec(tick.volume), dec(market?.stepSize as string))).toBe(true);
      expect(dec(tick.volume) > 0n).toBe(true);
    }
    for (const [at, market] of MARKETS.entries()) {
      expect(Number(ticks[at]?.price) / Number(market.startPrice)).toBeCloseTo(1, 2);
    }
  });

  it('are the same for the same seed and others for another', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 2 ** 41 }), (seed, startTime) => {
        const ticks = take(feedOf({ seed, startTime }), 60);
        expect(take(feedOf({ seed, startTime }), 60)).toEqual(ticks);
        const others = take(feedOf({ seed: seed + 1, startTime }), 60);
        expect(others.map((tick) => tick.volume)).not.toEqual(ticks.map((tick) => tick.volume));
      }),
      { numRuns: 50 },
    );
  });

  it('announce their time before they come', () => {
    const feed = feedOf();
    for (let i = 0; i < 50; i++) expect(feed.peek()).toBe(feed.next()?.time);
  });

  it('move about as much in a day as the real thing, and together', () => {
    const names = ['BTCUSDT', 'ETHUSDT'];
    const feed = feedOf({ markets: MARKETS.filter((market) => names.includes(market.symbol)) });
    const returns = names.map((name) =>
      feed
        .candles(name, DAY_MS, 0, START)
        .map((candle) => Math.log(Number(candle.close) / Number(candle.open))),
    ) as [number[], number[]];
    const deviation = (list: number[]) => Math.sqrt(list.reduce((sum, x) => sum + x * x, 0) / list.length);
    const [btc, eth] = returns;
    expect(deviation(btc) / 0.024).toBeGreaterThan(0.8);
    expect(deviation(btc) / 0.024).toBeLessThan(1.2);
    const covariance = btc.reduce((sum, x, at) => sum + x * (eth[at] as number), 0) / btc.length;
    expect(covariance / deviation(btc) / deviation(eth)).toBeGreaterThan(0.6);
  });
});

describe('a synthetic feed after a restart', () => {
  it('goes on as if it had never stopped, wherever it was cut', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 * SYMBOLS.length }),
        fc.integer({ min: 0, max: 400 }),
        (cut, warm) => {
          const whole = feedOf();
          take(whole, warm);
          const before = take(whole, cut);
          const state = throughJson(whole.snapshot());
          const resumed = feedOf();
          resumed.resume(before.at(-1)?.time as number, state);
          expect(take(resumed, 100)).toEqual(take(whole, 100));
          expect(resumed.snapshot()).toEqual(whole.snapshot());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lets the market stand still while the desk is down', () => {
    const feed = feedOf();
    const last = take(feed, MINUTE_OF_TICKS);
    const resumed = feedOf();
    const later = START + 3 * DAY_MS;
    resumed.resume(later, throughJson(feed.snapshot()));
    const ticks = take(resumed, SYMBOLS.length);
    ticks.forEach((tick, at) => {
      expect(tick.time).toBe(Math.floor(later / 250) * 250 + 250);
      const price = Number(last[last.length - SYMBOLS.length + at]?.price);
      expect(Math.abs(Number(tick.price) / price - 1)).toBeLessThan(0.02);
    });
  });

  it('never repeats the time it resumes at', () => {
    const feed = feedOf();
    take(feed, SYMBOLS.length);
    feed.resume(FIRST + 250, feed.snapshot());
    expect(feed.peek()).toBe(FIRST + 500);
  });

  it('keeps the genesis, the seed and so the past of the stored state', () => {
    const feed = feedOf();
    const past = feed.candles('BTCUSDT', HOUR_MS, START - DAY_MS, START);
    take(feed, 10);
    const other = createSyntheticFeed({ seed: 99, startTime: START + 5 * DAY_MS });
    other.resume(FIRST, throughJson(feed.snapshot()));
    expect(other.candles('BTCUSDT', HOUR_MS, START - DAY_MS, START)).toEqual(past);
    expect(take(other, 50)).toEqual(take(feed, 50));
  });

  it('refuses a state that is not its own', () => {
    for (const state of [{}, 'x', { ...(feedOf().snapshot() as object), random: [1, 2] }, { markets: 1 }]) {
      expect(() => feedOf().resume(START, state)).toThrow(FeedError);
    }
  });
});

describe('the past of a synthetic market', () => {
  it('joins the first price without a gap', () => {
    const feed = feedOf();
    for (const market of MARKETS) {
      const candles = feed.candles(market.symbol, MINUTE_MS, START - 3 * DAY_MS, START);
      expect(candles.at(-1)?.close).toBe(market.startPrice);
      expect(candles).toHaveLength((3 * DAY_MS) / MINUTE_MS - 1);
      for (const [at, candle] of candles.entries()) {
        if (at > 0) expect(candle.open).toBe(candles[at - 1]?.close);
        const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(
          dec,
        ) as bigint[];
        expect((high as bigint) >= (open as bigint) && (high as bigint) >= (close as bigint)).toBe(true);
        expect((low as bigint) <= (open as bigint) && (low as bigint) <= (close as bigint)).toBe(true);
      }
    }
  });

  it('does not depend on the order in which it is asked for', () => {
    const far = feedOf();
    far.candles('SOLUSDT', DAY_MS, 0, START);
    const oldest = START - 200 * DAY_MS;
    const near = feedOf();
    near.candles('SOLUSDT', MINUTE_MS, START - HOUR_MS, START);
    for (const feed of [far, near]) {
      expect(feed.candles('SOLUSDT', MINUTE_MS, oldest, oldest + HOUR_MS)).toEqual(
        feedOf().candles('SOLUSDT', MINUTE_MS, oldest, oldest + HOUR_MS),
      );
    }
  });

  it('does not depend on what was asked before', () => {
    const midnight = START - (START % DAY_MS);
    const starts = fc.constantFrom(midnight, midnight + MINUTE_MS, START, midnight + DAY_MS - 1);
    const question = fc.record({
      symbol: fc.constantFrom('BTCUSDT', 'SOLUSDT'),
      frameMs: fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS),
      minutesAgo: fc.nat(4_000),
      minutes: fc.nat(3_000),
    });
    fc.assert(
      fc.property(starts, fc.array(question, { maxLength: 6 }), (startTime, questions) => {
        const feed = feedOf({ startTime });
        for (const { symbol, frameMs, minutesAgo, minutes } of questions) {
          const to = startTime - minutesAgo * MINUTE_MS;
          const ask = (one: Feed) => one.candles(symbol, frameMs, to - minutes * MINUTE_MS, to);
          expect(ask(feed)).toEqual(ask(feedOf({ startTime })));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('stays what it was, since stored data goes on from it', () => {
    const closes = [0, 1, 30].map((days) => {
      const to = START - days * DAY_MS - 30_000;
      return feedOf().candles('BTCUSDT', MINUTE_MS, to - MINUTE_MS, to)[0]?.close;
    });
    expect(closes).toEqual(['97250', '94886.26', '102149.41']);
  });

  it('is the same in every frame', () => {
    const feed = feedOf();
    const days = feed.candles('ETHUSDT', DAY_MS, START - 4 * DAY_MS, START);
    const first = days[0]?.time as number;
    const minutes = [0, 1, 2].flatMap((day) =>
      feed.candles('ETHUSDT', MINUTE_MS, first + day * DAY_MS, first + (day + 1) * DAY_MS),
    );
    expect(aggregate(minutes, DAY_MS)).toEqual(days);
    const hours = feed.candles('ETHUSDT', HOUR_MS, first, first + 3 * DAY_MS);
    expect(aggregate(hours, DAY_MS)).toEqual(days);
    // Also where a day or an hour begins, and for frames of other lengths.
    const frames = fc.constantFrom(7, 60, 90, 240, 720, 1_440, 10_080);
    fc.assert(
      fc.property(frames, fc.nat(6_000), fc.nat(3_000), (minutesOfFrame, ago, length) => {
        const frameMs = minutesOfFrame * MINUTE_MS;
        const to = START - ago * MINUTE_MS;
        const large = feed.candles('SOLUSDT', frameMs, to - length * MINUTE_MS, to);
        for (const candle of large) {
          const inside = Array.from({ length: Math.ceil(minutesOfFrame / 5_000) }, (_, i) =>
            feed.candles(
              'SOLUSDT',
              MINUTE_MS,
              candle.time + i * 5_000 * MINUTE_MS,
              Math.min(candle.time + (i + 1) * 5_000 * MINUTE_MS, candle.time + frameMs),
            ),
          ).flat();
          expect(aggregate(inside, frameMs)).toEqual([candle]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('of years in a long frame takes a day at a time, not its minutes', () => {
    const feed = feedOf();
    const made = vi.spyOn(SeededRandom, 'of');
    try {
      expect(feed.candles('SOLUSDT', 7 * DAY_MS, 0, START).length).toBeGreaterThan(100);
      // At most two generators a day.
      expect(made.mock.calls.length).toBeLessThan(2.1 * HISTORY_DAYS);
      attacked('one request that stalls the desk', 1, 1);
    } finally {
      made.mockRestore();
    }
  });

  it('moves about as much in a day, an hour and a minute as the table says, and together', () => {
    const feed = feedOf();
    const moves = (symbol: string, frameMs: number, count: number) =>
      feed
        .candles(symbol, frameMs, START - count * frameMs, START)
        .map(({ open, close }) => Math.log(Number(close) / Number(open)));
    const product = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
    for (const [frameMs, count] of [
      [DAY_MS, 700],
      [HOUR_MS, 4_000],
      [MINUTE_MS, 5_000],
    ] as const) {
      const [btc, eth] = [moves('BTCUSDT', frameMs, count), moves('ETHUSDT', frameMs, count)];
      const daily = Math.sqrt((product(btc, btc) / btc.length) * (DAY_MS / frameMs));
      const { dailyVolatility } = MARKETS[0] as (typeof MARKETS)[number];
      expect(daily / dailyVolatility).toBeGreaterThan(0.75);
      expect(daily / dailyVolatility).toBeLessThan(1.25);
      expect(product(btc, eth) / Math.sqrt(product(btc, btc) * product(eth, eth))).toBeGreaterThan(0.6);
    }
  });

  it('is not answered for symbols and frames there are none of', () => {
    const feed = feedOf();
    expect(feed.candles('XXXUSDT', MINUTE_MS, 0, START)).toEqual([]);
    expect(feed.candles('BTCUSDT', 90_000, 0, START)).toEqual([]);
    expect(feed.candles('BTCUSDT', MINUTE_MS, START, START + DAY_MS)).toEqual([]);
  });
});

describe('minutes of a synthetic market since its start', () => {
  it('are made of the ticks given, and only when they are closed', () => {
    const feed = feedOf();
    const ticks = take(feed, 3 * MINUTE_OF_TICKS).filter((tick) => tick.symbol === 'XRPUSDT');
    const candles = feed.candles('XRPUSDT', MINUTE_MS, START - MINUTE_MS, START + DAY_MS);
    const asCandles = ticks.map((tick) => ({
      time: tick.time,
      open: tick.price,
      high: tick.price,
      low: tick.price,
      close: tick.price,
      volume: tick.volume,
    }));
    const expected = aggregate(asCandles, MINUTE_MS).slice(0, -1);
    expect(expected).toHaveLength(3);
    expect(candles.slice(-3)).toEqual(expected);
  });

  it('are handed out once each and come back from the store after a restart', () => {
    const store = candleStore();
    const feed = feedOf(store);
    take(feed, 5 * MINUTE_OF_TICKS);
    const from = START - HOUR_MS;
    const candles = feed.candles('BTCUSDT', MINUTE_MS, from, START + DAY_MS);
    expect(store.recorded('BTCUSDT', 0, START + DAY_MS)).toEqual(candles.slice(-5));
    const resumed = feedOf(store);
    resumed.resume(FIRST + 5 * MINUTE_MS, throughJson(feed.snapshot()));
    expect(resumed.candles('BTCUSDT', MINUTE_MS, from, START + DAY_MS)).toEqual(candles);
    take(resumed, 2 * MINUTE_OF_TICKS);
    take(feed, 2 * MINUTE_OF_TICKS);
    expect(resumed.candles('BTCUSDT', 5 * MINUTE_MS, from, START + DAY_MS)).toEqual(
      feed.candles('BTCUSDT', 5 * MINUTE_MS, from, START + DAY_MS),
    );
  });

  it('are flat over the time in which the desk was down', () => {
    const store = candleStore();
    const feed = feedOf(store);
    take(feed, 2 * MINUTE_OF_TICKS);
    const state = throughJson(feed.snapshot());
    const resumed = feedOf(store);
    const later = START + 2 * DAY_MS;
    resumed.resume(later, state);
    take(resumed, 2 * MINUTE_OF_TICKS);
    const opened = Math.floor(later / MINUTE_MS) * MINUTE_MS;
    const candles = resumed.candles('BTCUSDT', MINUTE_MS, opened - 10 * MINUTE_MS, opened);
    expect(candles).toHaveLength(10);
    const last = store.recorded('BTCUSDT', 0, opened).at(-1)?.close;
    for (const candle of candles) expect(candle).toMatchObject({ open: last, close: last, volume: '0' });
    const restarted = feedOf(store);
    restarted.resume(later + 2 * MINUTE_MS, throughJson(resumed.snapshot()));
    expect(restarted.candles('BTCUSDT', MINUTE_MS, opened - 10 * MINUTE_MS, opened)).toEqual(candles);
  });
});
