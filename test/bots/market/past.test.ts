/** The history that a run begins with, at any point of a candle. */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { seedCandles } from '../../../src/bots/market/past.ts';

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
