/**
 * Past candles by market and symbol: from the feed for the paper market, from the store for every other;
 * each market separately.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { LiveCandles } from '../../../src/desk/market/live/live-candles.ts';
import { marketHistory, STORED_MINUTES_MAX } from '../../../src/desk/market/market-history.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';

const MINUTE = 60_000;
const OTHER = 'other-spot';

const candle = (minute: number, open: string, close: string): Candle => {
  const [high, low] = Number(open) > Number(close) ? [open, close] : [close, open];
  return { time: minute * MINUTE, open, high, low, close, volume: '2' };
};

function store(...minutes: readonly Candle[]): Store {
  const opened = openSqliteStore(':memory:');
  onTestFinished(() => opened.close());
  opened.commit(minutes.map((one) => ({ kind: 'candle', market: OTHER, symbol: 'BTCUSDT', candle: one })));
  return opened;
}

const FEED = {
  symbols: ['BTCUSDT'],
  frameMs: 5 * MINUTE,
  candles: (symbol: string) => (symbol === 'BTCUSDT' ? [candle(0, '60000', '60001')] : []),
};

it('the paper market’s is its feed’s, another one’s is what the store has of it', () => {
  const history = marketHistory(FEED, store(candle(0, '30000', '30010'), candle(1, '30010', '30020')));
  expect(history.candles('paper', 'BTCUSDT', MINUTE, 0, 10 * MINUTE)).toEqual([candle(0, '60000', '60001')]);
  expect(history.candles(OTHER, 'BTCUSDT', MINUTE, MINUTE, 10 * MINUTE)).toEqual([
    candle(1, '30010', '30020'),
  ]);
  expect(history.candles('third', 'BTCUSDT', MINUTE, 0, 10 * MINUTE)).toEqual([]);
  expect([history.frameMs('paper'), history.frameMs(OTHER)]).toEqual([5 * MINUTE, MINUTE]);
  expect([history.has('paper', 'ETHUSDT'), history.has(OTHER, 'ETHUSDT')]).toEqual([false, true]);
});

it('stored minutes are added up to longer frames, of which only whole ones are told', () => {
  const minutes = [0, 1, 2, 3, 4, 5, 6].map((n) => candle(n, String(10 + n), String(11 + n)));
  const history = marketHistory(FEED, store(...minutes));
  expect(history.candles(OTHER, 'BTCUSDT', 3 * MINUTE, 0, 9 * MINUTE)).toEqual([
    { time: 0, open: '10', high: '13', low: '10', close: '13', volume: '6' },
    { time: 3 * MINUTE, open: '13', high: '16', low: '13', close: '16', volume: '6' },
  ]);
  // A frame cannot be built from parts of minutes.
  expect(history.candles(OTHER, 'BTCUSDT', 90_000, 0, 9 * MINUTE)).toEqual([]);
});

it('one question reads a bounded stretch of the store, the newest', () => {
  const asked: number[] = [];
  const history = marketHistory(FEED, {
    candles: (_market, _symbol, from, to) => {
      asked.push((to - from) / MINUTE);
      return [];
    },
  });
  const frames = [1, 60, 1_440, 10_080];
  const to = 4_000_000 * MINUTE;
  for (const frame of frames) history.candles(OTHER, 'X', frame * MINUTE, 0, to);
  // A range longer than the stored one has no candles.
  expect(history.candles(OTHER, 'X', 2 * STORED_MINUTES_MAX * MINUTE, 0, to)).toEqual([]);
  expect(asked).toEqual(
    frames.map((frame) => frame * Math.min(5_000, Math.floor(STORED_MINUTES_MAX / frame))),
  );
});

it('a live market’s is what it has in memory; for a step what is missing is loaded, waited for or not', () => {
  const asked: unknown[][] = [];
  const record =
    (name: string, answer: readonly Candle[] | null) =>
    (...of: unknown[]) => {
      asked.push([name, ...of]);
      return answer;
    };
  const live = { peek: record('peek', []), read: record('read', null) } as unknown as LiveCandles;
  const history = marketHistory(FEED, store(candle(0, '1', '2')), (market) =>
    market === 'live-spot' ? live : undefined,
  );
  const of = ['BTCUSDT', MINUTE, 0, 10 * MINUTE] as const;
  // Nothing is asked of the exchange, and the store is no stand-in for it.
  expect(history.candles('live-spot', ...of)).toEqual([]);
  expect(history.past('live-spot', ...of)).toBeNull();
  expect(history.past('live-spot', ...of, true)).toBeNull();
  expect(asked).toEqual([
    ['peek', ...of],
    ['read', ...of, undefined],
    ['read', ...of, true],
  ]);
  expect(history.past(OTHER, ...of)).toHaveLength(1);
  expect(history.past('paper', ...of)).toHaveLength(1);
});
