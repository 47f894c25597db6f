/**
 * The countdowns of an account's dead-man switch, request by request and second by second: several symbols at
 * once, a length that changes, answers that fail or hang, another line, and a process that died.
 */
import { describe, expect, it } from 'vitest';
import type { DeadManCaps } from '../../../src/domain/dead-man.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig } from './link-rig.ts';

const BOUNDS = { leastSeconds: 10, mostSeconds: 120, source: 'the test' };
const EACH: DeadManCaps = { form: 'symbol', mostSymbols: 5, ...BOUNDS };
const WHOLE: DeadManCaps = { form: 'account', ...BOUNDS };
const REFUSED: SettingOutcome = { kind: 'rejected', code: '1', message: 'not now' };

interface Switched {
  readonly rig: LinkRig;
  /** The requests since the last call, each with the seconds since the start: `5 BTCUSDT 20`. */
  readonly asked: () => string[];
  /** Answers the requests; may be replaced. */
  readonly line: { arm: (symbol: string | null, seconds: number) => Promise<SettingOutcome> };
  readonly set: (seconds: number | null) => Promise<void>;
  /** Rests an entry of the symbol; returns what ends it at the exchange. */
  readonly enter: (symbol?: string) => Promise<() => void>;
  readonly view: () => NonNullable<ReturnType<typeof viewOf>>;
}

const viewOf = (rig: LinkRig) => rig.core.accounts.deadMen.get('said-spot')?.view;
const lines = (rig: LinkRig) => rig.core.log.map(({ text }) => text).filter((text) => /dead-man/.test(text));

/** A desk with a switch; `before`: the one whose process has died. */
async function switched(
  caps: DeadManCaps = EACH,
  before?: LinkRig,
  prepare: (rig: LinkRig) => void = () => {},
): Promise<Switched> {
  const clock = before ? new VirtualClock(before.clock.wall()) : undefined;
  const rig = new LinkRig('spot', 3, before?.store, { deadMan: caps }, undefined, clock ? { clock } : {});
  const from = rig.clock.monotonic();
  const asked: string[] = [];
  const line: Switched['line'] = { arm: async () => ({ kind: 'done' }) };
  const arm = ({ symbol, seconds }: { symbol: string | null; seconds: number }) => {
    asked.push(`${(rig.clock.monotonic() - from) / 1_000} ${symbol ?? 'all'} ${seconds}`);
    return line.arm(symbol, seconds);
  };
  Object.assign(rig.venue, { deadMan: { arm } });
  for (const symbol of ['S1USDT', 'S2USDT'])
    rig.core.turn.step({ type: 'price', market: 'said-spot', symbol, price: '60000' });
  prepare(rig);
  await rig.until(rig.core.start());
  return {
    rig,
    line,
    asked: () => asked.splice(0),
    set: async (deadManSeconds) => {
      const command = { type: 'guards', exchange: 'said-spot', change: { deadManSeconds } } as const;
      expect((await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }))).status).toBe(200);
      rig.core.accounts.deadMen.get('said-spot')?.look();
      await rig.clock.settle();
    },
    enter: async (symbol = 'BTCUSDT') => {
      expect((await rig.until(rig.place({ symbol }))).status).toBe(200);
      const { id: clientId = '' } = rig.orders.at(-1) ?? {};
      const state = { clientId, symbol, origQty: '0.01', cumQty: '0', seq: 9 } as const;
      return () => rig.venue.sink?.order({ ...state, status: 'CANCELLED', time: rig.clock.wall() });
    },
    view: () => {
      const view = viewOf(rig);
      if (!view) throw new Error('no switch');
      return view;
    },
  };
}

/** Lets requests hang; returns what answers those that hang. */
function hang(line: Switched['line'], only?: string): (outcome?: SettingOutcome) => void {
  const answers: ((outcome: SettingOutcome) => void)[] = [];
  line.arm = (symbol) =>
    only === undefined || symbol === only
      ? new Promise((resolve) => answers.push(resolve))
      : Promise.resolve({ kind: 'done' });
  return (outcome = { kind: 'done' }) => {
    line.arm = async () => ({ kind: 'done' });
    for (const answer of answers.splice(0)) answer(outcome);
  };
}

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

describe('after the death of the process', () => {
  it('nothing is asked of an account that cannot be opened, and what runs is renewed as soon as it is', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.rig.clock.settle();
    let isReached = false;
    const second = await switched(EACH, first.rig, (rig) => {
      const open = rig.venue.open.bind(rig.venue);
      rig.venue.open = async (sink) => {
        if (!isReached) throw new Error('no route, says the test');
        await open(sink);
      };
    });
    await second.set(30);
    await second.rig.clock.advance(1_000);
    expect([second.rig.link.away, second.asked()]).toEqual(['no route, says the test', []]);
    isReached = true;
    await second.rig.clock.advance(2_000);
    expect([second.rig.link.away, second.asked()]).toEqual([null, ['3 BTCUSDT 30']]);
  });

  it('what runs is renewed at once, and taken back where nothing is open any more', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    const end = await first.enter('S1USDT');
    await first.rig.clock.advance(6_000);
    end();
    await first.rig.clock.settle();
    const second = await switched(EACH, first.rig);
    expect(second.asked()).toEqual(['0 BTCUSDT 20', '0 S1USDT 0']);
    expect(second.view().symbols).toEqual(['BTCUSDT']);
    await second.rig.clock.advance(5_000);
    expect(second.asked()).toEqual(['5 BTCUSDT 20']);
  });

  it('what was switched off meanwhile is taken back, and what was taken back is not asked about', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.set(null);
    await first.rig.clock.advance(5_000);
    first.rig.core.turn.flush(true);
    expect(first.asked()).toEqual(['0 BTCUSDT 20', '0 BTCUSDT 0']);
    const off = { type: 'guards', exchange: 'said-spot', change: { deadManSeconds: null } } as const;
    const second = await switched(EACH, first.rig);
    expect(second.asked()).toEqual([]);
    await second.set(30);
    await second.rig.until(second.rig.core.execute(OPERATOR, off, { requestId: 'r' }));
    expect(second.asked()).toEqual(['0 BTCUSDT 30']);
    const third = await switched(EACH, second.rig);
    expect(third.asked()).toEqual(['0 BTCUSDT 0']);
    expect(third.view().running).toBe(false);
  });

  it('an order that ended after its countdown was ended by the switch, and one before it was not', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.enter('S1USDT');
    first.rig.core.turn.flush(true);
    await first.rig.clock.advance(5_000);
    // The renewals of the next lives are not heard.
    const second = await switched(EACH, first.rig);
    second.line.arm = async () => ({ kind: 'unknown', cause: 'no answer' });
    const state = ({ id, symbol }: { id: string; symbol: string }) =>
      ({ clientId: id, symbol, origQty: '0.01', cumQty: '0', seq: 9, status: 'CANCELLED' }) as const;
    const [btc, s1] = second.rig.orders;
    await second.rig.clock.advance(10_000);
    if (btc) second.rig.venue.sink?.order({ ...state(btc), time: second.rig.clock.wall() });
    await second.rig.clock.advance(13_000);
    if (s1) second.rig.venue.sink?.order({ ...state(s1), time: second.rig.clock.wall() });
    await second.rig.clock.settle();
    const texts = [btc, s1].map((order) => second.rig.core.engine.memory.orders.get(order?.id ?? '')?.text);
    expect(texts).toEqual(['cancelled', expect.stringContaining('ended by the dead-man switch')]);
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
    await rig.clock.advance(200_000_000);
    expect(asked).toBe(4);
  });
});
