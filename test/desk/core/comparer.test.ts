/** When an account is compared: what is asked for while a comparison runs is neither forgotten nor done twice. */
import { expect, it } from 'vitest';
import { Comparer, RECONCILE_EVERY_MS } from '../../../src/desk/core/comparer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('one more that is needed while one runs comes a second after it, though that one was whole; then only the usual one', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  const comparer = new Comparer({
    clock,
    compare: () => {
      at.push(clock.monotonic() - from);
      return new Promise((resolve) => clock.after(500, () => resolve(true)));
    },
    isUp: () => true,
  });
  void comparer.now();
  await clock.advance(100);
  comparer.again();
  await clock.advance(60_000);
  expect(at).toEqual([0, 1_500]);
  await clock.advance(RECONCILE_EVERY_MS);
  expect(at).toEqual([0, 1_500, 2_000 + RECONCILE_EVERY_MS]);
  comparer.close();
});

it('who waits for one while the line is closed goes on, and none begins any more', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  let answer: (whole: boolean) => void = () => {};
  const comparer = new Comparer({
    clock,
    compare: () => {
      begun += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    isUp: () => true,
  });
  const ended: string[] = [];
  void comparer.now().then(() => ended.push('first'));
  void comparer.now().then(() => ended.push('second'));
  comparer.close();
  await clock.settle();
  expect(ended).toEqual(['second']);
  answer(false);
  await clock.settle();
  expect(ended).toEqual(['second', 'first']);
  await comparer.now();
  comparer.again();
  await clock.advance(2 * RECONCILE_EVERY_MS);
  expect(begun).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});

it('one that is asked for while the next one is due takes its place', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const comparer = new Comparer({
    clock,
    compare: async () => {
      begun += 1;
      return true;
    },
    isUp: () => true,
  });
  await comparer.now();
  for (let n = 0; n < 5; n++) {
    await clock.advance(RECONCILE_EVERY_MS - 1);
    await comparer.now();
    expect(begun).toBe(n + 2);
  }
  expect(clock.pendingTimers).toBe(1);
  // One that is needed once more comes in its place, too.
  comparer.again();
  comparer.again();
  expect(clock.pendingTimers).toBe(1);
  comparer.close();
});
