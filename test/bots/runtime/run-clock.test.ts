/**
 * Timers of runs: each fires once, at its time, and what one timer does to another of the same time takes
 * effect.
 */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { RunClock } from '../../../src/bots/runtime/run-clock.ts';
import type { StepContext } from '../../../src/engine/step-context.ts';

type Timers = Map<string, number>;

/**
 * Fires the timers of one run up to a time; `fires`: what it does to them when one fires. Returns which
 * fired when.
 */
function firedUpTo(
  time: number,
  timers: Timers,
  fires: (name: string) => void,
): [name: string, at: number][] {
  const fired: [string, number][] = [];
  let now = 0;
  const run = { state: { timers, started: true }, nextTimer: () => Math.min(...timers.values()) };
  const live = { going: true, run };
  const engine = {
    book: { runs: new Map([['r', live]]), bots: new Map() },
    at: (_step: unknown, at: number, act: () => void) => {
      now = at;
      act();
    },
    give: (_step: unknown, _live: unknown, { name }: { name: string }) => {
      timers.delete(name);
      fired.push([name, now]);
      fires(name);
    },
  };
  const clock = new RunClock(
    engine as unknown as BotEngine,
    new MarketHubs(() => new CandleHub({ time: 0 })),
  );
  clock.advance({} as StepContext, time);
  return fired;
}

it('fire in the order of their times, those of one moment as they were set', () => {
  const timers: Timers = new Map([
    ['late', 20],
    ['a', 10],
    ['b', 10],
    ['later', 31],
  ]);
  expect(firedUpTo(30, timers, () => {})).toEqual([
    ['a', 10],
    ['b', 10],
    ['late', 20],
  ]);
  expect([...timers]).toEqual([['later', 31]]);
});

it('do not fire when another one of the same moment has taken them back, and later when it has set them anew', () => {
  const timers: Timers = new Map([
    ['a', 10],
    ['back', 10],
    ['anew', 10],
  ]);
  const fires = (name: string) => {
    if (name !== 'a') return;
    timers.delete('back');
    timers.set('anew', 25);
  };
  expect(firedUpTo(30, timers, fires)).toEqual([
    ['a', 10],
    ['anew', 25],
  ]);
});

it('a close that an exchange tells is given at the market time of now, and never before the candle has ended', () => {
  const MINUTE = 60_000;
  const hub = new CandleHub({ time: 0, told: true });
  hub.need('BTCUSDT', MINUTE, { keep: 2 });
  const given: number[] = [];
  const run = { state: { timers: new Map(), started: true }, nextTimer: () => Number.POSITIVE_INFINITY };
  const parts = { market: 'live', subscriptions: { hears: () => true } };
  const engine = {
    book: { runs: new Map([['r', { going: true, run, parts }]]), bots: new Map() },
    at: (_step: unknown, at: number) => given.push(at),
  };
  const clock = new RunClock(engine as unknown as BotEngine, new MarketHubs(() => hub));
  for (const [now, at] of [
    [MINUTE + 300, MINUTE + 300],
    // The exchange's clock is ahead of ours.
    [2 * MINUTE - 5, 2 * MINUTE],
  ] as const) {
    const open = hub.toldNext('BTCUSDT', MINUTE);
    if (open === null) throw new Error('nobody reads');
    const candle = { time: open, open: '1', high: '1', low: '1', close: '1', volume: '1' };
    clock.told({ now: { market: now } } as StepContext, 'live', 'BTCUSDT', MINUTE, candle);
    expect(given.splice(0)).toEqual([at]);
  }
});
