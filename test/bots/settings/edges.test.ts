/** What settings may just be, and what they just may not: both sides of bounds that depend on other fields. */
import { describe, expect, it } from 'vitest';
import { compileStopCommand } from '../../../src/bots/settings/stop-command.ts';
import { compiled, type Kind, NOW, problems, world } from './support.ts';

type Changes = Record<string, unknown>;

const SHORT = { short: true, exchange: 'paper-futures' };
const FUTURES = { exchange: 'paper-futures' };
const targets = (...takeProfits: readonly Changes[]) => ({ takeProfits });
const channels = (low: string) => ({
  channels: [
    { name: '0', depositePercent: '50', fiboPrice: low },
    { name: '1', depositePercent: '50', fiboPrice: '50000' },
  ],
});
const level = (depositePercent: number) => ({ buy: '40000', sell: '41000', depositePercent });
const stop = (strategy: string, trigger: Changes, rest: Changes = {}) => ({
  stop: { strategy, trigger: { type: 'kline', ...trigger }, ...rest },
});

describe('settings may be', () => {
  it.each<[string, Kind, Changes]>([
    ['a range of one price', 'FIBO', { range: { type: 'price', min: '100', max: '100' } }],
    ['a range of falls alone', 'FIBO', { range: { type: 'kline_percent', max: '-1' } }],
    ['a range up to the first price', 'FIBO', { range: { type: 'scaled_price', max: 0 } }],
    ['an RSI of one value', 'FIBO', { filters: { market: { rsi: { min: 50, max: 50 } } } }],
    ['a stop at one tick', 'FIBO', stop('fixed', { value: '0.01' })],
    ['an age of one ms', 'FIBO', stop('timeout_buy', { type: 'timeout', value: '1.0' })],
    ['a stop at the entry', 'FIBO', stop('breakeven', { value: 0 })],
    ['shares in thirds', 'LEVELS', { levels: [33.33, 33.33, 33.33].map(level) }],
    ['a channel of one tick', 'GRID', { stopAbove: '50000.01', stopBelow: '50000' }],
    ['a safety order just above zero', 'SCALE', { scale: { orders: 3, step: '33.33', takeProfit: '1' } }],
    ['a target of a short just above zero', 'FIBO', { ...SHORT, ...channels('25000.01') }],
    [
      'a target of a short just above zero',
      'SQUEEZE',
      { ...SHORT, price: { percent: { buy: '1', sell: 99.99 } } },
    ],
    [
      'a price between percents',
      'INTRADAY',
      targets({ percent: 2, size: 30 }, { price: '120', size: 30 }, { percent: 3, size: 40 }),
    ],
    ['one symbol and its quote asset', 'NOTIFY', { symbol: 'ETHBTC', quote: 'BTC' }],
    [
      'a far target, and a stop just above zero',
      'BRACKET',
      { takeProfit: { percent: 150 }, stopLoss: { percent: 99.99 } },
    ],
    [
      'a far stop of a short',
      'TPSL',
      { ...FUTURES, side: 'BUY', takeProfit: { percent: 99.99 }, stopLoss: { percent: 150 } },
    ],
  ])('%s (%s)', (_what, kind, changes) => {
    expect(problems(kind, changes)).toEqual([]);
  });
});

describe('settings may not be', () => {
  it.each<[string, Kind, Changes, string]>([
    [
      'a target of a short at zero',
      'FIBO',
      { ...SHORT, ...channels('25000') },
      'channels: the target of 0 would be at or below 0; give its sell a price',
    ],
    [
      'a target of a short at zero',
      'TPSL',
      { ...FUTURES, side: 'BUY', takeProfit: { percent: 100 } },
      'takeProfit.percent: must be below 100, got 100',
    ],
    [
      'a percent below the one before it, with a price between',
      'INTRADAY',
      targets({ percent: 2, size: 30 }, { price: '120', size: 30 }, { percent: 2, size: 40 }),
      'takeProfits[2].percent: must be above 2, the target before it, got 2',
    ],
    [
      'a price above the one before it, of a short, with a percent between',
      'INTRADAY',
      { ...SHORT, ...targets({ price: 90, size: 30 }, { percent: 2, size: 30 }, { price: 90, size: 40 }) },
      'takeProfits[2].price: must be below 90, the target before it, got 90',
    ],
    [
      'one symbol and another quote asset',
      'NOTIFY',
      { symbol: 'ETHBTC', quote: 'USDT' },
      'quote: ETHBTC is priced in BTC, not in USDT',
    ],
  ])('%s (%s)', (_what, kind, changes, problem) => {
    expect(problems(kind, changes)).toEqual([problem]);
  });
});

it('the shortest ttl counts, wherever it is given', () => {
  const ttl = (...values: number[]) => ({ timeout: values.map((value) => ({ type: 'ttl', value })) });
  expect(compiled('FIBO', ttl(30_000, 90_000, 60_000)).ttl).toBe(30_000);
  expect(compiled('FIBO', ttl(90_000, 30_000, 60_000)).ttl).toBe(30_000);
});

it('a stop of a command has the candles of its bot, or a minute', () => {
  const rules = world().instrument('paper-spot', 'BTCUSDT');
  if (!rules) throw new Error('no rules');
  const params = { ...stop('trailing', { value: '1' }).stop, order: { type: 'MARKET' } };
  for (const [timeFrame, frame] of [
    [null, 60_000],
    [900_000, 900_000],
  ] as const)
    expect(compileStopCommand(params, { timeFrame, short: false }, rules, NOW)).toMatchObject({
      ok: true,
      rule: { trigger: { timeFrame: frame } },
    });
});
