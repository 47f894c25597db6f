/**
 * The countdowns of an account's dead-man switch, request by request and second by second: several symbols at
 * once, a length that changes, answers that fail or hang, and another line.
 */
import { describe, expect, it } from 'vitest';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { EACH, hang, lines, REFUSED, switched, viewOf, WHOLE } from './dead-man-support.ts';
import { LinkRig } from './link-rig.ts';

describe('countdowns of several symbols', () => {
  it('begin each with its first entry, are renewed together, and end each by itself', async () => {
    const { rig, asked, set, enter, view } = await switched();
    await set(20);
    const end = await enter();
    await rig.clock.advance(2_000);
    await enter('S1USDT');
    await enter('S1USDT');
    expect(asked()).toEqual(['0 BTCUSDT 20', '2 S1USDT 20']);
    await rig.clock.advance(8_000);
    expect(asked()).toEqual(['5 BTCUSDT 20', '5 S1USDT 20', '10 BTCUSDT 20', '10 S1USDT 20']);
    expect(view()).toMatchObject({ symbols: ['BTCUSDT', 'S1USDT'], running: true });
    end();
    await rig.clock.advance(5_000);
    expect(asked()).toEqual(['15 S1USDT 20', '15 BTCUSDT 0']);
    expect(view()).toMatchObject({ symbols: ['S1USDT'], running: true });
    await rig.clock.advance(1_000);
    await enter();
    expect(asked()).toEqual(['16 BTCUSDT 20']);
    await rig.clock.advance(4_000);
    expect(asked()).toEqual(['20 S1USDT 20', '20 BTCUSDT 20']);
  });

  it('have another length at once, and are renewed four times within it from then on', async () => {
    const { rig, asked, set, enter } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    await rig.clock.advance(1_000);
    asked();
    await set(40);
    const ends = await enter('S2USDT');
    expect(asked()).toEqual(['1 BTCUSDT 40', '1 S1USDT 40', '1 S2USDT 40']);
    ends();
    await rig.clock.advance(20_000);
    expect(asked().filter((one) => !one.includes('S2USDT'))).toEqual([
      '11 BTCUSDT 40',
      '11 S1USDT 40',
      '21 BTCUSDT 40',
      '21 S1USDT 40',
    ]);
    await set(12);
    expect(asked()).toEqual(['21 BTCUSDT 12', '21 S1USDT 12']);
    await rig.clock.advance(3_000);
    expect(asked()).toEqual(['24 BTCUSDT 12', '24 S1USDT 12']);
  });

  it('are red as soon as one of them was not renewed twice in a row, until that one is', async () => {
    const { rig, line, set, enter, view } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    let refused: readonly string[] = ['BTCUSDT'];
    line.arm = async (symbol) => (refused.includes(symbol ?? '') ? REFUSED : { kind: 'done' });
    const next = async (...symbols: string[]) => {
      refused = symbols;
      await rig.clock.advance(5_000);
      return view().failing;
    };
    // One of each is not two of one, and one that was renewed meanwhile begins anew.
    expect(await next('BTCUSDT')).toBe(false);
    expect(await next('S1USDT')).toBe(false);
    expect(await next('BTCUSDT')).toBe(false);
    expect(await next()).toBe(false);
    expect(await next('S1USDT')).toBe(false);
    expect(await next('S1USDT', 'BTCUSDT')).toBe(true);
    expect(lines(rig).at(-1)).toMatch(
      /twice in a row \(not now\): the exchange ends open orders of S1USDT 20 s/,
    );
    expect(await next('S1USDT')).toBe(true);
    expect(await next('BTCUSDT')).toBe(false);
    expect(lines(rig).at(-1)).toBe('said-spot: its dead-man switch is renewed again');
  });

  it('of a whole account are one, whatever is entered; it is taken back with the last entry', async () => {
    const { rig, asked, set, enter, view } = await switched(WHOLE);
    await set(20);
    const ends = [await enter(), await enter('S1USDT')];
    expect(asked()).toEqual(['0 all 20']);
    expect(view()).toMatchObject({ form: 'account', symbols: [], running: true });
    ends[0]?.();
    await rig.clock.advance(5_000);
    expect(asked()).toEqual(['5 all 20']);
    ends[1]?.();
    await rig.clock.advance(60_000);
    expect(asked()).toEqual(['10 all 0']);
    expect(view().running).toBe(false);
  });
});

describe('an answer to a renewal', () => {
  it('that does not come within the quarter of a countdown has failed', async () => {
    const { rig, line, asked, set, enter, view } = await switched();
    await set(20);
    await enter();
    const answer = hang(line);
    await rig.clock.advance(14_999);
    expect(view().failing).toBe(false);
    await rig.clock.advance(1);
    expect(view().failing).toBe(true);
    expect(lines(rig).at(-1)).toContain('twice in a row (no answer)');
    expect(asked().slice(1)).toEqual(['5 BTCUSDT 20', '10 BTCUSDT 20', '15 BTCUSDT 20']);
    answer();
    await rig.clock.settle();
    expect(view().failing).toBe(false);
  });

  it('has ten seconds where the quarter is longer', async () => {
    const { rig, line, set, enter, view } = await switched();
    await set(120);
    await enter();
    hang(line);
    await rig.clock.advance(69_999);
    expect(view().failing).toBe(false);
    await rig.clock.advance(1);
    expect(view().failing).toBe(true);
  });

  it('that is an error of the adapter has failed, and says it', async () => {
    const { rig, line, set, enter, view } = await switched();
    await set(20);
    await enter();
    line.arm = () => {
      throw new Error('socket hang up\nat some place');
    };
    await rig.clock.advance(10_000);
    expect(view().failing).toBe(true);
    expect(lines(rig).at(-1)).toContain('twice in a row (socket hang up): the exchange ends');
  });
});

describe('taking a countdown back', () => {
  it('that is refused is tried with each renewal until the countdown is over by itself', async () => {
    const { rig, line, asked, set, enter, view } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    line.arm = async (symbol, seconds) =>
      symbol === 'BTCUSDT' && seconds === 0 ? REFUSED : { kind: 'done' };
    await rig.clock.advance(5_000);
    asked();
    await set(null);
    expect(asked()).toEqual(['5 BTCUSDT 0', '5 S1USDT 0']);
    await rig.clock.advance(20_000);
    // Renewed at 5 s for the last time: at 25 s it may still end orders.
    expect(asked()).toEqual(['10 BTCUSDT 0', '15 BTCUSDT 0', '20 BTCUSDT 0', '25 BTCUSDT 0']);
    expect(view()).toMatchObject({ symbols: ['BTCUSDT'], running: true });
    await rig.clock.advance(60_000);
    expect(asked()).toEqual(['30 BTCUSDT 0']);
    expect(view()).toMatchObject({ symbols: [], running: false });
  });

  it('does not happen when it is wanted again before the renewal on its way is answered', async () => {
    const { rig, line, asked, set, enter, view } = await switched();
    await set(20);
    await enter();
    const answer = hang(line);
    await rig.clock.advance(6_000);
    await set(null);
    await set(20);
    asked();
    answer();
    await rig.clock.advance(4_000);
    expect(asked()).toEqual(['10 BTCUSDT 20']);
    expect(view().running).toBe(true);
  });

  it('happens once for each time that its last entry is gone', async () => {
    const { rig, asked, set, enter, view } = await switched();
    for (const from of [0, 10]) {
      await set(20);
      const end = await enter();
      end();
      await rig.clock.advance(5_000);
      expect(asked()).toEqual([`${from} BTCUSDT 20`, `${from + 5} BTCUSDT 0`]);
      expect(view().running).toBe(false);
      await rig.clock.advance(5_000);
    }
    expect(asked()).toEqual([]);
  });

  it('of all, because the desk stops, is asked once for each, and nothing is renewed after it', async () => {
    const { rig, asked, set, enter } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    asked();
    await rig.until(rig.core.accounts.takeBack('the test ends it') ?? Promise.resolve());
    await enter('S2USDT');
    await rig.clock.advance(60_000);
    expect(asked()).toEqual(['0 BTCUSDT 0', '0 S1USDT 0']);
    expect(lines(rig)).toEqual([
      'said-spot: its dead-man switch is taken back: the test ends it; what is open stays open',
    ]);
    expect(rig.core.accounts.takeBack('again')).toBeNull();
  });

  it('of all, which is asked for twice at the same time, happens once', async () => {
    const { rig, line, asked, set, enter } = await switched();
    await set(20);
    await enter();
    asked();
    const answer = hang(line);
    const both = [rig.core.accounts.takeBack('the vault is locked'), rig.core.accounts.takeBack('it stops')];
    await rig.clock.settle();
    answer();
    await rig.until(Promise.all(both));
    await rig.clock.advance(60_000);
    expect(asked()).toEqual(['0 BTCUSDT 0']);
    expect(lines(rig)).toEqual([expect.stringContaining('is taken back: the vault is locked')]);
  });

  it('of all, one of which is refused, says that orders will be ended', async () => {
    const { rig, line, set, enter, view } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    line.arm = async (symbol) => (symbol === 'S1USDT' ? REFUSED : { kind: 'done' });
    await rig.until(rig.core.accounts.takeBack('the test ends it') ?? Promise.resolve());
    expect(view().symbols).toEqual(['S1USDT']);
    expect(lines(rig)).toEqual([
      'said-spot: its dead-man switch could not be taken back (the test ends it): the exchange will end open orders',
    ]);
  });

  it('of all goes out where one that was begun before is still on its way', async () => {
    const { rig, line, asked, set, enter } = await switched();
    await set(20);
    await enter();
    const answer = hang(line);
    await rig.clock.advance(5_000);
    await set(null);
    asked();
    const done = rig.core.accounts.takeBack('the test ends it');
    answer();
    await rig.until(done ?? Promise.resolve());
    expect(asked()[0]).toBe('5 BTCUSDT 0');
    expect(lines(rig).at(-1)).toContain('is taken back: the test ends it');
  });
});

it('a renewal may wait and leave as long as its answer may take, and each one from its own time on', async () => {
  const rig = new LinkRig('spot', 1, undefined, { deadMan: EACH, sendWithinMs: 700 });
  const from = rig.clock.monotonic();
  const sent: unknown[] = [];
  const arm = async (_: unknown, { lane, notAfter, waitUntil, leaves }: Dispatch) => {
    const { notAfter: later } = leaves();
    sent.push([lane, notAfter - from, waitUntil - from, later - from]);
    return { kind: 'done' };
  };
  Object.assign(rig.venue, { deadMan: { arm } });
  await rig.until(rig.core.start());
  const command = { type: 'guards', exchange: 'said-spot', change: { deadManSeconds: 20 } } as const;
  await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
  await rig.until(rig.place());
  await rig.clock.advance(5_000);
  expect(sent).toEqual([
    ['renewal', 700, 5_000, 700],
    ['renewal', 5_700, 10_000, 5_700],
  ]);
});

describe('another line of the account', () => {
  it('takes its countdowns over: each is renewed at once and by that line alone', async () => {
    const { rig, asked, set, enter } = await switched();
    await set(20);
    await enter();
    await enter('S1USDT');
    await rig.clock.advance(1_000);
    asked();
    await rig.until(rig.core.accounts.replace(rig.venue));
    await rig.clock.advance(5_000);
    expect(asked()).toEqual(['1 BTCUSDT 20', '1 S1USDT 20', '6 BTCUSDT 20', '6 S1USDT 20']);
  });

  it('is not touched by what was asked on the one before', async () => {
    const { rig, line, set, enter, view } = await switched();
    await set(20);
    await enter();
    const answer = hang(line);
    await rig.clock.advance(11_000);
    line.arm = async () => ({ kind: 'done' });
    await rig.until(rig.core.accounts.replace(rig.venue));
    answer(REFUSED);
    await rig.clock.advance(4_000);
    expect(view()).toMatchObject({ failing: false, running: true });
  });

  it('knows its own renewal as the last one, though that of the one before is answered after it', async () => {
    const { rig, line, set, enter } = await switched();
    const from = rig.clock.wall();
    const last = () => rig.core.engine.memory.account('said-spot').countdowns.get('BTCUSDT');
    await set(20);
    await enter();
    const answer = hang(line);
    await rig.clock.advance(6_000);
    expect(last()).toEqual({ at: from, seconds: 20 });
    line.arm = async () => ({ kind: 'done' });
    await rig.until(rig.core.accounts.replace(rig.venue));
    answer();
    await rig.clock.settle();
    expect(last()).toEqual({ at: from + 6_000, seconds: 20 });
  });
});

describe('a switch that the exchange alone has', () => {
  it('is asked about when the account is connected and once a day, and no more once the desk has ended', async () => {
    const rig = new LinkRig('spot', 1, undefined, { deadMan: { form: 'exchange', source: 'the test' } });
    const offers = [
      { on: true, seconds: 10 },
      { on: false, seconds: null },
      'odd',
      { on: true, seconds: -1 },
    ];
    let asked = 0;
    const offered = async () => offers[asked++] as never;
    Object.assign(rig.venue, { deadMan: { offered } });
    await rig.until(rig.core.start());
    expect(viewOf(rig)).toMatchObject({ form: 'exchange', seconds: null, offer: { on: true, seconds: 10 } });
    await rig.clock.advance(86_400_000);
    expect([asked, viewOf(rig)?.offer]).toEqual([2, { on: false, seconds: null }]);
    await rig.clock.advance(86_400_000);
    // What cannot be read is no answer: it is asked again soon.
    expect([asked, viewOf(rig)?.offer]).toEqual([3, { on: false, seconds: null }]);
    await rig.clock.advance(2_000);
    expect([asked, viewOf(rig)?.offer]).toEqual([4, { on: false, seconds: null }]);
    await rig.until(rig.core.stop());
    await rig.clock.advance(100_000_000);
    expect(asked).toBe(4);
  });
});
