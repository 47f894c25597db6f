/**
 * The single timer of the engine's next wake: never later than the earliest request, and never two at once.
 */
import { expect, it } from 'vitest';
import { WakeTimer } from '../../../src/desk/core/wake-timer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function armed() {
  const clock = new VirtualClock();
  const from = clock.monotonic();
  const wakes: number[] = [];
  const timer = new WakeTimer(clock, () => wakes.push(clock.monotonic() - from));
  return { clock, wakes, timer, arm: (at: number) => timer.arm(from + at) };
}

it('an earlier wake moves it, a later or an equal one does not', async () => {
  const { clock, wakes, arm } = armed();
  arm(5_000);
  arm(9_000);
  arm(3_000);
  arm(3_000);
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(20_000);
  expect(wakes).toEqual([3_000]);
});

it('is armed again after each wake, also for what is due already', async () => {
  const { clock, wakes, arm } = armed();
  arm(1_000);
  await clock.advance(1_000);
  arm(500);
  await clock.advance(1);
  arm(4_000);
  await clock.advance(10_000);
  expect(wakes).toEqual([1_000, 1_000, 4_000]);
});

it('ends with the desk', async () => {
  const { clock, wakes, arm, timer } = armed();
  arm(1_000);
  timer.stop();
  arm(500);
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(5_000);
  expect(wakes).toEqual([]);
});
