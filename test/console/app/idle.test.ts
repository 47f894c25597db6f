/**
 * The terminal is written to only when the shown content has changed, and no faster than it can accept
 * output.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeskMirror } from '../../../src/console/state/desk-mirror.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { someOrders } from '../support/some-orders.ts';

const open = rigPerTest();
afterEach(() => {
  vi.useRealTimers();
});

/** No order is unresolved, so nothing counts down. */
function calm(): FakeDesk {
  const orders = Object.fromEntries(Object.entries(someOrders()).filter(([, order]) => !order.unresolved));
  const base = deskState({ orders });
  return new FakeDesk({ ...base, clock: { ...base.clock, held: true } });
}

describe('an idle console', () => {
  it.each(['1', '2', '6', '9'])(
    'writes nothing in ten minutes with the feed held (screen %s)',
    async (key) => {
      vi.useFakeTimers({
        shouldAdvanceTime: true,
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
      });
      const rig = await open(calm());
      await rig.press(key);
      await rig.settle();
      const before = rig.stdout.chunks.length;
      await vi.advanceTimersByTimeAsync(600_000);
      await rig.settle();
      expect(rig.stdout.chunks.length - before).toBe(0);
    },
  );

  it('writes nothing for messages that change nothing on the screen', async () => {
    const desk = calm();
    const rig = await open(desk);
    await rig.press('9');
    const frames = () => rig.stdout.chunks.filter((text) => text !== '\x1b[5n').length;
    const before = frames();
    const acks = desk.acks;
    for (let at = 1; at <= 3; at++) {
      desk.push({ clock: { ...desk.state.clock, wall: NOON + at }, prices: { ...desk.state.prices } });
      const want = acks + at;
      await rig.until(() => desk.acks === want);
    }
    expect(frames()).toBe(before);
  });

  it('one changed price is a small write', async () => {
    const desk = calm();
    const rig = await open(desk, { columns: 200, rows: 50 });
    const before = rig.stdout.chunks.length;
    const price = desk.state.prices['paper BTCUSDT'];
    if (!price) throw new Error('no price');
    desk.push({ prices: { 'paper BTCUSDT': { ...price, last: '61300.00' } } });
    await rig.shows('61,300.00');
    expect(rig.stdout.chunks.slice(before).join('').length).toBeLessThan(1_500);
  });
});

describe('the mirror', () => {
  it('copies at most once a tick, the newest state, and acknowledges after the frame', async () => {
    const desk = new FakeDesk();
    const frames: (() => void)[] = [];
    const mirror = createDeskMirror(desk, {
      now: () => NOON,
      flush: () => new Promise((resolve) => frames.push(() => resolve())),
      tickMs: 20,
    });
    let copies = 0;
    mirror.store.subscribe(() => copies++);
    for (let at = 0; at < 50; at++) desk.push({ equity: { ...desk.state.equity, usd: String(at) } });
    while (copies === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(copies).toBe(1);
    expect(mirror.store.getState().state?.equity.usd).toBe('49');
    expect(desk.acks).toBe(0);
    frames[0]?.();
    while (desk.acks === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(desk.acks).toBe(51);
    mirror.close();
  });

  it('knows the desk’s wall clock from its last word', () => {
    const state = deskState();
    const desk = new FakeDesk({ ...state, clock: { ...state.clock, wall: NOON + 5_000 } });
    let now = NOON;
    const mirror = createDeskMirror(desk, { now: () => now, flush: () => Promise.resolve(), tickMs: 100 });
    now += 1_000;
    expect(mirror.wall()).toBe(NOON + 6_000);
    // The desk's clock was set meanwhile.
    desk.push({ clock: { ...state.clock, wall: NOON + 65_000 } });
    now += 1_000;
    expect(mirror.wall()).toBe(NOON + 66_000);
    mirror.close();
  });
});
