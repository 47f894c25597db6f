/**
 * A start is refused where a planned order would be below the exchange's minimum, for every type at the price
 * at which that order would go out (strategies.md 1, "Rounding"), and for none that would just do.
 */
import { describe, it } from 'vitest';
import { at, level, plays, refusesToStart, type Scene } from '../../scenarios/scene.ts';
import { cell, fibo, PAIR, scale, squeeze } from './bots.ts';

const deposit = (value: string, more: object = {}) => ({ deposit: { value, asset: 'USDT', ...more } });
const LEAST = 'is below the exchange minimum of 5 USDT';
const code = (settings: object) => ({ symbol: 'BTCUSDT', side: 'BUY', ...settings });
const bracket = (entry: object, size: object) =>
  code({ algo: 'bracket', entry, takeProfit: { percent: '10' }, stopLoss: { percent: '5' }, ...size });
const twap = (size: object) => code({ algo: 'twap', duration: 3, ...size });
const tpsl = (quantity: string) =>
  code({
    algo: 'tpsl',
    side: 'SELL',
    quantity,
    takeProfit: { percent: '10' },
    stopLoss: { percent: '5' },
  });
const intraday = (changes: object) => ({
  ...PAIR,
  mode: 'bounce',
  trend: level(100),
  takeProfits: [{ percent: '10', size: 100 }],
  ...changes,
});
const grid = (changes: object) =>
  cell({ flavor: 'GRID', levels: undefined, grid: { low: '100', high: '110', count: 2 }, ...changes });
const shares = {
  levels: [
    { buy: '100', sell: '110', depositePercent: 60 },
    { buy: '98', sell: '120', depositePercent: 40 },
  ],
};
const SLICES = `twap: 3 slices of 3.33 USDT are below the exchange minimum of 5 USDT; use at most 2`;

describe('a start is refused', () => {
  it.each<[string, string, Omit<Scene, 'events'>, string]>([
    ['a twap of a quantity', 'ALGO', { settings: twap({ quantity: '0.1' }), known: '100' }, SLICES],
    [
      'a twap of a percentage',
      'ALGO',
      { settings: twap(deposit('1', { strategy: 'percent' })), balances: { USDT: '1000' } },
      SLICES,
    ],
    [
      'a bracket at its limit',
      'ALGO',
      { settings: bracket({ type: 'LIMIT', price: '100' }, { quantity: '0.049' }), known: '200' },
      `entry: order of 4.90 USDT ${LEAST}`,
    ],
    [
      'a bracket at its trigger',
      'ALGO',
      { settings: bracket({ type: 'STOP_MARKET', stopPrice: '102' }, { quantity: '0.045' }), known: '100' },
      `entry: order of 4.59 USDT ${LEAST}`,
    ],
    [
      'a bracket at the last price',
      'ALGO',
      { settings: bracket({ type: 'MARKET' }, { quantity: '0.05' }), known: '98' },
      `entry: order of 4.90 USDT ${LEAST}`,
    ],
    [
      'a bracket by deposit',
      'ALGO',
      { settings: bracket({ type: 'LIMIT', price: '100' }, deposit('4.95')), known: '200' },
      `entry: order of 4.90 USDT ${LEAST}`,
    ],
    [
      'a tpsl that no order could close',
      'ALGO',
      { settings: tpsl('0.0005'), balances: { BTC: '1' }, known: '100' },
      'quantity: 0.0005 is below the least that one order may be; give at least 0.001 BTC',
    ],
    [
      'LEVELS by the share of each',
      'CHANNEL',
      { settings: cell({ ...shares, ...deposit('10') }) },
      `cell 98-120: order of 3.92 USDT ${LEAST}`,
    ],
    [
      'a GRID that buys at the start, at the last price',
      'CHANNEL',
      { settings: grid({ ...deposit('5.2'), startBuy: true }), known: '90' },
      `cell 100-110: order of 4.68 USDT ${LEAST}`,
    ],
    [
      'a GRID that buys at the start, at its level what is below the price',
      'CHANNEL',
      { settings: grid({ ...deposit('4.9'), startBuy: true }), known: '105' },
      `cell 100-110: order of 4.90 USDT ${LEAST}`,
    ],
    [
      'a SCALE by its safety orders',
      'CHANNEL',
      { settings: scale(deposit('10')), known: '100' },
      `safety order 1: order of 4.95 USDT ${LEAST}`,
    ],
    [
      'a FIBO that trails, at the last price',
      'FIBO',
      { settings: fibo({ trailing: true }), rules: { minQty: '1' }, known: '105' },
      'channel 0.500: order of 0.952 BTC is below the exchange minimum of 1 BTC',
    ],
    [
      'an INTRADAY',
      'INTRADAY',
      { settings: intraday(deposit('4.9')), known: '100' },
      `entry: order of 4.90 USDT ${LEAST}`,
    ],
    [
      'an INTRADAY that is divided',
      'INTRADAY',
      { settings: intraday({ ...deposit('12'), orders: { buy: { size: 3 } } }), known: '100' },
      `entry: order of 4.00 USDT ${LEAST}`,
    ],
    [
      'a SQUEEZE that is divided',
      'SQUEEZE',
      { settings: squeeze({ ...deposit('12'), orders: { buy: { size: 3 } } }), known: '100' },
      `entry: order of 4.00 USDT ${LEAST}`,
    ],
  ])('%s', async (_what, type, scene, words) => {
    await refusesToStart(type, { ...scene, events: [] }, words);
  });
});

describe('a start is not refused', () => {
  it.each<[string, string, Scene]>([
    [
      'a bracket of just the minimum',
      'ALGO',
      {
        settings: bracket({ type: 'LIMIT', price: '100' }, { quantity: '0.05' }),
        events: ['0 105'],
        open: 'BUY LIMIT 100 0.05',
      },
    ],
    [
      'a tpsl of just the least quantity',
      'ALGO',
      {
        futures: true,
        position: { amount: '1', entryPrice: '100' },
        settings: tpsl('0.001'),
        events: ['0 100'],
        // Of a part of the position the engine holds the stop.
        open: 'SELL LIMIT 110 0.001',
      },
    ],
    [
      'a GRID whose cells wait, at their own prices',
      'CHANNEL',
      { settings: grid(deposit('5.2')), known: '90', events: ['0 90'], open: 'none', status: 'STARTED' },
    ],
    [
      'a GRID that buys at the start only what is above the price',
      'CHANNEL',
      {
        settings: grid({ ...deposit('5.2'), startBuy: true }),
        known: '105',
        events: ['0 105'],
        open: 'BUY LIMIT 100 0.052',
      },
    ],
    [
      'a FIBO that trails later, at its levels',
      'FIBO',
      {
        settings: fibo({ trailing: true, trailingFrom: at(60) }),
        rules: { minQty: '1' },
        known: '105',
        events: ['0 105'],
        open: 'BUY LIMIT 100 1',
      },
    ],
  ])('%s', async (_what, type, scene) => {
    await plays(type, scene);
  });
});
