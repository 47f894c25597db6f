/**
 * An exchange's clock by the midpoint of a request: signed times are never ahead of it, however long the
 * response took.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockOffset, MEASURE_EVERY_MS, OFF_MS } from '../../../src/venues/kit/clock-offset.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/**
 * Asks an exchange whose clock is ahead of the local wall clock; a request takes `there` ms to it and `back`
 * ms from it.
 */
async function ask(
  clock: VirtualClock,
  offset: ClockOffset,
  aheadMs: number,
  there: number,
  back: number,
): Promise<boolean> {
  const sentAt = clock.monotonic();
  await clock.advance(there);
  const time = clock.wall() + aheadMs;
  await clock.advance(back);
  return offset.measured({ sentAt, heardAt: clock.monotonic(), time });
}

describe('the clock of an exchange', () => {
  it('is right by the midpoint where both ways are as long, and never ahead where they are not', async () => {
    const ways = fc.record({
      ahead: fc.integer({ min: -100_000, max: 100_000 }),
      there: fc.integer({ min: 0, max: 3_000 }),
      back: fc.integer({ min: 0, max: 3_000 }),
      later: fc.integer({ min: 0, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(ways, async ({ ahead, there, back, later }) => {
        const clock = new VirtualClock();
        const offset = new ClockOffset(clock);
        expect(await ask(clock, offset, ahead, there, back)).toBe(true);
        await clock.advance(later);
        const real = clock.wall() + ahead;
        expect(offset.stamp()).toBeLessThanOrEqual(real);
        expect(real - offset.stamp()).toBeLessThanOrEqual(there + back + 1);
        expect(Math.abs(offset.now() - real)).toBeLessThanOrEqual((there + back) / 2 + 1);
        if (there === back) expect(Math.abs(offset.now() - real)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  it('is not moved by a wall clock that is set', async () => {
    const clock = new VirtualClock();
    const offset = new ClockOffset(clock);
    await ask(clock, offset, 0, 10, 10);
    const before = offset.now();
    clock.jump(3_600_000);
    expect(offset.now()).toBe(before);
    expect(offset.offsetMs).toBe(-3_600_000);
    expect(offset.judge(5_000)).toBe('stop');
  });

  it('is due at the start, every half hour, and after an error about the time', async () => {
    const clock = new VirtualClock();
    const offset = new ClockOffset(clock);
    expect(offset.isDue).toBe(true);
    await ask(clock, offset, 0, 10, 10);
    expect(offset.isDue).toBe(false);
    await clock.advance(MEASURE_EVERY_MS - 1);
    expect(offset.isDue).toBe(false);
    await clock.advance(1);
    expect(offset.isDue).toBe(true);
    await ask(clock, offset, 0, 10, 10);
    offset.doubt();
    expect(offset.isDue).toBe(true);
  });

  it('is due after the machine has slept, and is then that of the newest answer, however sure', async () => {
    const clock = new VirtualClock();
    const offset = new ClockOffset(clock);
    await ask(clock, offset, 0, 5, 5);
    clock.jump(1_000);
    expect(offset.isDue).toBe(false);
    clock.jump(60_000);
    expect(offset.isDue).toBe(true);
    await ask(clock, offset, 0, 200, 200);
    expect(offset.isDue).toBe(false);
    expect(offset.now()).toBe(clock.wall());
    // A wall clock that is set back is as telling.
    clock.jump(-1_000);
    expect(offset.isDue).toBe(false);
    clock.jump(-1);
    expect(offset.isDue).toBe(true);
  });

  it('is that of the surest of several answers, but after an error of the newest', async () => {
    const clock = new VirtualClock();
    const offset = new ClockOffset(clock);
    await ask(clock, offset, 500, 10, 10);
    await ask(clock, offset, 500, 2_000, 0);
    expect(offset.offsetMs).toBe(500);
    offset.doubt();
    await ask(clock, offset, 9_000, 100, 100);
    expect(offset.offsetMs).toBe(9_000);
  });

  it.each([
    ['no number', Number.NaN],
    ['no whole number', 1.5],
    ['before 1970', -1],
    ['zero', 0],
  ])('is not learned from what cannot be true: %s', (_, time) => {
    const clock = new VirtualClock();
    const offset = new ClockOffset(clock);
    expect(offset.measured({ sentAt: 0, heardAt: 1, time })).toBe(false);
    expect([offset.offsetMs, offset.isDue, offset.stamp()]).toEqual([null, true, clock.wall()]);
    expect(offset.measured({ sentAt: 2, heardAt: 1, time: 5 })).toBe(false);
  });

  it('is judged at its bounds: up to a second is fine, up to the window is a warning', async () => {
    for (const [ahead, judged] of [
      [OFF_MS, 'fine'],
      [-OFF_MS - 1, 'off'],
      [5_000, 'off'],
      [5_001, 'stop'],
    ] as const) {
      const clock = new VirtualClock();
      const offset = new ClockOffset(clock);
      expect(offset.judge(5_000)).toBe('unknown');
      await ask(clock, offset, ahead, 10, 10);
      expect(offset.judge(5_000), String(ahead)).toBe(judged);
    }
  });
});
