/**
 * The known use of an exchange's limit: at the boundaries of its window, by its headers, after a breach,
 * after a start.
 */
import { describe, expect, it } from 'vitest';
import { LANES, type Lane } from '../../../src/domain/lane.ts';
import { Addresses, type LaneClient } from '../../../src/venues/kit/addresses.ts';
import { BAN_MS, Budget, type BudgetRow } from '../../../src/venues/kit/budget.ts';
import { Lanes } from '../../../src/venues/kit/lanes.ts';
import { Window } from '../../../src/venues/kit/window.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ORDERS, orders, WEIGHT, weight } from './some-rows.ts';

const RULE = { windowMs: 10_000, limit: 50, resets: 'sliding' } as const;
const UNKNOWN = () => null;

describe('a window', () => {
  it('has what was sent until it is over for sure, and what is on its way', () => {
    const window = new Window(RULE, UNKNOWN);
    window.leaves(20, 0);
    expect(window.used(60_000)).toBe(20);
    window.ended(20, 60_000);
    expect([70_000, 70_001].map((at) => window.used(at))).toEqual([20, 0]);
  });

  it('begins anew with the clock of the exchange, as far as that is known', () => {
    const window = new Window({ ...RULE, resets: 'clock' }, () => ({ offsetMs: 0, slackMs: 100 }));
    window.leaves(50, 5_000);
    window.ended(50, 5_000);
    expect(window.freeAt(1, 5_000)).toBe(10_100);
    expect([10_000, 10_099, 10_100].map((at) => window.used(at))).toEqual([50, 50, 0]);
  });

  it('counts what ended about the time at which it began anew in both', () => {
    const window = new Window({ ...RULE, resets: 'clock' }, () => ({ offsetMs: 0, slackMs: 500 }));
    window.leaves(50, 9_600);
    window.ended(50, 9_600);
    expect([10_500, 20_499, 20_500].map((at) => window.used(at))).toEqual([50, 50, 0]);
  });

  it('learns of others by what the exchange counts beyond what is its own', () => {
    const window = new Window(RULE, UNKNOWN);
    window.leaves(1, 0);
    window.leaves(1, 0);
    window.ended(1, 5);
    window.told(32, 0, 5);
    // Requests on their way may already be among the reported ones.
    expect(window.used(5)).toBe(32);
    window.ended(1, 6);
    window.told(12, 0, 6);
    expect(window.used(6)).toBe(32);
    expect([10_005, 10_400].map((at) => window.used(at))).toEqual([32, 0]);
  });

  it('forgets with their window how much others have used: in the next they may use less', () => {
    const window = new Window(RULE, UNKNOWN);
    const told = (count: number, at: number) => {
      window.leaves(1, at);
      window.ended(1, at);
      window.told(count, at, at);
      return window.used(at);
    };
    expect(told(32, 0)).toBe(32);
    expect(told(12, 20_000)).toBe(12);
    expect(told(14, 20_100)).toBe(14);
  });

  it('takes back what the exchange gives back, where nothing else was on its way', () => {
    const window = new Window(RULE, UNKNOWN);
    for (let at = 0; at < 30; at++) {
      window.leaves(1, at);
      window.ended(1, at);
    }
    window.leaves(1, 40);
    window.leaves(1, 41);
    window.ended(1, 45);
    window.told(7, 40, 45);
    expect(window.used(45)).toBe(32);
    window.ended(1, 46);
    window.leaves(1, 50);
    window.ended(1, 55);
    window.told(7, 50, 55);
    expect(window.used(55)).toBe(7);
  });

  it('believes no answer to a request of a window before', () => {
    const window = new Window({ ...RULE, resets: 'clock' }, () => ({ offsetMs: 0, slackMs: 100 }));
    window.leaves(1, 9_000);
    window.ended(1, 10_500);
    window.told(50, 9_000, 10_500);
    expect(window.used(10_500)).toBe(1);
  });

  it('keeps what it was told near the end of a window of the exchange as long as that may last, and no longer', () => {
    const rule = { ...RULE, resets: 'clock' as const };
    const window = new Window(rule, () => ({ offsetMs: 0, slackMs: 500 }));
    const end = 3 * RULE.windowMs;
    // The report arrives near the window's end: it may still belong to the present window.
    window.told(9, end - 300, end - 200);
    expect([window.used(end - 200), window.used(end + 400)]).toEqual([9, 9]);
    expect(window.used(end + 600)).toBe(0);
    // Here the window is certainly over.
    window.told(9, end - 300, end + 600);
    expect(window.used(end + 600)).toBe(0);
  });

  it('is full after a start until it was told or is over', () => {
    const window = new Window(RULE, UNKNOWN, 10_000);
    expect([0, 10_000, 10_001].map((at) => window.used(at))).toEqual([50, 50, 0]);
    expect(window.nextChange(10_000)).toBe(10_001);
    const told = new Window(RULE, UNKNOWN, 10_000);
    told.told(3, 0, 0);
    expect(told.used(1)).toBe(3);
    // What was counted in a window before says nothing of this one.
    const clocked = new Window({ ...RULE, resets: 'clock' }, () => ({ offsetMs: 0, slackMs: 100 }), 20_000);
    clocked.told(3, 9_000, 10_500);
    expect(clocked.used(10_600)).toBe(50);
    // Nor does a count near the end of a window, where it may be of the next one by now.
    const ending = new Window({ ...RULE, resets: 'clock' }, () => ({ offsetMs: 0, slackMs: 100 }), 20_000);
    ending.told(3, 19_940, 19_950);
    expect(ending.used(19_950)).toBe(50);
    clocked.told(3, 10_700, 10_800);
    expect(clocked.used(10_800)).toBe(3);
  });

  it('stays small, however much goes through it', () => {
    const window = new Window({ ...RULE, limit: 100_000 }, UNKNOWN);
    for (let at = 0; at < 50_000; at++) {
      window.leaves(1, at);
      window.ended(1, at);
    }
    expect(window.used(49_999)).toBe(10_199);
    expect(window.size).toBeLessThan(60);
  });
});

interface Tried {
  left: number | null;
}

function rig() {
  const clock = new VirtualClock();
  const lanes = new Lanes(new Budget(clock.monotonic()), clock);
  const start = clock.monotonic();
  const send = (lane: Parameters<Lanes['waitMs']>[0]['lane'], costs = [orders()]): Tried => {
    const tried: Tried = { left: null };
    const run = async (leftAt: number) => {
      tried.left = leftAt - start;
    };
    void lanes.send({ lane, costs, notAfter: Infinity, run });
    return tried;
  };
  const breach = (row: BudgetRow, afterMs: number | null) =>
    lanes.budget.breach(row, row.scope === 'address' ? '' : '7', afterMs, clock.monotonic());
  return { clock, lanes, send, breach, start };
}

describe('a breach', () => {
  it('of an address stops every request for the time that it names, and the first in its lane leaves first', async () => {
    const { clock, send, breach } = rig();
    breach(WEIGHT, 120_000);
    breach(WEIGHT, 1_000);
    const [read, entry, cancel, stop] = [
      send('read', [weight(1)]),
      send('entry'),
      send('cancel', []),
      send('protective'),
    ];
    await clock.advance(119_999);
    expect([read, entry, cancel, stop].map(({ left }) => left)).toEqual([null, null, null, null]);
    await clock.advance(1);
    expect([read, entry, cancel, stop].map(({ left }) => left)).toEqual(Array(4).fill(120_000));
  });

  it('of an address that names no time stops it for ten minutes', async () => {
    const { clock, lanes, send, breach } = rig();
    breach(WEIGHT, null);
    const cancel = send('cancel', []);
    expect(lanes.waitMs({ lane: 'cancel', costs: [] })).toBe(BAN_MS);
    expect(lanes.budget.view(clock.monotonic())).toEqual([]);
    await clock.advance(BAN_MS);
    expect(cancel.left).toBe(BAN_MS);
  });

  it('of orders stops new orders of its scope only', async () => {
    const { clock, send, breach } = rig();
    breach(ORDERS, null);
    const other = send('entry', [orders(1, ORDERS, '8')]);
    const [entry, stop] = [send('entry'), send('protective')];
    const [cancel, read] = [send('cancel', [orders()]), send('read', [weight(1)])];
    expect([other, cancel, read].map(({ left }) => left)).toEqual([0, 0, 0]);
    await clock.advance(1_999);
    expect([entry.left, stop.left]).toEqual([null, null]);
    await clock.advance(1);
    expect([entry.left, stop.left]).toEqual([2_000, 2_000]);
  });

  it('of orders stops every lane but that of cancels, and who asks is told for how long', () => {
    for (const lane of LANES) {
      const { lanes, send, breach } = rig();
      breach(ORDERS, 700);
      const isCancel = lane === 'cancel';
      expect([lane, lanes.waitMs({ lane, costs: [orders()] })]).toEqual([lane, isCancel ? 0 : 700]);
      expect([lane, send(lane).left]).toEqual([lane, isCancel ? 0 : null]);
    }
  });

  it('of orders is not shortened by a later one, nor forgotten however many other instruments are traded', async () => {
    const { clock, send, breach } = rig();
    breach(ORDERS, 60_000);
    breach(ORDERS, 1_000);
    const others = Array.from({ length: 250 }, (_, n) => send('entry', [orders(1, ORDERS, `other ${n}`)]));
    expect(others.filter(({ left }) => left !== 0)).toEqual([]);
    const entry = send('entry');
    await clock.advance(59_999);
    expect(entry.left).toBeNull();
    await clock.advance(1);
    expect(entry.left).toBe(60_000);
  });
});

describe('what an exchange tells', () => {
  it('of others is left to them, from the answer on', async () => {
    const { clock, lanes, send } = rig();
    send('read', [weight(1)]);
    const now = clock.monotonic();
    lanes.budget.reportUsed(ORDERS, '7', 3, now, now);
    const entries = [send('entry'), send('entry'), send('entry')];
    expect(entries.map(({ left }) => left)).toEqual([0, 0, null]);
    await clock.advance(2_001);
    expect(entries[2]?.left).toBe(2_001);
  });

  it('of what it allows counts at once, also where nothing is known yet of what is used', () => {
    const row = { ...ORDERS, atStart: 'full' as const };
    for (const isKnownBefore of [true, false]) {
      const { clock, lanes, send } = rig();
      const now = clock.monotonic();
      if (isKnownBefore) expect(lanes.budget.window(orders(1, row), now).used(now)).toBe(5);
      lanes.budget.limitIs(row, 9);
      expect(lanes.budget.window(orders(1, row), now).used(now)).toBe(9);
      expect(send('protective', [orders(1, row)]).left).toBeNull();
      expect(lanes.budget.limitOf(row)).toBe(9);
      // What cannot be a limit is none.
      for (const odd of [0, -1, 2.5, Number.NaN]) lanes.budget.limitIs(row, odd);
      expect(lanes.budget.limitOf(row)).toBe(9);
    }
  });

  it('is waited for after a start, for a window at most', async () => {
    for (const isTold of [false, true]) {
      const { clock, lanes, send } = rig();
      const row = { ...ORDERS, atStart: 'full' as const };
      const entry = send('entry', [orders(1, row)]);
      await clock.advance(500);
      const now = clock.monotonic();
      if (isTold) lanes.budget.reportUsed(row, '7', 4, now, now);
      // Requests are released when a response comes.
      send('read', [weight(1)]);
      await clock.advance(0);
      expect(entry.left).toBe(isTold ? 500 : null);
      await clock.advance(1_501);
      expect(entry.left).toBe(isTold ? 500 : 2_001);
    }
  });
});

describe('lanes', () => {
  it('keep what is spare for what closes, and tell how long an entry would wait', async () => {
    const { clock, lanes, send } = rig();
    const row = { ...ORDERS, spare: 2 };
    const entries = Array.from({ length: 5 }, () => send('entry', [orders(1, row)]));
    const exits = Array.from({ length: 3 }, () => send('exit', [orders(1, row)]));
    expect(entries.map(({ left }) => left)).toEqual([0, 0, 0, null, null]);
    expect(exits.map(({ left }) => left)).toEqual([0, 0, null]);
    const wait = lanes.waitMs({ lane: 'entry', costs: [orders(1, row)] });
    expect(wait).toBeGreaterThan(2_000);
    expect(wait).toBeLessThan(4_100);
    await clock.advance(10_000);
    expect(entries.concat(exits).filter(({ left }) => left === null)).toEqual([]);
    expect(lanes.waitMs({ lane: 'entry', costs: [orders(1, row)] })).toBe(0);
  });

  it('let entries have half of what the exchange itself allows, where that is less than what is kept spare', () => {
    const { lanes, send } = rig();
    const row = { ...ORDERS, spare: 4 };
    lanes.budget.limitIs(row, 3);
    const sent = (['entry', 'entry', 'exit', 'exit', 'exit'] as const).map((lane) =>
      send(lane, [orders(1, row)]),
    );
    expect(sent.map(({ left }) => left)).toEqual([0, null, 0, 0, null]);
  });

  it('refuse what can never be sent', () => {
    const { send } = rig();
    expect(() => send('read', [weight(41)])).toThrow('a request costs 41 of weight 6 s, which is never free');
  });

  it('are shared by all connections of an address, of which each is closed by itself', async () => {
    const clock = new VirtualClock();
    const addresses = new Addresses(clock);
    const [one, two, far] = ['https://a', 'https://a', 'https://b'].map((origin) => addresses.way(origin));
    const left: string[] = [];
    const send = (way: LaneClient | undefined, lane: Lane, name: string) =>
      void way?.send({
        lane,
        costs: [orders()],
        notAfter: Infinity,
        run: async () => {
          left.push(name);
        },
      });
    for (let n = 0; n < 7; n++) send(one, 'entry', `one ${n}`);
    send(two, 'entry', 'two');
    send(two, 'protective', 'stop of two');
    send(far, 'entry', 'far');
    expect(left).toEqual(['one 0', 'one 1', 'one 2', 'one 3', 'one 4', 'far']);
    one?.close();
    send(one, 'protective', 'late');
    await clock.advance(60_000);
    expect(left.slice(6)).toEqual(['stop of two', 'two']);
    expect(two?.waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('let go at once what waited behind a connection that is closed', async () => {
    const addresses = new Addresses(new VirtualClock());
    const [one, two] = ['https://a', 'https://a'].map((origin) => addresses.way(origin));
    const left: string[] = [];
    const send = (way: LaneClient | undefined, amount: number, name: string) =>
      void way?.send({
        lane: 'entry',
        costs: [orders(amount)],
        notAfter: Infinity,
        run: async () => void left.push(name),
      });
    send(one, 4, 'first');
    send(one, 3, 'large');
    send(two, 1, 'behind it');
    expect(left).toEqual(['first']);
    one?.close();
    expect(left).toEqual(['first', 'behind it']);
  });

  it('keep within any window after the machine has slept, and forget what they knew of its clock', () => {
    const { clock, lanes } = rig();
    const row = { ...ORDERS, resets: 'clock' as const };
    lanes.clockIs(clock.wall(), 0);
    const window = lanes.budget.window(orders(1, row), clock.monotonic());
    window.leaves(5, clock.monotonic());
    window.ended(5, clock.monotonic());
    expect(lanes.waitMs({ lane: 'entry', costs: [orders(1, row)] })).toBe(2_100);
    clock.jump(700);
    expect(lanes.waitMs({ lane: 'entry', costs: [orders(1, row)] })).toBe(2_001);
  });

  it('count what is never answered for a minute', async () => {
    const { clock, lanes } = rig();
    const never = () => new Promise<never>(() => {});
    for (let n = 0; n < 5; n++)
      void lanes.send({ lane: 'entry', costs: [orders()], notAfter: Infinity, run: never });
    await clock.advance(59_000);
    expect(lanes.budget.window(orders(), clock.monotonic()).used(clock.monotonic())).toBe(5);
    await clock.advance(4_000);
    expect(lanes.budget.window(orders(), clock.monotonic()).used(clock.monotonic())).toBe(0);
  });
});

describe('a ban that is stored', () => {
  const stored = (until: number) => {
    const clock = new VirtualClock();
    const began: number[] = [];
    let known = clock.wall() + until;
    const addresses = new Addresses(clock, {
      until: () => known,
      began: (_origin, end) => {
        known = end;
        began.push(end - clock.wall());
      },
    });
    const { budget } = addresses.way('https://a');
    return { clock, budget, began };
  };

  it('goes on after a start, for four days at most however the clock was set then', () => {
    for (const [until, left] of [
      [-1, 0],
      [60_000, 60_000],
      [3 * 86_400_000, 3 * 86_400_000],
      [400 * 86_400_000, 4 * 86_400_000],
    ] as const) {
      const { clock, budget } = stored(until);
      expect(budget.bannedMs(clock.monotonic())).toBe(left);
    }
  });

  it('is kept to for the three days that Binance bans for at most, and no figure for ever', () => {
    for (const [ms, left] of [
      [3 * 86_400_000, 3 * 86_400_000],
      [Number.MAX_SAFE_INTEGER, 4 * 86_400_000],
      [Number.NaN, BAN_MS],
      [-5, 1],
    ] as const) {
      const { clock, budget } = stored(-1);
      budget.ban(ms, clock.monotonic());
      expect(budget.bannedMs(clock.monotonic())).toBe(left);
    }
  });

  it('is stored again only where it is longer by a second', () => {
    const { clock, budget, began } = stored(60_000);
    const now = clock.monotonic();
    for (const ms of [60_500, 61_000, 61_001]) budget.ban(ms, now);
    expect(began).toEqual([61_001]);
    budget.ban(30_000, now);
    expect(budget.bannedMs(now)).toBe(61_001);
    expect(began).toHaveLength(1);
  });
});
