/**
 * What runs read of the market they share: built while a run reads it, whatever commands and lists of symbols
 * change meanwhile, and asked for again when the past of its own market has come.
 */
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import { BTC, ETH, SPOT, START } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const M = 60_000;
const LEVELS = cells([
  ['90', '110'],
  ['80', '120'],
]);

function bench(options: ConstructorParameters<typeof BotsBench>[0] = {}) {
  const hubs = new MarketHubs(() => new CandleHub({ time: START }));
  const b = new BotsBench({ hubs, ...options });
  const frames = (symbol: string) =>
    hubs
      .of('paper')
      .frames(symbol)
      .map((frameMs) => frameMs / M);
  return { b, hubs, frames };
}

const rule = (minutes: number, value: string) => ({
  strategy: 'fixed',
  trigger: { type: 'kline', value, closed: true, timeFrame: minutes * M },
  order: { type: 'MARKET' },
});

describe('the candles of a symbol', () => {
  it('are those that its runs read now: rules that are added or changed bring and take theirs', () => {
    const { b, frames } = bench();
    b.tick('100', 1);
    expect(frames('BTCUSDT')).toEqual([]);
    const [first, second] = [b.started('CHANNEL', LEVELS), b.started('CHANNEL', LEVELS)];
    expect(frames('BTCUSDT')).toEqual([1]);
    const tell = (
      { id, runId }: { id: string; runId: string },
      message: string,
      params: Readonly<Record<string, unknown>>,
    ) => b.done({ type: 'bot.message', id, runId, message, params });
    tell(first, 'add_stoploss', rule(5, '50'));
    tell(second, 'add_stoploss', rule(5, '50'));
    tell(second, 'add_stoploss', rule(15, '40'));
    expect(frames('BTCUSDT')).toEqual([1, 5, 15]);
    tell(second, 'update_stoploss', { ...rule(30, '40') });
    expect(frames('BTCUSDT')).toEqual([1, 5, 30]);
    b.done({ type: 'bot.delete', id: second.id, force: true });
    b.obey();
    expect(frames('BTCUSDT')).toEqual([1, 5]);
    b.send({ type: 'bot.stop', id: first.id, runId: first.runId, way: {} });
    b.obey();
    expect(frames('BTCUSDT')).toEqual([]);
  });

  it('are not built for a start that is refused', () => {
    const { b, frames } = bench();
    b.tick('100', 1);
    const id = b.make('CHANNEL', { ...LEVELS, deposit: { value: '100000000', asset: 'USDT' } });
    expect(b.ask({ type: 'bot.start', id }).status).toBe(400);
    expect(frames('BTCUSDT')).toEqual([]);
    expect([b.engine.book.runs.size, [...b.bench.engine.memory.account(SPOT).wallet.reserved]]).toEqual([
      0,
      [],
    ]);
    expect(b.engine.nextDue).toBe(Number.POSITIVE_INFINITY);
  });

  it('of a bot that scans are those of the symbols that are traded now', () => {
    const { b, frames } = bench();
    const conditions = [{ type: 'price_change', percent: '2' }];
    const { id, runId } = b.started('NOTIFY', { timeFrame: 5 * M, conditions });
    const built = () => [BTC, ETH, { symbol: 'SOLUSDT' }].map(({ symbol }) => frames(symbol).length > 0);
    expect(built()).toEqual([true, true, false]);
    const list = (instruments: (typeof BTC)[]) =>
      b.bench.event({ type: 'instruments', exchange: SPOT, instruments });
    list([BTC]);
    expect(built()).toEqual([true, false, false]);
    list([BTC, { ...ETH, symbol: 'SOLUSDT', base: 'SOL' }]);
    expect(built()).toEqual([true, false, true]);
    b.send({ type: 'bot.stop', id, runId, way: {} });
    expect(built()).toEqual([false, false, false]);
  });
});

it('the figures of the day are kept of every symbol that a run filters by them, and of no other', () => {
  const { b, hubs } = bench();
  const hub = hubs.of('paper');
  const kept = () => ['BTCUSDT', 'ETHUSDT', ''].map((symbol) => hub.keepsDay(symbol));
  const conditions = [{ type: 'price_change', percent: '2' }];
  const filters = { volume: { minVal: '1000' } };
  b.tick('100', 1);
  const all = b.started('NOTIFY', { timeFrame: 5 * M, conditions, filters });
  expect(kept()).toEqual([true, true, false]);
  const one = b.started('CHANNEL', { ...LEVELS, filters });
  b.done({ type: 'bot.delete', id: all.id, force: true });
  expect(kept()).toEqual([true, false, false]);
  b.done({ type: 'bot.delete', id: one.id, force: true });
  expect(kept()).toEqual([false, false, false]);
  b.started('NOTIFY', { timeFrame: 5 * M, conditions });
  expect(kept()).toEqual([false, false, false]);
});

it('the past that has come to a market is asked for by the runs of that market, until it is here', () => {
  const asked: string[] = [];
  let here = false;
  const history = (market: string, symbol: string, frameMs: number) => {
    asked.push(`${market} ${symbol} ${frameMs / M}`);
    return here ? [] : null;
  };
  const { b } = bench({ history });
  const conditions = [{ type: 'price_change', percent: '2' }];
  b.started('NOTIFY', { timeFrame: 5 * M, conditions });
  asked.splice(0);
  b.bench.event({ type: 'history', market: 'other' });
  expect(asked).toEqual([]);
  b.bench.event({ type: 'history', market: 'paper' });
  const both = ['paper BTCUSDT 5', 'paper ETHUSDT 5'];
  expect([...new Set(asked.splice(0))].toSorted()).toEqual(both);
  here = true;
  b.bench.event({ type: 'history', market: 'paper' });
  expect([...new Set(asked.splice(0))].toSorted()).toEqual(both);
  b.bench.event({ type: 'history', market: 'paper' });
  expect(asked).toEqual([]);
});

it.each([
  ['its own frame', [1]],
  ['the frame of its RSI', [5]],
  ['none of them', [1, 5]],
])(
  'a start whose past lacks %s is refused, leaves no reader behind, and goes on once all is here',
  (_, lacks) => {
    let missing: readonly number[] = lacks;
    const history = (_market: string, _symbol: string, frameMs: number) =>
      missing.includes(frameMs / M) ? null : [];
    const { b, hubs, frames } = bench({ history });
    b.tick('100', 1);
    const rsi = { period: 2, min: '10', timeFrame: 5 * M };
    const filters = { volume: { percentChange: '5' }, market: { rsi } };
    const id = b.make('CHANNEL', { ...LEVELS, filters });
    expect(b.ask({ type: 'bot.start', id }).status).toBe(503);
    expect([frames('BTCUSDT'), b.engine.book.runs.size]).toEqual([[], 0]);
    expect(
      hubs
        .of('paper')
        .firsts.rows()
        .filter(([, snapshot]) => snapshot !== null),
    ).toEqual([]);
    missing = [];
    expect(b.ask({ type: 'bot.start', id }).status).toBe(200);
    expect(frames('BTCUSDT')).toEqual([1, 5]);
  },
);

describe('the candles that are read already', () => {
  /** Prices over three minutes; returns the last closed candle and the one that is being built, by minutes. */
  function ticked(b: BotsBench, hubs: MarketHubs, minutes: number) {
    for (const [at, price] of [
      [1, '100'],
      [M, '103'],
      [M + 1, '97'],
      [6 * M, '101'],
      [6 * M + 1, '99'],
      [6 * M + 2, '102'],
    ] as const)
      b.tick(price, at);
    return () => {
      const view = hubs.of('paper').view('BTCUSDT');
      return [view.lastClosed(minutes * M), view.forming(minutes * M)];
    };
  }

  it('stay as they are when a command gives the only run that reads them another rule', () => {
    const { b, hubs, frames } = bench();
    const { id, runId } = b.started('CHANNEL', { ...LEVELS, stop: rule(5, '50') });
    const read = ticked(b, hubs, 5);
    const before = read();
    expect(before.every((candle) => candle !== null)).toBe(true);
    const message = 'add_stoploss';
    b.done({ type: 'bot.message', id, runId, message, params: rule(15, '40') });
    expect([frames('BTCUSDT'), read()]).toEqual([[1, 5, 15], before]);
  });

  it('stay as they are when another symbol comes to a bot that scans them all', () => {
    const { b, hubs } = bench();
    b.started('NOTIFY', { timeFrame: 5 * M, conditions: [{ type: 'price_change', percent: '90' }] });
    const read = ticked(b, hubs, 5);
    const before = read();
    expect(before.every((candle) => candle !== null)).toBe(true);
    const instruments = [BTC, ETH, { ...ETH, symbol: 'SOLUSDT', base: 'SOL' }];
    b.bench.event({ type: 'instruments', exchange: SPOT, instruments });
    expect(read()).toEqual(before);
  });
});
