import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCsvFeed } from '../../src/market/csv.ts';
import { FeedDriver, type FeedDriverOptions } from '../../src/market/driver.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';
import { MARKETS } from '../../src/market/symbols.ts';
import { createSyntheticFeed } from '../../src/market/synthetic.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/market/timeframe.ts';
import { VIRTUAL_START, VirtualClock } from '../support/virtual-clock.ts';

const START = Date.UTC(2025, 1, 3);
const TWO = MARKETS.slice(0, 2);

/** A replay of `count` minutes of one symbol. */
function replay(count: number, options = ''): Feed {
  const rows = Array.from({ length: count }, (_, minute) => `${START + minute * MINUTE_MS},10,12,9,11,8`);
  return openCsvFeed({
    spec: `csv:dir@1m${options}`,
    readDir: () => ['BTCUSDT-1m.csv'],
    readFile: () => rows.join('\n'),
  });
}

const live = (startTime = VIRTUAL_START) => createSyntheticFeed({ seed: 1, startTime, markets: TWO });

/** A driver on a virtual clock, with a record of all its reports. */
function drive(feed: Feed, options: Partial<FeedDriverOptions> = {}) {
  const clock = new VirtualClock();
  const ticks: (Tick & { wall: number })[] = [];
  const errors: unknown[] = [];
  const states: string[] = [];
  const driver: FeedDriver = new FeedDriver({
    feed,
    clock,
    speed: 1,
    hold: false,
    onTick: (tick) => void ticks.push({ ...tick, wall: clock.wall() }),
    onState: () => states.push(`${driver.held ? 'held' : 'playing'}${driver.ended ? ' ended' : ''}`),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, driver, ticks, errors, states };
}

describe('pace', () => {
  it('gives ticks at their time, scaled by the speed', async () => {
    const { clock, driver, ticks } = drive(replay(3), { speed: 60 });
    driver.start();
    expect(ticks).toHaveLength(1);
    await clock.advance(3_000);
    expect(ticks).toHaveLength(12);
    for (const tick of ticks) {
      expect(Math.abs((tick.wall - VIRTUAL_START) * 60 - (tick.time - START))).toBeLessThan(60);
    }
    expect(driver.ended).toBe(true);
  });

  it('is none with `max`, but others get their turn', async () => {
    let turns = 0;
    const { clock, driver, ticks } = drive(replay(2_000), { speed: 'max' });
    driver.start();
    while (!driver.ended) {
      await clock.turn();
      turns++;
    }
    expect(ticks).toHaveLength(8_000);
    expect(clock.wall()).toBe(VIRTUAL_START);
    expect(turns).toBeGreaterThan(4);
  });

  it('changes while it plays, from where market time stands between two ticks', async () => {
    const { clock, driver, ticks, states } = drive(replay(60));
    driver.start();
    await clock.advance(10_000);
    expect(ticks).toHaveLength(1);
    driver.setSpeed(10);
    expect(driver.speed).toBe(10);
    await clock.advance(500);
    // 10 s at normal pace and 5 s at ten times that: the next tick is due.
    expect(ticks).toHaveLength(2);
    await clock.advance(6_000);
    expect(ticks).toHaveLength(6);
    driver.setSpeed('max');
    await clock.advance(1);
    expect(driver.ended).toBe(true);
    expect(ticks).toHaveLength(240);
    expect(states).toEqual(['playing', 'playing', 'playing ended']);
  });

  it('changes while it is held, and counts from the next play on', async () => {
    const { clock, driver, ticks } = drive(replay(60), { hold: true });
    driver.start();
    driver.setSpeed(60);
    await clock.advance(60_000);
    expect(ticks).toHaveLength(0);
    driver.play();
    await clock.advance(1_000);
    expect(ticks).toHaveLength(5);
  });

  it('gives the same ticks in the same order, whenever it changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.integer({ min: 0, max: 60_000 }), fc.constantFrom(0.5, 1, 7, 600, 'max' as const)),
          {
            maxLength: 6,
          },
        ),
        async (changes) => {
          const { clock, driver, ticks } = drive(replay(20));
          driver.start();
          for (const [after, speed] of changes) {
            await clock.advance(after);
            driver.setSpeed(speed);
          }
          driver.setSpeed('max');
          await clock.advance(1);
          expect(driver.ended).toBe(true);
          const times = ticks.map(({ time }) => time);
          expect(times).toHaveLength(80);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('of a live market is that of the clock, and a speed that is none is refused', () => {
    const { driver } = drive(live());
    expect(() => driver.setSpeed(2)).toThrow('a live market runs with the clock');
    for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => drive(replay(1)).driver.setSpeed(speed)).toThrow(RangeError);
  });

  it('gives way after a few milliseconds of work', async () => {
    const { clock, driver, ticks } = drive(replay(10), {
      speed: 'max',
      onTick: (tick) => {
        ticks.push({ ...tick, wall: clock.wall() });
        clock.jump(3);
      },
    });
    driver.start();
    expect(ticks).toHaveLength(2);
    await clock.turn();
    expect(ticks).toHaveLength(4);
  });

  it('of a replay does not hurry after what a sleeping machine missed', async () => {
    const { clock, driver, ticks } = drive(replay(60));
    driver.start();
    clock.jump(HOUR_MS / 2);
    await clock.advance(MINUTE_MS);
    expect(ticks).toHaveLength(5);
    await clock.advance(MINUTE_MS);
    expect(ticks).toHaveLength(9);
  });

  it('goes on when the wall clock is set back', async () => {
    const { clock, driver, ticks } = drive(replay(60));
    driver.start();
    clock.jump(-HOUR_MS);
    await clock.advance(MINUTE_MS);
    const given = ticks.length;
    expect(given).toBeGreaterThan(2);
    await clock.advance(MINUTE_MS);
    expect(ticks.length).toBe(given + 4);
  });
});

describe('lock-step', () => {
  it('gives the next tick only when the work of the last one is done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('at once', 'microtask', 'turn', 'timer'), { minLength: 40, maxLength: 40 }),
        fc.constantFrom<number | 'max'>('max', 1, 600),
        async (kinds, speed) => {
          const clock = new VirtualClock();
          const seen: string[] = [];
          let number = 0;
          const driver = new FeedDriver({
            feed: replay(10),
            clock,
            speed,
            hold: false,
            onTick: () => {
              const at = number++;
              const kind = kinds[at];
              seen.push(`begin ${at}`);
              const end = () => void seen.push(`end ${at}`);
              if (kind === 'at once') return end();
              return new Promise<void>((resolve) => {
                if (kind === 'microtask') queueMicrotask(resolve);
                else if (kind === 'turn') clock.endOfTurn(resolve);
                else clock.after(20_000, resolve);
              }).then(end);
            },
            onState: () => {},
            onError: (error) => {
              throw error;
            },
          });
          driver.start();
          await clock.advance(HOUR_MS);
          expect(seen).toEqual(Array.from({ length: 40 }, (_, at) => [`begin ${at}`, `end ${at}`]).flat());
          expect(driver.ended).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('stops for good when the work of a tick fails', async () => {
    for (const fail of [
      () => Promise.reject(new Error('no')),
      () => {
        throw new Error('no');
      },
    ]) {
      const { clock, driver, errors } = drive(replay(5), { onTick: fail, speed: 'max' });
      driver.start();
      await clock.advance(HOUR_MS);
      expect(errors).toEqual([new Error('no')]);
      expect(driver.marketTime).toBe(START);
      expect(await driver.step()).toBe(false);
    }
  });

  it('reports a feed whose time goes back', () => {
    const feed: Feed = {
      label: 'bad',
      live: false,
      symbols: ['X'],
      startTime: 10,
      peek: () => 5,
      next: () => ({ time: 5, symbol: 'X', price: '1', volume: '1' }),
      resume: () => {},
      snapshot: () => null,
      candles: () => [],
    };
    const { driver, errors, ticks } = drive(feed, { speed: 'max' });
    driver.start();
    expect(ticks).toEqual([]);
    expect(String(errors[0])).toMatch(/go back from 10 to 5/);
  });
});

describe('a live market', () => {
  it('keeps to the wall', async () => {
    const { clock, driver, ticks } = drive(live());
    driver.start();
    await clock.advance(2_000);
    expect(ticks).toHaveLength(2 * 9);
    for (const tick of ticks) expect(tick.time).toBe(tick.wall);
    expect(driver.lastPrices.get('ETHUSDT')).toEqual({
      price: ticks.at(-1)?.price,
      time: VIRTUAL_START + 2_000,
    });
  });

  it('jumps to the wall when it is more than five seconds behind, and catches up when less', async () => {
    const { clock, driver, ticks, states } = drive(live());
    driver.start();
    await clock.advance(1_000);
    clock.jump(4_000);
    await clock.advance(250);
    expect(ticks).toHaveLength(2 * 22);
    clock.jump(HOUR_MS);
    await clock.advance(250);
    expect(driver.marketTime).toBe(VIRTUAL_START + 5_500 + HOUR_MS);
    expect(states).toEqual(['playing']);
    await clock.advance(250);
    expect(ticks).toHaveLength(2 * 23);
    expect(ticks.at(-1)?.time).toBe(clock.wall());
  });

  it('starts again at the wall after the desk was down, its prices where they were', async () => {
    const feed = live();
    const first = drive(feed);
    first.driver.start();
    await first.clock.advance(10_000);
    await first.driver.stop();
    const state = JSON.parse(JSON.stringify(feed.snapshot()));
    const second = drive(live(), { resume: { marketTime: first.driver.marketTime, state } });
    expect(second.driver.marketTime).toBe(VIRTUAL_START + 10_000);
    second.clock.jump(HOUR_MS);
    second.driver.start();
    expect(second.driver.marketTime).toBe(VIRTUAL_START + HOUR_MS);
    await second.clock.advance(250);
    const last = Number(first.driver.lastPrices.get('BTCUSDT')?.price);
    expect(Number(second.driver.lastPrices.get('BTCUSDT')?.price) / last).toBeCloseTo(1, 2);
  });

  it('never goes back when the wall does', async () => {
    const { clock, driver, ticks, errors } = drive(live());
    driver.start();
    await clock.advance(1_000);
    clock.jump(-HOUR_MS);
    await clock.advance(HOUR_MS + 1_000);
    expect(errors).toEqual([]);
    for (const [at, tick] of ticks.entries()) {
      if (at > 0) expect(tick.time).toBeGreaterThanOrEqual(ticks[at - 1]?.time as number);
    }
    expect(ticks.length).toBeGreaterThan(8_000);
  });

  it('is no live market at another speed', () => {
    expect(drive(live(), { speed: 10 }).driver.live).toBe(false);
    expect(drive(live()).driver.live).toBe(true);
  });
});

describe('hold, step, play, pause, stop', () => {
  it('holds until it is played', async () => {
    const { clock, driver, ticks, states } = drive(replay(5), { hold: true });
    driver.start();
    await clock.advance(HOUR_MS);
    expect([ticks.length, driver.held, driver.marketTime]).toEqual([0, true, START]);
    driver.play();
    await clock.advance(0);
    expect(ticks).toHaveLength(1);
    await clock.advance(MINUTE_MS);
    driver.pause();
    const given = ticks.length;
    await clock.advance(HOUR_MS);
    expect(ticks).toHaveLength(given);
    driver.play();
    await clock.advance(15_000);
    expect(ticks).toHaveLength(given + 1);
    expect(states).toEqual(['playing', 'held', 'playing']);
  });

  it('steps over all ticks of one time, and only while held', async () => {
    const { driver, ticks } = drive(live(), { hold: true });
    driver.start();
    for (const step of [1, 2, 3]) {
      expect(await driver.step()).toBe(true);
      expect(ticks.map((tick) => tick.time)).toHaveLength(2 * step);
      expect(driver.marketTime).toBe(VIRTUAL_START + (step - 1) * 250);
    }
    driver.play();
    expect(await driver.step()).toBe(false);
  });

  it('resolves a step when its work is done; a second one meanwhile is the same', async () => {
    let finish = () => {};
    const { clock, driver } = drive(replay(5), {
      hold: true,
      onTick: () => new Promise<void>((resolve) => (finish = resolve)),
    });
    driver.start();
    let done = 0;
    const steps = [driver.step(), driver.step()].map((step) => step.then(() => done++));
    await clock.settle();
    expect(done).toBe(0);
    finish();
    await Promise.all(steps);
    expect([done, driver.marketTime]).toEqual([2, START]);
  });

  it('stops after the tick in progress', async () => {
    let finish = () => {};
    const { clock, driver } = drive(replay(5), {
      speed: 'max',
      onTick: () => new Promise<void>((resolve) => (finish = resolve)),
    });
    driver.start();
    let stopped = false;
    void driver.stop().then(() => (stopped = true));
    await clock.advance(HOUR_MS);
    expect(stopped).toBe(false);
    finish();
    await clock.advance(HOUR_MS);
    expect([stopped, driver.marketTime, clock.pendingTimers]).toEqual([true, START, 0]);
    await driver.stop();
  });

  it('comes to the end of a replay once the last work is done', async () => {
    const { clock, driver, states, ticks } = drive(replay(2), { speed: 'max' });
    driver.start();
    await clock.settle();
    expect([driver.ended, ticks.length, states]).toEqual([true, 8, ['playing ended']]);
    expect(await driver.step()).toBe(false);
  });

  it('goes on into the next round of a loop without going back', async () => {
    const { clock, driver, ticks, errors } = drive(replay(2, ',loop'), { speed: 60 });
    driver.start();
    await clock.advance(6_500);
    expect(errors).toEqual([]);
    expect(ticks.map((tick) => tick.time)).toEqual(ticks.map((tick) => tick.time).toSorted((a, b) => a - b));
    expect(driver.marketTime).toBeGreaterThan(START + 6 * MINUTE_MS);
  });
});
