/**
 * The window of one limit in its finer points: what is given back and what is not, what others use, when
 * something is free again, and the clock of an exchange that is not ours.
 */
import { describe, expect, it } from 'vitest';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import { Window } from '../../../src/venues/kit/window.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SLIDING = { windowMs: 10_000, limit: 50, resets: 'sliding' } as const;
const CLOCK = { ...SLIDING, resets: 'clock' } as const;
const UNKNOWN = () => null;

/** A request that leaves and is answered at once. */
function passes(window: Window, cost: number, at: number): void {
  window.leaves(cost, at);
  window.ended(cost, at);
}

const usedAt = (window: Window, ...times: number[]) => times.map((at) => window.used(at));

describe('what the exchange gives back', () => {
  it('is of the oldest requests first, as much as it says, and the rest counts until its own time', () => {
    const window = new Window(SLIDING, UNKNOWN);
    passes(window, 3, 0);
    passes(window, 4, 1_000);
    passes(window, 5, 2_000);
    window.told(7, 2_000, 2_000);
    expect([window.size, ...usedAt(window, 2_000, 10_001, 11_000, 11_001, 12_000, 12_001)]).toEqual([
      2, 7, 7, 7, 5, 5, 0,
    ]);
  });

  it('is all, where it has counted nothing; no count that cannot be is believed', () => {
    const window = new Window(SLIDING, UNKNOWN);
    passes(window, 3, 0);
    for (const odd of [-1, Number.NaN, Number.POSITIVE_INFINITY]) window.told(odd, 0, 0);
    expect(window.used(0)).toBe(3);
    window.told(0, 0, 0);
    expect([window.used(0), window.size, window.isIdle(0)]).toEqual([0, 0, true]);
  });

  it('is of our own requests, and leaves what others were known to use', () => {
    const window = new Window(SLIDING, UNKNOWN);
    passes(window, 2, 0);
    window.told(12, 0, 0);
    passes(window, 1, 500);
    window.told(5, 500, 500);
    expect(usedAt(window, 500, 10_000, 10_001)).toEqual([10, 10, 0]);
  });

  it('is nothing where another left at the very moment of the one that asked and is still on its way', () => {
    const window = new Window(SLIDING, UNKNOWN);
    passes(window, 6, 0);
    passes(window, 1, 500);
    window.leaves(2, 500);
    window.told(1, 500, 500);
    expect(window.used(500)).toBe(9);
  });

  it('is nothing where the count may be of the window before', () => {
    const window = new Window(CLOCK, () => ({ offsetMs: 0, slackMs: 500 }));
    passes(window, 5, 28_000);
    window.leaves(1, 29_700);
    window.ended(1, 29_800);
    window.told(2, 29_700, 29_800);
    expect(usedAt(window, 29_800, 30_499, 30_500, 40_500)).toEqual([6, 6, 1, 0]);
  });
});

describe('what others use', () => {
  it('counts from the last time that as much was told, and is forgotten a window later', () => {
    const window = new Window(SLIDING, UNKNOWN);
    window.told(10, 0, 0);
    window.told(10, 5_000, 5_000);
    window.told(9, 7_000, 7_000);
    expect(usedAt(window, 14_999, 15_000, 15_001)).toEqual([10, 10, 0]);
  });

  it('is waited for, together with our own', () => {
    const window = new Window(SLIDING, UNKNOWN);
    window.told(30, 0, 0);
    passes(window, 15, 3_000);
    expect([window.nextChange(3_000), window.nextChange(10_001), window.nextChange(13_001)]).toEqual([
      10_001,
      13_001,
      null,
    ]);
    expect([5, 6, 35, 36, 50, 51].map((amount) => window.freeAt(amount, 3_000))).toEqual([
      3_000,
      10_001,
      10_001,
      13_001,
      13_001,
      Number.POSITIVE_INFINITY,
    ]);
    // A lane may have less than the whole.
    expect([5, 6, 20, 21].map((amount) => window.freeAt(amount, 3_000, 20))).toEqual([
      10_001,
      13_001,
      13_001,
      Number.POSITIVE_INFINITY,
    ]);
    expect([1, 5, 6].map((amount) => window.freeAt(amount, 3_000, 35))).toEqual([10_001, 10_001, 10_001]);
  });
});

describe('requests on their way', () => {
  it('are taken as answered now where it is foretold when something is free', () => {
    const window = new Window(SLIDING, UNKNOWN);
    passes(window, 10, 0);
    window.leaves(30, 4_000);
    expect([10, 11, 20, 21].map((amount) => window.freeAt(amount, 4_000))).toEqual([
      4_000, 10_001, 10_001, 14_001,
    ]);
    // Until they are answered nothing but the ten changes.
    expect([window.nextChange(4_000), window.nextChange(10_001)]).toEqual([10_001, null]);
  });

  it('and what is not known after a start are waited for', () => {
    const window = new Window(SLIDING, UNKNOWN, 10_000);
    expect([window.used(0), window.freeAt(1, 0), window.freeAt(50, 0)]).toEqual([50, 10_001, 10_001]);
    window.leaves(60, 0);
    expect(window.used(5_000)).toBe(60);
    expect(window.freeAt(1, 9_999)).toBe(20_000);
    window.ended(60, 9_000);
    expect([window.freeAt(1, 9_999), window.nextChange(10_000)]).toEqual([19_001, 10_001]);
  });
});

describe.each([0, 3_000, -7_000, 1_234_600])('an exchange whose clock is %d ms from ours', (offsetMs) => {
  const at = (theirs: number) => 10_000_000 + theirs - offsetMs;
  const made = (slackMs: number) => new Window(CLOCK, () => ({ offsetMs: offsetMs, slackMs }));

  it('begins its windows by it, and a request near the end of one counts in both', () => {
    const window = made(100);
    passes(window, 20, at(5_000));
    expect(window.nextChange(at(5_000))).toBe(at(10_100));
    expect(window.freeAt(31, at(5_000))).toBe(at(10_100));
    expect(usedAt(window, at(10_099), at(10_100))).toEqual([20, 0]);
    passes(window, 7, at(19_800));
    expect(usedAt(window, at(20_099), at(20_100))).toEqual([7, 0]);
    const near = made(100);
    // Its part of the window ends at 20 s: it may have been counted after that.
    passes(near, 7, at(19_801));
    expect(usedAt(near, at(20_100), at(30_099), at(30_100))).toEqual([7, 7, 0]);
  });

  it('tells a count of the window of now, where that is certain', () => {
    const window = made(100);
    window.told(9, at(10_100), at(10_200));
    expect(usedAt(window, at(10_200), at(20_099), at(20_100))).toEqual([9, 9, 0]);
    const before = made(100);
    before.told(9, at(10_099), at(10_200));
    expect(before.used(at(10_200))).toBe(0);
    const near = made(100);
    near.told(9, at(19_850), at(19_900));
    expect(usedAt(near, at(19_900), at(20_099), at(20_100))).toEqual([9, 9, 0]);
  });
});

it('a limit that slides knows no clock, though that of the exchange is known', () => {
  const window = new Window(SLIDING, () => ({ offsetMs: 0, slackMs: 100 }));
  passes(window, 5, 9_800);
  expect([window.nextChange(9_800), ...usedAt(window, 10_100, 19_800, 19_801)]).toEqual([19_801, 5, 5, 0]);
  window.told(9, 19_850, 20_300);
  expect(usedAt(window, 20_300, 30_300, 30_301)).toEqual([9, 9, 0]);
  // A count that is older than a window says nothing.
  window.told(9, 30_400, 40_401);
  expect(window.used(40_401)).toBe(0);
});

it('the clock of the exchange is that of the surest answer of a minute, and of the newest afterwards', () => {
  const clock = new VirtualClock();
  for (const [heardAt, tookMs, offset] of [
    [59_999, 21, 500],
    [60_000, 21, 700],
    [1_000, 20, 700],
    [1_000, 19, 700],
  ] as const) {
    const known = new ClockOffset(clock);
    const now = clock.monotonic();
    const measured = (at: number, took: number, ahead: number) =>
      known.measured({
        sentAt: now + at - took,
        heardAt: now + at,
        time: clock.wall() + at - took / 2 + ahead,
      });
    measured(0, 20, 500);
    // Only whole milliseconds are a time.
    expect(measured(heardAt, tookMs === 21 ? 22 : tookMs === 19 ? 18 : 20, 700)).toBe(true);
    expect(known.offsetMs).toBe(offset);
  }
});
