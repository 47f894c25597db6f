import { describe, expect, it } from 'vitest';
import { VIRTUAL_START, VirtualClock } from '../support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = new VirtualClock();
    await clock.settle();
    expect(clock.wall()).toBe(VIRTUAL_START);
    await clock.advance(1_500);
    expect(clock.wall()).toBe(VIRTUAL_START + 1_500);
  });

  it('runs timers by due time, equal ones as they were set, each at its own moment', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.wall()}`);
    clock.after(30, note('c'));
    clock.after(10, () => {
      note('a')();
      clock.after(5, note('nested'));
    });
    clock.after(30, note('d'));
    clock.after(20, note('never')).cancel();
    await clock.advance(29);
    expect(seen).toEqual(['a@10', 'nested@15']);
    await clock.advance(1);
    expect(seen).toEqual(['a@10', 'nested@15', 'c@30', 'd@30']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the turn after the microtasks of all timers of one moment', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.after(1, () => {
      clock.endOfTurn(() => seen.push('turn ends'));
      void Promise.resolve().then(() => seen.push('microtask'));
    });
    clock.after(1, () => seen.push('second timer'));
    await clock.advance(1);
    expect(seen).toEqual(['microtask', 'second timer', 'turn ends']);
  });

  it('holds back callbacks set at the end of a turn for the next turn', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.endOfTurn(() => {
      seen.push(1);
      clock.endOfTurn(() => seen.push(2));
    });
    expect(await clock.turn()).toBe(true);
    expect(seen).toEqual([1]);
    await clock.settle();
    expect(seen).toEqual([1, 2]);
  });

  it('ends turns by itself with autoTurns', async () => {
    const clock = new VirtualClock(0, { autoTurns: true });
    await new Promise<void>((resolve) => clock.endOfTurn(() => clock.endOfTurn(resolve)));
    let nested = false;
    clock.endOfTurn(() => clock.endOfTurn(() => (nested = true)));
    await clock.settle();
    expect(nested).toBe(true);
  });

  it('moves the wall alone when it jumps', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    clock.after(10, () => seen.push(clock.wall()));
    clock.jump(1_000);
    await clock.advance(9);
    expect([seen, clock.untilNextTimer]).toEqual([[], 1]);
    await clock.advance(1);
    clock.jump(-500);
    expect([seen, clock.wall()]).toEqual([[1_010], 510]);
  });
});
