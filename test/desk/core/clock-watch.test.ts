/** What counts as a jump of the wall clock (D22, S57). */
import { describe, expect, it } from 'vitest';
import { ClockWatch } from '../../../src/desk/core/clock-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function watched() {
  const clock = new VirtualClock();
  const jumps: number[] = [];
  const watch = new ClockWatch(clock, ({ byMs }) => jumps.push(byMs));
  watch.start();
  return { clock, jumps, watch };
}

describe('the watch over the wall clock', () => {
  it('tells each jump of more than a second once, forward and back', async () => {
    const { clock, jumps } = watched();
    clock.jump(1_001);
    await clock.advance(60_000);
    clock.jump(-1_001);
    await clock.advance(60_000);
    expect(jumps).toEqual([1_001, -1_001]);
  });

  it('tells nothing of a second, nor of a clock that is led back little by little', async () => {
    const { clock, jumps } = watched();
    for (let n = 0; n < 100; n++) {
      clock.jump(n === 0 ? 1_000 : 50);
      await clock.advance(2_000);
    }
    expect(jumps).toEqual([]);
  });

  it('tells it to who looks before its own turn comes, and not again then', async () => {
    const { clock, jumps, watch } = watched();
    clock.jump(60_000);
    watch.look();
    expect(jumps).toEqual([60_000]);
    await clock.advance(10_000);
    expect(jumps).toEqual([60_000]);
  });

  it('ends with the desk', async () => {
    const { clock, watch } = watched();
    watch.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
