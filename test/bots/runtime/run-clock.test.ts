/**
 * Timers of runs: each fires once, at its time, and what one timer does to another of the same time takes
 * effect.
 */
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
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

describe('the next thing that is due', () => {
  function clockOf() {
    const runs = new Map<string, { going: true; run: object; timers: Timers; started: boolean }>();
    const bots = new Map<string, { restartAt: number | null }>();
    const fired: string[] = [];
    const hubs = new MarketHubs(() => new CandleHub({ time: 0 }));
    const engine = {
      book: { runs, bots },
      at: (_step: unknown, at: number, act: () => void) => {
        fired.push(`at ${at}`);
        act();
      },
      give: (_step: unknown, { timers }: { timers: Timers }, { name }: { name: string }) => {
        timers.delete(name);
        fired.push(name);
      },
      restart: (_step: unknown, bot: { restartAt: number | null }) => {
        bot.restartAt = null;
        clock.timersChanged();
        fired.push('restart');
      },
    };
    const clock = new RunClock(engine as unknown as BotEngine, hubs);
    const add = (id: string, timers: Timers, started = true) => {
      const one = {
        going: true as const,
        timers,
        started,
        run: {
          get state() {
            return { timers: one.timers, started: one.started };
          },
          nextTimer: () => Math.min(Number.POSITIVE_INFINITY, ...one.timers.values()),
        },
      };
      runs.set(id, one);
      clock.timersChanged();
      return one;
    };
    const settled = (one: object) => clock.settled(one as unknown as LiveRun);
    return {
      clock,
      hubs,
      runs,
      bots,
      add,
      settled,
      fired,
      advance: (time: number) => clock.advance({} as StepContext, time),
    };
  }

  it('is the earliest of all timers, however those of single runs come, go and move', () => {
    const { clock, runs, add, settled } = clockOf();
    expect(clock.nextDue).toBe(Number.POSITIVE_INFINITY);
    const a = add('a', new Map([['x', 10]]));
    const b = add('b', new Map([['x', 20]]));
    for (const one of [a, b]) settled(one);
    expect(clock.nextDue).toBe(10);
    const set = (one: typeof a, at: number | null) => {
      one.timers = new Map(at === null ? [] : [['x', at]]);
      settled(one);
      return clock.nextDue;
    };
    expect([set(a, 30), set(b, 5), set(a, 5), set(b, 50), set(a, null)]).toEqual([20, 5, 5, 5, 50]);
    expect([set(b, null), set(a, 7), set(b, 7), set(a, 8), set(b, 9)]).toEqual([Infinity, 7, 7, 7, 8]);
    // One that has not started has no timer yet.
    const c = add('c', new Map([['x', 1]]), false);
    settled(c);
    expect(clock.nextDue).toBe(8);
    c.started = true;
    settled(c);
    expect(clock.nextDue).toBe(1);
    runs.delete('c');
    clock.timersChanged();
    expect(clock.nextDue).toBe(8);
  });

  it('is a restart too, which takes place at its own time, after the timers of that moment', () => {
    const { clock, bots, add, fired, advance } = clockOf();
    add(
      'a',
      new Map([
        ['later', 40],
        ['x', 20],
      ]),
    );
    bots.set('b', { restartAt: 20 });
    bots.set('none', { restartAt: null });
    bots.set('c', { restartAt: 30 });
    clock.timersChanged();
    expect(clock.nextDue).toBe(20);
    advance(19);
    expect(fired).toEqual([]);
    advance(20);
    expect(fired.splice(0)).toEqual(['at 20', 'x', 'at 20', 'restart']);
    expect(clock.nextDue).toBe(30);
    advance(35);
    expect(fired.splice(0)).toEqual(['at 30', 'restart']);
    expect(clock.nextDue).toBe(40);
  });

  it('that was set for the past comes at the time of now', () => {
    const { clock, hubs, add, fired, advance } = clockOf();
    hubs.of('paper');
    advance(100);
    add('a', new Map([['past', 30]]));
    expect(clock.nextDue).toBe(30);
    advance(150);
    expect(fired).toEqual(['at 100', 'past']);
  });
});
