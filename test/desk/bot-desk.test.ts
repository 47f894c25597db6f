/** The market position of a desk's bots as a start restores it. */
import { expect, it } from 'vitest';
import { createBotDesk } from '../../src/desk/market/bot-desk.ts';
import { str } from '../../src/domain/decimal.ts';
import type { LoadedState } from '../../src/store/store.ts';

const TIME = 1_700_000_060_000;
const EMPTY: LoadedState = {
  orders: [],
  fills: [],
  wireIds: [],
  splits: [],
  idempotency: [],
  keys: [],
  bots: [],
  runs: [],
  alerts: [],
  meta: new Map(),
  log: [],
};

// proves: bot run recovery
it('a tick that was being matched is the last price, and is still to be told', () => {
  const { hub } = createBotDesk({
    past: () => [],
    live: new Set<string>(),
    time: TIME,
    cursor: {
      feed: 'test',
      time: TIME,
      prices: [['BTCUSDT', '100', TIME - 1_000]],
      state: null,
      unfinished: { symbol: 'BTCUSDT', time: TIME, price: '90', volume: '1' },
    },
    initial: EMPTY,
    venues: [],
    fees: () => ({ maker: '0', taker: '0' }),
    targets: [],
    lastRun: () => null,
  });
  const { price, priceTime, ticks } = hub('paper').view('BTCUSDT');
  expect(price && str(price)).toBe('90');
  expect([priceTime, ticks]).toEqual([TIME, 1]);
});

it('prices are those of the cursor, each of its time; what is not in work is not told', () => {
  const { hub } = createBotDesk({
    past: () => [],
    live: new Set<string>(),
    time: TIME,
    cursor: {
      feed: 'test',
      time: TIME,
      prices: [
        ['BTCUSDT', '100', TIME - 1_000],
        ['ETHUSDT', '7', TIME],
      ],
      state: null,
      unfinished: null,
    },
    initial: EMPTY,
    venues: [],
    fees: () => ({ maker: '0', taker: '0' }),
    targets: [],
    lastRun: () => null,
  });
  const seen = ['BTCUSDT', 'ETHUSDT'].map((symbol) => {
    const { price, priceTime, ticks } = hub('paper').view(symbol);
    return [price && str(price), priceTime, ticks];
  });
  expect(seen).toEqual([
    ['100', TIME - 1_000, 0],
    ['7', TIME, 0],
  ]);
});
