/** The history that a run begins with, at any point of a candle. */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { type MarketPast, seedCandles, seedDay } from '../../../src/bots/market/past.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5);
const WANTED = 5;

it.each([0, 1, MINUTE / 2, MINUTE - 1])('as many closed candles as are read, %i ms into a minute', (into) => {
  const hub = new CandleHub({ time: START + into });
  hub.need('BTCUSDT', MINUTE, { keep: WANTED });
  const wanted = hub.historyWanted('BTCUSDT', MINUTE);
  expect(wanted).toBeGreaterThanOrEqual(WANTED);
  const asked: number[] = [];
  const history = (_symbol: string, frameMs: number, from: number, to: number) => {
    // The candles that a feed returns: opened at `from` or later, closed by `to`.
    for (let time = Math.ceil(from / frameMs) * frameMs; time + frameMs <= to; time += frameMs)
      asked.push(time);
    return [];
  };
  seedCandles({ hub, history }, 'BTCUSDT', MINUTE);
  expect(asked).toHaveLength(wanted);
  expect(asked.at(-1)).toBe(START - MINUTE);
});

it('of the figures of the day exactly a day is asked for, once, and not the bucket that it begins within', () => {
  const DAY = 86_400_000;
  const time = 20_000 * DAY + 12_345;
  const hub = new CandleHub({ time, dayBucketMs: MINUTE });
  const asked: unknown[] = [];
  let here = false;
  const past: MarketPast = {
    hub,
    history: (...of) => {
      asked.push(of);
      return here ? [] : null;
    },
  };
  expect([seedDay(past, 'BTCUSDT'), asked]).toEqual([true, []]);
  hub.needDay('BTCUSDT');
  const of = ['BTCUSDT', MINUTE, time - DAY, time];
  expect([seedDay(past, 'BTCUSDT'), asked.splice(0)]).toEqual([false, [of]]);
  here = true;
  expect([seedDay(past, 'BTCUSDT'), asked.splice(0)]).toEqual([true, [of]]);
  expect([seedDay(past, 'BTCUSDT'), asked]).toEqual([true, []]);
});

it('the last price that runs were given is the one before a tick that is pending, until the next tick', () => {
  const hub = new CandleHub({ time: 1_000 });
  const view = hub.view('BTCUSDT');
  const state = () => [view.price, view.lastTold.price, view.lastTold.at, view.ticks];
  expect(state()).toEqual([null, null, 0, 0]);
  hub.lastPrice('BTCUSDT', 900, 100n);
  expect(state()).toEqual([100n, 100n, 900, 0]);
  hub.pendingTick('BTCUSDT', 950, 90n);
  expect(state()).toEqual([90n, 100n, 900, 1]);
  // A fill is ahead of its tick: nobody was given that price.
  hub.ahead('BTCUSDT', 85n);
  expect(state()).toEqual([85n, 100n, 900, 1]);
  hub.tick('BTCUSDT', 1_000, 95n, 1n);
  expect(state()).toEqual([95n, 95n, 1_000, 2]);
  expect(hub.view('ETHUSDT').lastTold.price).toBeNull();
});
