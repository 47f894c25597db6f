/**
 * Which ended orders are attributed to the exchange's dead-man switch, by the times of its countdowns: the
 * current one, and an earlier one that lapsed.
 */
import { expect, it } from 'vitest';
import { endedBySwitch } from '../../src/engine/dead-man.ts';
import { Bench } from './support/bench.ts';

const SECOND = 1_000;

function counting() {
  const bench = new Bench();
  const order = bench.resting();
  const from = bench.wall;
  const renewed = (afterS: number | null, seconds = 10) =>
    bench.event({
      type: 'countdown',
      exchange: bench.exchange,
      symbol: order.symbol,
      countdown: afterS === null ? null : { at: from + afterS * SECOND, seconds },
    });
  /** Times, in seconds after the first renewal, at which an ended order is attributed to the switch. */
  const ended = (...times: readonly number[]) =>
    times.filter((s) => endedBySwitch(bench.engine.memory, order, from + s * SECOND) !== null);
  return { bench, order, renewed, ended };
}

it('an end is its from when the countdown is over, by clocks that may differ by two seconds', () => {
  const { renewed, ended } = counting();
  expect(ended(0, 100)).toEqual([]);
  renewed(0);
  expect(ended(0, 7.9, 8, 12)).toEqual([8, 12]);
  renewed(5);
  expect(ended(8, 12.9, 13)).toEqual([13]);
});

it('what it ended while it was not renewed is its own, however often it was renewed or taken back since', () => {
  const { renewed, ended } = counting();
  const ends = [7.9, 8, 15, 17, 17.1, 24];
  renewed(0);
  renewed(15);
  for (const again of [17, 20, null, 22]) {
    renewed(again);
    expect(ended(...ends)).toEqual([8, 15, 17]);
  }
});

it('a renewal at the very end of a countdown comes too late; one before it does not', () => {
  const late = counting();
  late.renewed(0);
  late.renewed(10);
  expect(late.ended(7, 9, 10, 12, 12.1)).toEqual([9, 10, 12]);
  const inTime = counting();
  inTime.renewed(0);
  inTime.renewed(9.999);
  expect(inTime.ended(7, 9, 10, 12, 12.1)).toEqual([]);
});

it('what ends by itself, was asked to end, or is of others is none of its', () => {
  const { bench, order, renewed, ended } = counting();
  renewed(0);
  const at = bench.wall + 60 * SECOND;
  const own = (change: object) => endedBySwitch(bench.engine.memory, { ...order, ...change }, at) !== null;
  expect(ended(60)).toEqual([60]);
  expect(own({ timeInForce: 'GTD', goodTillDate: at + 1 })).toBe(true);
  for (const change of [
    { timeInForce: 'IOC' },
    { timeInForce: 'FOK' },
    { timeInForce: 'GTD', goodTillDate: at },
    { external: true },
    { type: 'MARKET' },
    { cancel: { state: 'sent' } },
  ])
    expect(own(change)).toBe(false);
});

it('one that is taken back only after it was over may have ended what ended until then, one in time nothing', () => {
  const late = counting();
  late.renewed(0);
  late.bench.wall += 15 * SECOND;
  late.renewed(null);
  expect(late.ended(7.9, 8, 15, 17, 17.1)).toEqual([8, 15, 17]);
  const inTime = counting();
  inTime.renewed(0);
  inTime.bench.wall += 9_999;
  inTime.renewed(null);
  expect(inTime.ended(7.9, 8, 10, 15)).toEqual([]);
});

it('a countdown of the whole account counts for every symbol that has none of its own', () => {
  const { bench, order, renewed, ended } = counting();
  const at = bench.wall;
  bench.event({
    type: 'countdown',
    exchange: bench.exchange,
    symbol: '',
    countdown: { at, seconds: 30 },
  });
  const other = bench.resting({ symbol: 'ETHUSDT' });
  const ends = (s: number) => endedBySwitch(bench.engine.memory, other, at + s * SECOND) !== null;
  expect([ended(27.9, 28), ends(27.9), ends(28)]).toEqual([[28], false, true]);
  renewed(0);
  expect([order.symbol, ended(7.9, 8), ends(27.9), ends(28)]).toEqual(['BTCUSDT', [8], false, true]);
});
