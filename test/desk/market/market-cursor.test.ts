/**
 * The market's position as it is stored and restored: the same feed continues where it was, another one only
 * where its time allows.
 */
import { describe, expect, it } from 'vitest';
import {
  cursorOf,
  type MarketCursor,
  reachedAt,
  refuseLostSymbols,
  resumeAt,
} from '../../../src/desk/market/market-cursor.ts';
import type { MarketHistory } from '../../../src/desk/market/market-history.ts';
import { MarketView } from '../../../src/desk/market/market-view.ts';
import { type MarketGiven, openMarket } from '../../../src/desk/market/open-market.ts';
import type { Feed } from '../../../src/market/feed.ts';
import type { LoadedState, Store } from '../../../src/store/store.ts';
import { order } from '../../store/rows.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const TICK = { symbol: 'BTCUSDT', time: 5_000, price: '7', volume: '1' };
const NO_PAST: MarketHistory = { frameMs: () => 60_000, has: () => true, candles: () => [] };

/** A feed with ticks at these times. */
function feedOf(times: readonly number[], label = 'csv:a'): Feed & { readonly resumed: unknown[] } {
  let left = [...times];
  const resumed: unknown[] = [];
  return {
    label,
    live: false,
    symbols: ['BTCUSDT', 'ETHUSDT'],
    startTime: times[0] ?? 0,
    resumed,
    peek: () => left[0] ?? null,
    next: () => {
      const time = left.shift();
      return time === undefined ? null : { ...TICK, time };
    },
    resume: (time, state) => {
      resumed.push([time, state]);
      left = times.filter((one) => one > time);
    },
    snapshot: () => ({ drawn: 3 }),
    candles: () => [],
  };
}

const cursor = (more: Partial<MarketCursor> = {}): MarketCursor => ({
  feed: 'csv:a',
  time: 5_000,
  prices: [],
  state: { drawn: 2 },
  unfinished: null,
  ...more,
});

/** Opens a market with this feed on these rows of a store. */
const opened = (
  label: string,
  meta: readonly [name: string, value: unknown][],
  more: Partial<MarketGiven> = {},
) =>
  openMarket({
    options: { feed: label, seed: 1, speed: 1, hold: true, timeZone: 'UTC' },
    clock: new VirtualClock(),
    store: {} as Store,
    initial: { meta: new Map(meta) } as unknown as LoadedState,
    startedAt: 0,
    openFeed: () => ({ feed: feedOf([1_000, 9_000], label), samplePrices: () => [] }),
    keep: () => {},
    told: () => {},
    changed: () => {},
    failed: () => {},
    ...more,
  });

describe('a start', () => {
  it('of the feed that is stored goes on at its time and state, once the first tick has come', () => {
    const on = { resume: { marketTime: 5_000, state: { drawn: 2 } } };
    const begun: Partial<MarketCursor>[] = [
      { prices: [['BTCUSDT', '7', 5_000]] },
      { unfinished: TICK },
      { ahead: { tick: TICK, at: 4_000 } },
    ];
    for (const one of begun) expect(resumeAt(feedOf([1_000, 9_000]), cursor(one))).toEqual(on);
    expect(resumeAt(feedOf([1_000, 9_000]), cursor())).toEqual({});
    expect(resumeAt(feedOf([1_000, 9_000]), cursor({ ahead: null }))).toEqual({});
    expect(resumeAt(feedOf([1_000]), undefined)).toEqual({});
  });

  it('of another feed goes on behind the stored time without its state, and is refused where nothing comes behind it', () => {
    const other = feedOf([1_000, 5_000, 5_001], 'csv:b');
    const at = resumeAt(other, cursor({ prices: [['BTCUSDT', '7', 5_000]] }));
    expect(at).toEqual({ resume: { marketTime: 5_000, state: null } });
    expect(other.resumed).toEqual([[5_000, null]]);
    expect(() => resumeAt(feedOf([1_000, 5_000], 'csv:b'), cursor())).toThrow(
      /stands at 1970-01-01T00:00, after the end of csv:b, and market time never goes back/,
    );
  });

  it('has the time, the last prices and what was in work of its own feed; of another one the prices of what it has', () => {
    const known = [
      ['BTCUSDT', '7', 5_000, 2, '3'],
      ['GONEUSDT', '1', 4_000],
    ] as const;
    const stored = cursor({ prices: known, ahead: { tick: { ...TICK, time: 9_000 }, at: 8_000 } });
    const marketOf = (label: string) => opened(label, [['market', stored]]);
    const same = marketOf('csv:a');
    expect(same.cursor).toEqual(stored);
    expect(same.loop.inWork).toEqual({ unfinished: null, ahead: stored.ahead });
    expect([same.time(), same.driver.marketTime]).toEqual([8_000, 5_000]);
    expect(same.known).toEqual([known[0]]);
    const other = marketOf('csv:b');
    expect(other.cursor).toBeNull();
    expect(other.loop.inWork).toEqual({ unfinished: null, ahead: null });
    expect([other.time(), other.known]).toEqual([5_000, [known[0]]]);
    // The stored row belongs to the present feed, and is returned once until something changes.
    const [row] = same.deferredRows();
    expect(row).toMatchObject({ name: 'market', value: { feed: 'csv:a', time: 5_000, state: { drawn: 3 } } });
    same.deferredStored();
    expect(same.deferredRows()).toEqual([]);
    same.loop.connect({
      turn: { step: () => {}, quiet: () => undefined } as never,
      paper: [],
      venues: [],
      nextEndDate: () => Number.POSITIVE_INFINITY,
      nextBotDue: () => Number.POSITIVE_INFINITY,
    });
    void same.loop.onTick({ ...TICK, time: 9_000 });
    expect(same.deferredRows()).toHaveLength(1);
  });
});

it('a feed that breaks ends the market, and is told in words', async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const feed = {
    ...feedOf([1_000]),
    next: () => {
      throw new Error('disk');
    },
  };
  const { driver } = opened('csv:a', [], {
    clock,
    openFeed: () => ({ feed, samplePrices: () => [] }),
    failed: (reason) => told.push(reason),
  });
  driver.start();
  void driver.step();
  await clock.settle();
  expect(told).toEqual(['the market feed failed: disk']);
});

it('the equity at the beginning of the day is that of the store, unless that does not say whose it is', () => {
  const day = (value?: object) => opened('csv:a', value ? [['equity-day', value]] : []).view.equityDay;
  const known = { day: 20_000, usd: '5.00', wallets: { 'paper-spot': '5.00' } };
  expect([day(known), day({ day: 20_000, usd: '5.00' }), day()]).toEqual([known, null, null]);
});

it('the cursor has everything that a start needs', () => {
  const view = new MarketView(NO_PAST, null);
  view.onTick('paper', TICK);
  view.onTick('other', { ...TICK, price: '9' });
  const inWork = { unfinished: TICK, ahead: { tick: TICK, at: 4_500 } };
  expect(cursorOf(feedOf([1_000]), { marketTime: 5_000 } as never, view, inWork)).toEqual({
    feed: 'csv:a',
    time: 5_000,
    prices: [['BTCUSDT', '7', 5_000, 1, '1']],
    state: { drawn: 3 },
    ...inWork,
  });
});

it('a market without ticks goes on where it stood, also a minute ahead of the clock and no more', () => {
  const [feed, now] = [feedOf([]), 1_000_000];
  const at = (time?: number) => reachedAt(feed, time === undefined ? undefined : cursor({ time }), now);
  expect([at(), at(5), at(now + 60_000)]).toEqual([now, 5, now + 60_000]);
  expect(() => at(now + 60_001)).toThrow(
    'the market of this data folder stands at 1970-01-01T00:17, ahead of the clock, and market time never goes back',
  );
});

it('an open order without a price of its symbol refuses the start; an ended one, or one of another market, does not', () => {
  const feed = feedOf([1_000]);
  const here = { id: 'paper-spot', name: 'p', kind: 'spot' } as const;
  const there = { id: 'live-spot', name: 'l', kind: 'spot', market: 'live' } as const;
  const check = (...orders: ReturnType<typeof order>[]) =>
    refuseLostSymbols({ orders } as unknown as LoadedState, feed, [here, there]);
  const lost = { exchange: here.id, symbol: 'XRPUSDT', status: 'OPENED' } as const;
  expect(() => check(order('a', lost))).toThrow('has an open order on XRPUSDT, of which csv:a has no prices');
  expect(() => check(order('b', { ...lost, exchange: 'gone-spot' }))).toThrow('XRPUSDT');
  check(
    order('c', { ...lost, status: 'CANCELLED' }),
    order('d', { ...lost, exchange: there.id }),
    order('e', { ...lost, symbol: 'ETHUSDT' }),
  );
});
