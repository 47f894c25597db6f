/** The effects of one tick on a desk and their order, and how a start continues a tick that was cut short. */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/desk/core/turn.ts';
import type { TickInWork } from '../../../src/desk/market/market-cursor.ts';
import { JUMP_WAIT_MS, MarketLoop } from '../../../src/desk/market/market-loop.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import type { Tick } from '../../../src/market/feed.ts';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const at = (time: number, price = '100'): Tick => ({ time, symbol: 'BTCUSDT', price, volume: '1' });

/** A loop whose engine and exchanges only record the calls. */
function stage(o: {
  replay: boolean;
  inWork?: TickInWork;
  matches?: Promise<void>;
  drains?: Promise<void>;
  /** The next close or timer, in place of those in `dues`. */
  bots?: () => number;
}) {
  const clock = new VirtualClock(1_000);
  const seen: string[] = [];
  const dues: { endDates: number[]; bots: number[] } = { endDates: [], bots: [] };
  const loop = new MarketLoop({
    clock,
    lockStep: o.replay,
    inWork: o.inWork ?? null,
    reached: 0,
    told: (tick) => seen.push(`told ${tick.time}`),
  });
  const turn = {
    step(event: EngineEvent) {
      const time = 'time' in event ? ` ${event.time}` : '';
      seen.push(`${event.type}${time} (market ${loop.dueTime ?? 'tick'})`);
      if (event.type !== 'time') return;
      dues.endDates = dues.endDates.filter((due) => due > event.time);
      dues.bots = dues.bots.filter((due) => due > event.time);
    },
    flush: () => seen.push('commit'),
    quiet(accounts?: readonly string[]) {
      seen.push(`wait for ${accounts ? accounts.join() : 'all'}`);
      return o.drains;
    },
  } as unknown as Turn;
  const paper = {
    account: { id: 'paper-futures' },
    futures: { markPrice: () => '99' },
    tick(tick: Tick) {
      seen.push(`match ${tick.time}`);
      return o.matches;
    },
  } as unknown as PaperVenue;
  loop.connect({
    turn,
    paper: [paper],
    venues: [paper],
    nextEndDate: () => Math.min(...dues.endDates),
    nextBotDue: o.bots ?? (() => Math.min(...dues.bots)),
  });
  return { loop, seen, dues, clock };
}

describe('a tick of a replay', () => {
  it('is told to the bots, matched, and then told to the engine; the next one waits for all that it caused', async () => {
    const { loop, seen } = stage({ replay: true });
    await loop.onTick(at(500));
    expect(seen).toEqual([
      'market 500 (market tick)',
      'match 500',
      'mark (market tick)',
      'tick (market tick)',
      'told 500',
      'wait for all',
    ]);
  });

  it('comes after every close, timer and end date up to its own time, each at its own moment and each waited for', async () => {
    const { loop, seen, dues } = stage({ replay: true });
    dues.endDates = [300, 500];
    dues.bots = [200, 500, 501];
    await loop.onTick(at(500));
    expect(seen.slice(0, 8)).toEqual([
      'time 200 (market 200)',
      'wait for all',
      'time 300 (market 300)',
      'wait for all',
      'time 500 (market 500)',
      'wait for all',
      'market 500 (market tick)',
      'match 500',
    ]);
    expect(dues.bots).toEqual([501]);
  });

  it('is stored as ahead while something falls due before it, as unfinished while it is matched, and as neither afterwards', async () => {
    const matches = Promise.withResolvers<void>();
    const { loop, dues } = stage({ replay: true, matches: matches.promise });
    dues.bots = [400];
    const done = loop.onTick(at(500));
    expect(loop.inWork).toEqual({ unfinished: null, ahead: { tick: at(500), at: 400 } });
    await Promise.resolve();
    expect(loop.inWork).toEqual({ unfinished: at(500), ahead: null });
    matches.resolve();
    await done;
    expect(loop.inWork).toEqual({ unfinished: null, ahead: null });
  });

  it('never tells something due before the last tick at an earlier market time', async () => {
    const { loop, seen, dues } = stage({ replay: true });
    await loop.onTick(at(500));
    seen.length = 0;
    dues.bots = [450];
    await loop.onTick(at(600));
    expect(seen[0]).toBe('time 450 (market 500)');
  });
});

// proves: S55
describe('a tick of a live market', () => {
  it('waits for nothing: what it caused goes on beside the ticks that follow', () => {
    const { loop, seen } = stage({ replay: false });
    expect(loop.onTick(at(500))).toBeUndefined();
    expect(seen.some((line) => line.startsWith('wait'))).toBe(false);
  });

  it('finds the cancels of end dates up to its own time sent before it is matched, and still waits for nothing', () => {
    const { loop, seen, dues } = stage({ replay: false });
    dues.endDates = [500];
    expect(loop.onTick(at(500))).toBeUndefined();
    expect(seen.slice(0, 4)).toEqual([
      'time 500 (market 500)',
      'commit',
      'market 500 (market tick)',
      'match 500',
    ]);
  });
});

describe('a live market that jumps', () => {
  it('lets nobody wait when no end date was passed', () => {
    const { loop, seen, dues } = stage({ replay: false });
    dues.endDates = [900];
    expect(loop.onJump(899)).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it('sends the cancels of what ended meanwhile and goes on once they have arrived', async () => {
    const drains = Promise.withResolvers<void>();
    const { loop, seen, dues, clock } = stage({ replay: false, drains: drains.promise });
    dues.endDates = [900];
    let over = false;
    void loop.onJump(900)?.then(() => {
      over = true;
    });
    await clock.settle();
    expect(seen).toEqual(['time 900 (market tick)', 'commit', 'wait for paper-futures']);
    expect(over).toBe(false);
    drains.resolve();
    await clock.settle();
    expect(over).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on without them when they do not arrive', async () => {
    const { loop, dues, clock } = stage({ replay: false, drains: new Promise(() => {}) });
    dues.endDates = [900];
    let over = false;
    void loop.onJump(900)?.then(() => {
      over = true;
    });
    await clock.advance(JUMP_WAIT_MS - 1);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(over).toBe(true);
  });
});

it('something that falls due at the same moment again and again keeps no tick away', async () => {
  const { loop, seen } = stage({ replay: true, bots: () => 400 });
  await loop.onTick(at(500));
  expect(seen.filter((line) => line.startsWith('time 400'))).toHaveLength(10_000);
  expect(seen.slice(-5)).toEqual([
    'match 500',
    'mark (market tick)',
    'tick (market tick)',
    'told 500',
    'wait for all',
  ]);
});

it('a market without ticks sends the cancels of end dates when their time has come, and waits for nothing', () => {
  const { loop, seen, dues } = stage({ replay: false });
  dues.endDates = [900];
  dues.bots = [100];
  const { changes } = loop;
  loop.onTime(899);
  expect([seen, loop.changes > changes]).toEqual([[], true]);
  loop.onTime(900);
  expect(seen).toEqual(['time 900 (market tick)', 'commit']);
  loop.onTime(901);
  expect(seen).toHaveLength(2);
});

describe('a start after a crash', () => {
  it('goes on matching a tick that the bots have seen, without telling them again', async () => {
    const { loop, seen } = stage({ replay: true, inWork: { unfinished: at(500), ahead: null } });
    await loop.resume();
    expect(seen[0]).toBe('match 500');
    expect(seen).toContain('tick (market tick)');
    expect(seen.some((line) => line.startsWith('market'))).toBe(false);
  });

  it('goes on with what falls due before a tick that nobody has seen, at the market time reached', async () => {
    const { loop, seen, dues } = stage({
      replay: true,
      inWork: { unfinished: null, ahead: { tick: at(500), at: 300 } },
    });
    expect(loop.dueTime).toBe(300);
    dues.bots = [200, 400];
    await loop.resume();
    expect(seen.filter((line) => /^(time|market|match)/.test(line))).toEqual([
      'time 200 (market 300)',
      'time 400 (market 400)',
      'market 500 (market tick)',
      'match 500',
    ]);
  });

  it('does nothing when no tick was in work', async () => {
    const { loop, seen } = stage({ replay: true });
    await loop.resume();
    expect(seen).toEqual([]);
  });
});

describe('what the cursor tells', () => {
  it('is told anew once a tick is begun and once it is matched, also where the matching takes its time', async () => {
    for (const replay of [true, false]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { loop } = stage({ replay, matches: promise });
      const before = loop.changes;
      const done = loop.onTick(at(500));
      expect(loop.inWork).toEqual({ unfinished: at(500), ahead: null });
      const begun = loop.changes;
      expect(begun).toBeGreaterThan(before);
      resolve();
      await done;
      expect(loop.inWork).toEqual({ unfinished: null, ahead: null });
      expect(loop.changes).toBeGreaterThan(begun);
    }
  });

  it('is told anew when a live market jumps, and for each close of a replay that is told before its tick', async () => {
    const live = stage({ replay: false });
    const { changes } = live.loop;
    await live.loop.onJump(700);
    expect(live.loop.changes).toBeGreaterThan(changes);
    const replay = stage({ replay: true });
    replay.dues.bots = [100, 200];
    const seen: [number, number | null][] = [];
    const step = replay.loop;
    const done = step.onTick(at(500));
    seen.push([step.changes, step.dueTime]);
    await done;
    expect(seen[0]?.[1]).toBe(100);
    expect(step.changes).toBeGreaterThan((seen[0]?.[0] ?? 0) + 1);
    expect(step.dueTime).toBeNull();
  });
});
