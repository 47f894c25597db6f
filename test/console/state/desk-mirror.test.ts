/**
 * When the mirror shows the desk's messages: at most once a tick; for a person with a screen reader at long
 * intervals, but at once after a key.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeskMirror, type DeskMirror } from '../../../src/console/state/desk-mirror.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { NOON } from '../support/some-market.ts';

const TICK = 100;
const STILL = 5_000;

let mirror: DeskMirror;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  mirror.close();
  vi.useRealTimers();
});

async function opened(stillMs?: number) {
  const desk = new FakeDesk();
  mirror = createDeskMirror(desk, {
    now: () => NOON,
    flush: () => Promise.resolve(),
    tickMs: TICK,
    ...(stillMs === undefined ? {} : { stillMs }),
  });
  await vi.advanceTimersByTimeAsync(TICK);
  let said = 0;
  /** The desk sends one more change; returns whether it is shown after this many ms. */
  const say = async (ms: number) => {
    said += 1;
    desk.push({ equity: { ...desk.state.equity, usd: String(said) } });
    await vi.advanceTimersByTimeAsync(ms);
    return mirror.store.getState().state?.equity.usd === String(said);
  };
  const shown = () => mirror.store.getState().state?.equity.usd;
  return { desk, say, shown };
}

describe('a terminal that is looked at', () => {
  it('shows each word within a tick, and acknowledges it', async () => {
    const { desk, say } = await opened();
    for (let n = 0; n < 5; n++) expect(await say(TICK)).toBe(true);
    expect(desk.acks).toBe(6);
  });
});

it('the clock of the desk is its last word and the time since', async () => {
  const desk = new FakeDesk();
  let now = NOON;
  mirror = createDeskMirror(desk, { now: () => now, flush: () => Promise.resolve(), tickMs: TICK });
  const { clock } = desk.state;
  const isAhead = () => mirror.wall() - now;
  expect(isAhead()).toBe(clock.wall - NOON);
  for (const ahead of [5_000, -3_000]) {
    now += 60_000;
    desk.push({ clock: { ...clock, wall: now + ahead } });
    expect(isAhead()).toBe(ahead);
    now += 7_000;
    // A message without the time leaves the clock unchanged.
    desk.push({ equity: desk.state.equity });
    expect(isAhead()).toBe(ahead);
  }
});

describe('a terminal that is read aloud', () => {
  it('stands still for its while, however much is said; then it shows the newest, once', async () => {
    const { desk, say, shown } = await opened(STILL);
    let copies = 0;
    mirror.store.subscribe(() => copies++);
    for (let n = 0; n < 9; n++) expect(await say(TICK)).toBe(false);
    await vi.advanceTimersByTimeAsync(STILL - 10 * TICK - 1);
    expect(copies).toBe(0);
    await vi.advanceTimersByTimeAsync(TICK + 1);
    expect([copies, shown()]).toEqual([1, '9']);
    // The desk gets its acknowledgement without delay.
    expect(desk.acks).toBe(10);
  });

  it('shows the newest at once when a key is pressed, and what the key brings about for two seconds', async () => {
    const { say, shown } = await opened(STILL);
    await say(TICK);
    mirror.wake();
    expect(shown()).toBe('1');
    for (let ms = TICK; ms < 2_000; ms += 2 * TICK) expect(await say(2 * TICK)).toBe(true);
    await vi.advanceTimersByTimeAsync(TICK);
    expect(await say(2 * TICK)).toBe(false);
    await vi.advanceTimersByTimeAsync(STILL);
    expect(shown()).not.toBe('1');
  });

  it('shows nothing any more once it is closed', async () => {
    const { say, shown } = await opened(STILL);
    const before = shown();
    await say(TICK);
    mirror.close();
    mirror.wake();
    await vi.advanceTimersByTimeAsync(10 * STILL);
    expect(shown()).toBe(before);
  });
});
