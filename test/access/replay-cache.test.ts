import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayCache, replayKey, WINDOW_MS } from '../../src/access/replay-cache.ts';
import { ReplayMarks } from '../../src/access/replay-marks.ts';

const CAPACITY = 8;
/** Two windows of five seconds. */
const BLIND_MS = 10_000;
const START = 1_760_000_000_123;
/** The id of the key that signs. */
const ID = 'key';

/** The rules of the cache as one plain map: key -> its timestamp. */
interface Model {
  now: number;
  readonly seen: Map<string, number>;
}

class Request implements fc.Command<Model, ReplayCache> {
  readonly skew: number;
  readonly name: number;

  constructor(skew: number, name: number) {
    this.skew = skew;
    this.name = name;
  }

  check = () => true;

  run(model: Model, cache: ReplayCache): void {
    const timestamp = model.now + this.skew;
    const key = `${timestamp}/${this.name}`;
    const blind = timestamp < START && model.now - START < BLIND_MS;
    expect(cache.isBlindTo(timestamp, model.now)).toBe(blind);
    if (blind) return;
    const outcome = cache.admit(ID, key, timestamp, model.now);
    if (model.seen.has(key)) {
      expect(outcome).toBe('duplicate');
      return;
    }
    // An entry may stay until the end of its second, so "full" begins somewhere between the two counts.
    const inWindow = [...model.seen.values()].filter((time) => time + WINDOW_MS >= model.now).length;
    const lingering = [...model.seen.values()].filter((time) => time + WINDOW_MS + 1000 > model.now).length;
    if (inWindow >= CAPACITY) expect(outcome).toBe('full');
    if (lingering < CAPACITY) expect(outcome).toBe('fresh');
    if (outcome === 'fresh') model.seen.set(key, timestamp);
    expect(cache.size).toBeLessThanOrEqual(CAPACITY);
    expect(cache.size).toBeGreaterThanOrEqual(Math.min(inWindow, CAPACITY));
  }

  toString = () => `request(${this.skew}, ${this.name})`;
}

/** Sends the same request once more, at any later time at which its timestamp is still in the window. */
class Replay implements fc.Command<Model, ReplayCache> {
  readonly pick: number;

  constructor(pick: number) {
    this.pick = pick;
  }

  check = (model: Readonly<Model>) => this.#live(model).length > 0;

  run(model: Model, cache: ReplayCache): void {
    const live = this.#live(model);
    const [key, timestamp] = live[this.pick % live.length] as [string, number];
    expect(cache.admit(ID, key, timestamp, model.now)).toBe('duplicate');
  }

  #live(model: Readonly<Model>): [string, number][] {
    return [...model.seen].filter(([, time]) => Math.abs(model.now - time) <= WINDOW_MS);
  }

  toString = () => `replay(${this.pick})`;
}

class Wait implements fc.Command<Model, ReplayCache> {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  check = () => true;

  run(model: Model): void {
    model.now += this.ms;
  }

  toString = () => `wait(${this.ms})`;
}

describe('replay cache', () => {
  // proves: D21
  it('behaves as a plain map of everything ever seen', () => {
    const commands = fc.commands(
      [
        fc
          .tuple(fc.integer({ min: -WINDOW_MS, max: WINDOW_MS }), fc.nat(3))
          .map(([skew, name]) => new Request(skew, name)),
        fc.nat(20).map((pick) => new Replay(pick)),
        fc
          .oneof(fc.nat(50), fc.nat(3000), fc.constantFrom(999, 1000, 1001, 5000, 10_000))
          .map((ms) => new Wait(ms)),
      ],
      { maxCommands: 80, size: '+1' },
    );
    fc.assert(
      fc.property(commands, (list) => {
        fc.modelRun(
          () => ({
            model: { now: START, seen: new Map<string, number>() },
            real: new ReplayCache(START, { capacity: CAPACITY }),
          }),
          list,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('knows a request to the last ms of its window', () => {
    for (const timestamp of [START, START + 1, 1_760_000_001_000, 1_760_000_000_999]) {
      const cache = new ReplayCache(0);
      expect(cache.admit(ID, 'k', timestamp, timestamp - WINDOW_MS)).toBe('fresh');
      expect(cache.admit(ID, 'k', timestamp, timestamp + WINDOW_MS)).toBe('duplicate');
    }
  });

  it('forgets after the window, so it stays small', () => {
    const cache = new ReplayCache(0);
    for (let i = 0; i < 1000; i++) cache.admit(ID, String(i), START + i * 100, START + i * 100);
    expect(cache.size).toBeLessThanOrEqual(61);
  });

  // proves: D21
  it('refuses timestamps from before the start for ten seconds only', () => {
    const cache = new ReplayCache(START);
    expect(cache.isBlindTo(START - 1, START)).toBe(true);
    expect(cache.isBlindTo(START, START)).toBe(false);
    expect(cache.isBlindTo(START - 1, START + 4999)).toBe(true);
    expect(cache.isBlindTo(START + 6000, START + BLIND_MS)).toBe(false);
  });

  it('lets nothing back in when the clock is set back a little', () => {
    const cache = new ReplayCache(0);
    cache.admit(ID, 'k', START, START);
    cache.admit(ID, 'other', START + 9000, START + 9000);
    expect(cache.isBlindTo(START, START + 1000)).toBe(true);
  });

  it('is as after a restart when the clock is set back by ten seconds, and not by one millisecond less', () => {
    for (const [back, blind] of [
      [9_999, true],
      [10_000, false],
    ] as const) {
      const cache = new ReplayCache(START);
      expect(cache.admit(ID, 'k', START + 60_000, START + 60_000)).toBe('fresh');
      const now = START + 60_000 - back;
      expect(cache.isBlindTo(now, now)).toBe(blind);
    }
  });

  it('when the clock is set back far, takes nothing that a key may have signed before, and other keys at once', () => {
    const cache = new ReplayCache(0);
    cache.admit(ID, 'k', START, START);
    const back = START - 3_600_000;
    expect(cache.isBlindTo(back, back)).toBe(false);
    expect(cache.isBlindTo(back - 1, back)).toBe(true);
    expect(cache.admit(ID, 'k2', back, back)).toBe('used');
    expect(cache.admit('another key', 'k3', back, back)).toBe('fresh');
    expect(cache.size).toBe(1);
    expect(cache.admit(ID, 'k', START, START)).toBe('used');
    expect(cache.admit(ID, 'k', START + 1, START)).toBe('fresh');
  });

  it('after a start takes nothing up to the mark of the key that an earlier process has stored', () => {
    const before = new ReplayMarks();
    new ReplayCache(0, { marks: before }).admit(ID, 'k', START + WINDOW_MS, START);
    const marks = new ReplayMarks(
      new Map(before.rows().flatMap((row) => (row.kind === 'meta' ? [[row.name, row.value]] : []))),
    );
    const cache = new ReplayCache(START + 1_000, { marks });
    expect(cache.usedUpTo(ID)).toBe(START + WINDOW_MS);
    expect(cache.admit(ID, 'k', START + WINDOW_MS, START + 1_000)).toBe('used');
    expect(cache.admit('another key', 'k', START + WINDOW_MS, START + 1_000)).toBe('fresh');
    expect(cache.admit(ID, 'later', START + WINDOW_MS + 1, START + 1_000)).toBe('fresh');
    expect(marks.isUnstored(ID)).toBe(true);
    marks.stored();
    expect(marks.rows()).toEqual([]);
  });

  it('makes its key from the bytes, so that each part counts', () => {
    const key = Buffer.alloc(32, 1);
    const signature = Buffer.alloc(64, 2);
    const one = replayKey(key, '1760000000000', signature);
    expect(one).toHaveLength(22);
    expect(replayKey(key, '1760000000000', signature)).toBe(one);
    expect(replayKey(Buffer.alloc(32, 3), '1760000000000', signature)).not.toBe(one);
    expect(replayKey(key, '1760000000001', signature)).not.toBe(one);
    expect(replayKey(key, '1760000000000', Buffer.alloc(64, 3))).not.toBe(one);
  });
});
