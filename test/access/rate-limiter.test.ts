import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter, SlidingWindow } from '../../src/access/rate-limiter.ts';

const WINDOW_MS = 5_000;

/** Takes a place in the window at each of these moments; true where accepted. */
function takes(window: SlidingWindow, limit: number, ...moments: number[]): boolean[] {
  return moments.map((now) => window.take(limit, now).accepted);
}

// proves: rule sliding-window, D7
describe('a sliding window', () => {
  // proves: rule sliding-window, D7
  it('accepts up to its limit and again as each request leaves, to the millisecond', () => {
    const window = new SlidingWindow(WINDOW_MS);
    expect(takes(window, 3, 0, 10, 20, 30)).toEqual([true, true, true, false]);
    expect(takes(window, 3, 4_999, 5_000, 5_000, 5_009, 5_010)).toEqual([false, true, false, false, true]);
  });

  it('does not let two bursts through on both sides of a border, as a fixed window would', () => {
    const window = new SlidingWindow(WINDOW_MS);
    const bursts = [4_900, 4_950, 4_990, 5_010, 5_050, 9_899, 9_900];
    expect(takes(window, 3, ...bursts)).toEqual([true, true, true, false, false, false, true]);
  });

  // proves: D7
  it('does not count what it refuses', () => {
    const window = new SlidingWindow(WINDOW_MS);
    takes(window, 1, 0, ...Array.from({ length: 100 }, (_, i) => 4_000 + i));
    expect(takes(window, 1, 5_000)).toEqual([true]);
  });

  it('says what is left, when the oldest leaves and when one is free', () => {
    const window = new SlidingWindow(WINDOW_MS);
    expect(window.look(2, 0)).toEqual({ accepted: true, limit: 2, remaining: 2, resetMs: 0, retryMs: 0 });
    expect(window.take(2, 0)).toEqual({ accepted: true, limit: 2, remaining: 1, resetMs: 5_000, retryMs: 0 });
    expect(window.take(2, 1_000)).toEqual({
      accepted: true,
      limit: 2,
      remaining: 0,
      resetMs: 4_000,
      retryMs: 4_000,
    });
    expect(window.take(2, 1_500)).toEqual({
      accepted: false,
      limit: 2,
      remaining: 0,
      resetMs: 3_500,
      retryMs: 3_500,
    });
    expect(window.take(2, 5_000)).toEqual({
      accepted: true,
      limit: 2,
      remaining: 0,
      resetMs: 1_000,
      retryMs: 1_000,
    });
  });

  it('with a limit below what is counted waits until enough have left', () => {
    const window = new SlidingWindow(WINDOW_MS);
    takes(window, 4, 0, 100, 200, 300);
    expect(window.look(2, 400)).toMatchObject({
      accepted: false,
      remaining: 0,
      resetMs: 4_600,
      retryMs: 4_800,
    });
    expect(window.look(2, 5_199).accepted).toBe(false);
    expect(window.take(2, 5_200)).toMatchObject({ accepted: true, remaining: 0 });
  });

  it('lets time stand still when a reading falls', () => {
    const window = new SlidingWindow(WINDOW_MS);
    expect(takes(window, 1, 10_000, 3_000, 14_999, 1, 15_000)).toEqual([true, false, false, false, true]);
    expect(window.look(1, 0).retryMs).toBe(WINDOW_MS);
  });

  it('holds a thousand requests in their order', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let i = 0; i < 3_000; i++) {
      expect(window.take(1_000, i * 5).accepted, `request ${i}`).toBe(true);
    }
    expect(window.take(1_000, 14_996).accepted).toBe(false);
    expect(window.look(1_000, 14_999).retryMs).toBe(1);
  });

  it('is a plain list of the accepted moments, however its limit and what it holds change', () => {
    const step = fc.record({ wait: fc.constantFrom(0, 1, 40, 400, 2_500, WINDOW_MS), limit: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const window = new SlidingWindow(WINDOW_MS);
        let list: number[] = [];
        let now = 0;
        for (const { wait, limit } of steps) {
          now += wait;
          list = list.filter((at) => at + WINDOW_MS > now);
          const accepted = list.length < limit;
          if (accepted) list.push(now);
          const first = list[Math.max(0, list.length - limit)];
          expect(window.take(limit, now)).toEqual({
            accepted,
            limit,
            remaining: Math.max(0, limit - list.length),
            resetMs: list.length === 0 ? 0 : (list[0] as number) + WINDOW_MS - now,
            retryMs: list.length < limit || limit === 0 ? 0 : (first as number) + WINDOW_MS - now,
          });
        }
      }),
    );
  });
});

// proves: rule sliding-window
describe('a limiter of many keys', () => {
  const limiter = (capacity: number) => new RateLimiter({ windowMs: WINDOW_MS, capacity });

  it('gives each key a window of its own', () => {
    const many = limiter(10);
    expect([many.take('a', 1, 0).accepted, many.take('b', 1, 0).accepted]).toEqual([true, true]);
    expect([many.take('a', 1, 1).accepted, many.look('b', 2, 1).remaining]).toEqual([false, 1]);
  });

  it('remembers as many keys as it must, those accepted last', () => {
    const many = limiter(3);
    const left = (key: string) => many.look(key, 2, 1).remaining;
    for (const key of ['a', 'b', 'c', 'a', 'd', 'c', 'e', 'f']) many.take(key, 2, 0);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(left)).toEqual([0, 2, 0, 1, 1, 1]);
    many.take('g', 2, 1);
    expect(['c', 'd', 'e', 'f', 'g'].map(left)).toEqual([0, 1, 1, 1, 1]);
    expect(many.size).toBeLessThanOrEqual(6);
  });

  it('forgets no key that still counts while there is room, however often generations change', () => {
    const many = limiter(1_000);
    many.take('first', 1, 0);
    many.take('a', 1, 2_000);
    for (let now = 2_001; now < 7_000; now++) {
      many.take(`other ${now % 50}`, 1, now);
      expect(many.take('a', 1, now).accepted, `at ${now}`).toBe(false);
    }
    expect(many.take('a', 1, 7_000).accepted).toBe(true);
  });

  it('remembers no key for a request that it refuses', () => {
    const many = limiter(3);
    many.take('a', 1, 0);
    for (let i = 0; i < 9; i++) many.take('a', 1, 0);
    expect(many.take('b', 0, 0).accepted).toBe(false);
    expect(many.size).toBe(1);
  });

  it('shrinks by itself once its keys are idle', () => {
    const many = limiter(100_000);
    for (let i = 0; i < 1_000; i++) many.take(`old ${i}`, 1, i / 10);
    expect(many.size).toBe(1_000);
    for (const now of [5_000, 10_000]) many.take('new', 10, now);
    expect(many.size).toBe(1);
  });

  it('stays within its bound whatever comes', () => {
    const many = limiter(50);
    for (let i = 0; i < 5_000; i++) many.take(`key ${(i * 7_919) % 997}`, 3, i);
    expect(many.size).toBeLessThanOrEqual(100);
  });
});
