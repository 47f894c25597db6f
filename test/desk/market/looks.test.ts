/**
 * Close looks at one symbol of the desk's own market: what each terminal is given of what has changed, once,
 * how long it is watched, and what the market's own candles replace.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { LookRequest } from '../../../src/desk/console/look-views.ts';
import { type Look, Looks } from '../../../src/desk/market/looks.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import { Bench } from '../../engine/support/bench.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const START = Date.UTC(2026, 0, 5, 12, 0, 30);
const BTC: LookRequest = { market: 'paper', symbol: 'BTCUSDT', frameMs: MINUTE };
const FUNDING = { rate: '0.0001', at: START + 3_600_000 };

let clock: VirtualClock;
let candles: Candle[];
let looks: Looks;
let asked: [from: number, to: number][];
/** `answers`: what the exchange answers, question by question, where the past is not here yet. */
let live: { lookAt: string[]; letGo: string[]; answers?: Candle[][] } | null;
let past: number;
/** The funding of a market that does not report it. */
let funding: typeof FUNDING;
/** Whether the live market sends depth. */
let tellsDepth: boolean;
const now = () => START + clock.monotonic() - past;

beforeEach(() => {
  clock = new VirtualClock();
  past = clock.monotonic();
  candles = [];
  asked = [];
  live = null;
  funding = FUNDING;
  tellsDepth = true;
  const ann = { id: 'ann-spot', name: 'Ann', kind: 'spot', market: 'anns', user: 'ann' } as const;
  const slow = { id: 'slow-spot', name: 'Slow', kind: 'spot', market: 'slow' } as const;
  const bench = new Bench({ price: '100', more: [ann, slow] });
  bench.engine.memory.market('paper').marks.set('BTCUSDT', dec('99.5'));
  const market = () => ({
    tellsDepth,
    fundingOf: () => null,
    lookAt: (symbol: string) => {
      live?.lookAt.push(symbol);
      return () => live?.letGo.push(symbol);
    },
    candles: { read: () => (live?.answers ? null : candles) },
    history: async () => live?.answers?.shift() ?? [],
  });
  looks = new Looks({
    clock,
    now,
    memory: () => bench.engine.memory,
    history: () => ({
      frameMs: (market) => (market === 'slow' ? 5 * MINUTE : MINUTE),
      has: () => true,
      candles: (_market, _symbol, _frame, from, to) => {
        asked.push([from, to]);
        return candles.filter(({ time }) => time >= from && time < to);
      },
    }),
    live: () => ({ of: () => (live ? (market() as never) : undefined) }),
    funding: () => funding,
  });
});

function opened(request: LookRequest = BTC): { look: Look; told: () => number } {
  let told = 0;
  const look = looks.open(request, () => {
    told += 1;
  });
  if (!look.ok) throw new Error(look.error.message);
  return { look: look.data, told: () => told };
}

const tick = (price: string, volume = '1') =>
  looks.onTick('paper', { symbol: 'BTCUSDT', time: now(), price, volume });
const trade = (price: string) =>
  looks.onTrades('paper', 'BTCUSDT', [{ symbol: 'BTCUSDT', time: now(), side: 'BUY', price, volume: '1' }]);
const candle = (time: number, price: string, volume = '1'): Candle => ({
  time,
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});

describe('what a terminal is given', () => {
  it('is everything at first, then each change once, of what has changed alone', () => {
    const { look, told } = opened();
    expect(look.take()).toMatchObject({ whole: true, symbol: 'BTCUSDT', mark: '99.5', funding: FUNDING });
    expect([look.take(), told()]).toEqual([{}, 0]);
    trade('100');
    trade('101');
    expect(told()).toBe(2);
    expect(look.take()).toMatchObject({ tape: [{ price: '101' }, { price: '100' }] });
    trade('102');
    const part = look.take();
    expect(Object.keys(part)).toEqual(['tape']);
    expect(part).toMatchObject({ tape: [{ price: '102' }] });
    expect(look.take()).toEqual({});
    tick('103');
    expect(Object.keys(look.take()).toSorted()).toEqual(['day', 'forming']);
    looks.onDepth('paper', 'BTCUSDT', null);
    expect(look.take()).toEqual({ depth: null });
  });

  it('is each terminal’s own: what one has taken is still to come for the other', () => {
    const [one, other] = [opened(), opened()];
    one.look.whole();
    other.look.whole();
    trade('100');
    expect(one.look.take()).toHaveProperty('tape');
    expect(other.look.take()).toHaveProperty('tape');
    expect(one.look.take()).toEqual({});
  });

  it('is everything again in another frame', () => {
    const { look, told } = opened();
    look.whole();
    expect(look.frame(5 * MINUTE).ok).toBe(true);
    expect([told(), look.take()]).toMatchObject([1, { whole: true, frameMs: 5 * MINUTE }]);
    expect(look.take()).toEqual({});
    trade('100');
    look.frame(MINUTE);
    expect(look.take()).toMatchObject({ whole: true, tape: [{ price: '100' }] });
    trade('101');
    expect(look.take()).toMatchObject({ tape: [{ price: '101' }] });
    trade('102');
    look.whole();
    trade('103');
    expect(look.take().tape).toHaveLength(1);
    for (const frameMs of [MINUTE / 2, MINUTE + 1, DAY + MINUTE])
      expect(look.frame(frameMs), String(frameMs)).toMatchObject({ ok: false });
    expect(look.frame(DAY).ok).toBe(true);
  });

  it('has the last funding also when a mark comes without one', () => {
    const { look } = opened();
    look.whole();
    const other = { ...FUNDING, rate: '0.0002' };
    looks.onMark('paper', 'BTCUSDT', '98', other);
    expect(look.take()).toEqual({ mark: '98', funding: other });
    looks.onMark('paper', 'BTCUSDT', '97', null);
    expect(look.take()).toEqual({ mark: '97', funding: other });
  });
});

it('the funding of a market that does not report it is looked up with each minute, and that of a live one is its own', async () => {
  const { look } = opened();
  look.whole();
  funding = { rate: '0.0009', at: START + 7_200_000 };
  await clock.advance(29_000);
  expect(look.take()).toEqual({});
  await clock.advance(2_000);
  expect(look.take()).toMatchObject({ mark: '99.5', funding });
  looks.close();
  live = { lookAt: [], letGo: [] };
  const other = opened();
  looks.onMark('paper', 'BTCUSDT', '98', FUNDING);
  await clock.advance(MINUTE);
  expect(other.look.whole().funding).toEqual(FUNDING);
});

describe('the candles of the market', () => {
  it('are of the last 24 hours and the minute that runs, read anew with each minute', async () => {
    const minute = START - 30_000;
    candles = [candle(minute - DAY - MINUTE, '200'), candle(minute - DAY, '150', '2'), candle(minute, '9')];
    candles.pop();
    const { look } = opened();
    expect(asked).toEqual([[minute - DAY, START]]);
    expect(look.whole().day).toEqual({ high: '150', low: '150', volume: '2' });
    await clock.advance(29_000);
    expect(asked).toHaveLength(1);
    candles = [candle(minute, '120', '3')];
    await clock.advance(2_000);
    expect(asked).toHaveLength(2);
    expect(look.take()).toMatchObject({ day: { high: '120', low: '120', volume: '3' } });
  });
});

describe('a symbol of a live market', () => {
  it('has depth where that market sends it, else the last price alone, as the desk’s own has', () => {
    const tells = () => opened({ ...BTC, symbol: 'ETHUSDT' }).look.whole().tells;
    expect(tells()).toBe('last');
    looks.close();
    live = { lookAt: [], letGo: [] };
    expect(tells()).toBe('depth');
    looks.close();
    tellsDepth = false;
    expect(tells()).toBe('last');
  });

  it('is told again when its past comes after it was given without', async () => {
    live = { lookAt: [], letGo: [], answers: [[candle(START - MINUTE, '120', '3')]] };
    const { look, told } = opened();
    expect([look.whole().day, told()]).toEqual([null, 0]);
    await clock.settle();
    expect([told(), look.take()]).toMatchObject([1, { day: { high: '120', low: '120', volume: '3' } }]);
  });

  it('is watched once while any terminal looks at it, and let go once', () => {
    live = { lookAt: [], letGo: [] };
    const [one, other] = [opened(), opened()];
    expect(live).toEqual({ lookAt: ['BTCUSDT'], letGo: [] });
    one.look.end();
    one.look.end();
    expect(live.letGo).toEqual([]);
    other.look.end();
    other.look.end();
    expect(live.letGo).toEqual(['BTCUSDT']);
    opened();
    expect(live.lookAt).toHaveLength(2);
    looks.close();
    expect([live.letGo.length, clock.pendingTimers]).toEqual([2, 0]);
  });

  it('is asked for its past again with the next minute where the exchange had none to tell', async () => {
    live = { lookAt: [], letGo: [], answers: [[], [candle(START - MINUTE, '120', '3')]] };
    const { look } = opened();
    await clock.advance(20_000);
    expect([look.whole().day, live.answers]).toMatchObject([null, [{}]]);
    await clock.advance(MINUTE);
    expect(look.whole().day).toEqual({ high: '120', low: '120', volume: '3' });
  });

  it('tells nothing to who has ended', () => {
    const [one, other] = [opened(), opened()];
    one.look.end();
    trade('100');
    expect([one.told(), other.told()]).toEqual([0, 1]);
  });
});

describe('two symbols', () => {
  const ETH = { ...BTC, symbol: 'ETHUSDT' };

  it('are told apart, in ticks, trades, depth and marks, and each is let go of for itself', async () => {
    live = { lookAt: [], letGo: [] };
    const [one, other] = [opened(), opened(ETH)];
    one.look.whole();
    other.look.whole();
    tick('100');
    trade('100');
    looks.onMark('paper', 'BTCUSDT', '98', FUNDING);
    looks.onDepth('paper', 'BTCUSDT', { bids: [['99', '1']], asks: [] } as never);
    expect([other.told(), other.look.take()]).toEqual([0, {}]);
    expect(Object.keys(one.look.take()).toSorted()).toEqual([
      'day',
      'depth',
      'forming',
      'funding',
      'mark',
      'tape',
    ]);
    for (const market of ['elsewhere']) {
      looks.onTick(market, { symbol: 'BTCUSDT', time: now(), price: '1', volume: '1' });
      looks.onMark(market, 'BTCUSDT', '1', null);
      looks.onDepth(market, 'BTCUSDT', null);
    }
    expect(one.look.take()).toEqual({});
    one.look.end();
    expect([live.lookAt, live.letGo]).toEqual([['BTCUSDT', 'ETHUSDT'], ['BTCUSDT']]);
    // The other one is looked for in the next minute all the same.
    const before = other.told();
    await clock.advance(MINUTE);
    expect(other.told()).toBe(before + 2);
    other.look.end();
    expect([live.letGo, clock.pendingTimers]).toEqual([['BTCUSDT', 'ETHUSDT'], 0]);
  });
});

it('candles of a minute are looked for behind those of a market that has none', async () => {
  const [slow, fast] = [opened({ ...BTC, market: 'slow', frameMs: 5 * MINUTE }), opened()];
  await clock.advance(MINUTE);
  expect([slow.told(), fast.told()]).toEqual([0, 2]);
  await clock.advance(4 * MINUTE);
  expect([slow.told(), fast.told()]).toEqual([2, 10]);
});

it('a symbol that no account of the owner trades there is refused', () => {
  for (const request of [
    { ...BTC, symbol: 'NOPEUSDT' },
    { ...BTC, market: 'other' },
    { ...BTC, market: 'anns' },
    { ...BTC, frameMs: MINUTE + 1 },
  ])
    expect(looks.open(request, () => {}).ok, JSON.stringify(request)).toBe(false);
});
