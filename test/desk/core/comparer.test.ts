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
