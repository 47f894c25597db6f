/** The line to an exchange: when the account is compared with it, and what waits meanwhile (engine.md, "Reconciliation"). */
import { describe, expect, it } from 'vitest';
import { LinkRig } from './link-rig.ts';

const MINUTE_MS = 60_000;

describe('a comparison with the exchange', () => {
  it('that failed is repeated after 1, 2, 5, 10, 30 and 60 s, until it is whole', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    const at: number[] = [];
    const from = rig.clock.monotonic();
    const openOrders = rig.venue.openOrders.bind(rig.venue);
    rig.venue.openOrders = () => {
      at.push(rig.clock.monotonic() - from);
      return openOrders();
    };
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(40_000);
    rig.venue.openOrdersAre = async () => [];
    await rig.clock.advance(14 * MINUTE_MS);
    expect(at).toEqual([0, 1_000, 3_000, 8_000, 18_000, 48_000]);
    expect(rig.link.reconciled?.whole).toBe(true);
  });

  it('that fails on is tried every 15 minutes in the end, and the back-off begins anew with the next trouble', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(5 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(7);
    await rig.clock.advance(60 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(4);
    rig.venue.openOrdersAre = async () => [];
    await rig.clock.advance(15 * MINUTE_MS);
    rig.venue.asked('openOrders');
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(1_000);
    expect(rig.venue.asked('openOrders')).toBe(2);
  });

  it('is not tried over and over while the connection is down, and comes at once when it is back', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.sink?.stream('down');
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.venue.asked('openOrders')).toBe(1);
    rig.venue.sink?.stream('up');
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
  });

  it('that takes longer than the 15 minutes until the next ends, and the start with it', async () => {
    const rig = new LinkRig('futures', 600);
    rig.venue.fillsAre = () => new Promise((resolve) => rig.clock.after(2_000, () => resolve([])));
    await rig.until(rig.core.start(), { stepMs: 2_000 });
    expect(rig.venue.asked('openOrders')).toBe(1);
  });

  it('never runs twice at once, and one that is asked for meanwhile begins when it is over', async () => {
    const rig = await LinkRig.started();
    let answer: (open: readonly []) => void = () => {};
    rig.venue.openOrdersAre = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.sink?.stream('gap');
    const asked = rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
    answer([]);
    await rig.clock.settle();
    expect(rig.venue.asked('openOrders')).toBe(1);
    // What happened after the first had begun is not covered by it.
    expect(rig.link.hasGap).toBe(true);
    answer([]);
    await rig.until(asked);
    expect(rig.link.hasGap).toBe(false);
  });

  it('is ended by the end of the desk: nothing more is asked, and nobody waits for the answers', async () => {
    const rig = await LinkRig.started('futures', 300);
    rig.venue.fillsAre = rig.unanswered;
    const asked = rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.venue.asked('fills')).toBe(1);
    await rig.core.stop();
    await rig.until(asked, { limitMs: 0 });
    expect(rig.core.turn.quiet()).toBeUndefined();
    await rig.clock.advance(60 * MINUTE_MS);
    expect(rig.venue.calls).toEqual([]);
  });
});

describe('an entry after a gap', () => {
  // proves: S61
  it('waits for the comparison and is sent when that is whole', async () => {
    const rig = await LinkRig.started();
    let answer: (open: readonly []) => void = () => {};
    rig.venue.openOrdersAre = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    const placed = rig.place();
    await rig.clock.advance(1_900);
    expect(rig.venue.calls).toEqual(['balances', 'openOrders']);
    expect(rig.orders).toEqual([]);
    answer([]);
    expect((await rig.until(placed)).status).toBe(200);
    expect(rig.venue.asked('submit')).toBe(1);
  });

  // proves: S61
  it('waits 2 s and no longer: then it is answered 503 with the time to wait, and nothing is stored', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const from = rig.clock.monotonic();
    const answer = await rig.until(rig.place());
    expect(rig.clock.monotonic() - from).toBe(2_000);
    expect(answer).toMatchObject({ status: 503, outcome: { error: { retryAfterS: expect.any(Number) } } });
    expect(rig.orders).toEqual([]);
    expect(rig.venue.asked('submit')).toBe(0);
  });

  it('waits between two comparisons, too, when the first one failed', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = async () => null;
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    rig.venue.openOrdersAre = async () => [];
    const placed = rig.place();
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(0);
    expect((await rig.until(placed)).status).toBe(200);
  });

  it('is answered at once while the connection is down, even when it breaks while the entry waits', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const placed = rig.place();
    await rig.clock.settle();
    rig.venue.sink?.stream('down');
    expect((await rig.until(placed, { limitMs: 0 })).status).toBe(503);
    expect((await rig.until(rig.place(), { limitMs: 0 })).status).toBe(503);
  });

  it('is what waits: a close goes out at once', async () => {
    const rig = await LinkRig.started('futures');
    const { id } = rig.venue.account;
    const position = { symbol: 'BTCUSDT', side: 'BOTH', amount: '1', markPrice: '60000' } as never;
    rig.core.turn.step({ type: 'venue.positions', exchange: id, changed: [position] });
    rig.venue.balancesAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const close = { type: 'MARKET', side: 'SELL', price: undefined } as const;
    void rig.place({ ...close, quantity: '0.6' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
    // With what closes already it would be more than there is: that opens the other side.
    void rig.place({ ...close, quantity: '0.5' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(0);
    void rig.place({ ...close, quantity: '0.4' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
  });
});

// proves: S57, D22
describe('a wall clock that is set', () => {
  const told = (rig: LinkRig) => rig.core.log.filter(({ text }) => /wall clock/.test(text));

  it('forward, as by a sleep, is a gap: it is told once, the account is compared, and entries wait', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    rig.clock.jump(3 * 3_600_000);
    const placed = rig.place();
    await rig.clock.settle();
    expect(rig.venue.calls).toEqual(['balances', 'openOrders']);
    expect((await rig.until(placed)).status).toBe(503);
    await rig.clock.advance(60_000);
    expect(told(rig)).toHaveLength(1);
    expect(told(rig)[0]).toMatchObject({ level: 'warn', text: expect.stringContaining('10800.0 s') });
    expect(rig.core.clockJump).toMatchObject({ byMs: 3 * 3_600_000 });
  });

  it('forward is noticed without a request, too; end dates come first', async () => {
    const rig = await LinkRig.started();
    const goodTillDate = rig.clock.wall() + 60_000;
    await rig.until(rig.place({ timeInForce: 'GTD', goodTillDate }));
    rig.venue.calls = [];
    rig.clock.jump(3_600_000);
    await rig.clock.advance(2_000);
    expect(rig.venue.calls.slice(0, 2)).toEqual(['cancel', 'balances']);
  });

  it('back is told and compares nothing', async () => {
    const rig = await LinkRig.started();
    rig.clock.jump(-3_600_000);
    await rig.clock.advance(60_000);
    expect(told(rig)).toHaveLength(1);
    expect(rig.venue.calls).toEqual([]);
  });

  it('forward does not make "not found" final before the validity window is over', async () => {
    const rig = await LinkRig.started();
    rig.venue.submitted = async () => ({ kind: 'unknown', cause: 'socket hang up' });
    void rig.place();
    await rig.clock.settle();
    rig.clock.jump(20_000);
    await rig.clock.advance(5_900);
    expect(rig.orders[0]?.status).toBe('NEW');
    await rig.clock.advance(1_000);
    expect(rig.orders[0]?.status).toBe('ERROR');
  });
});
