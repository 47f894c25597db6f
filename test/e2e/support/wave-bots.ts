/** A market that goes up and down without end, and bots of every type that keep trading in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateBot } from '../../../src/schemas/bot.ts';
import { EXCHANGE, temporaryFolder } from './desk-process.ts';

export const FUTURES = 'paper-futures';
export const ASSETS = ['BTC', 'ETH', 'SOL'] as const;
const MINUTE_MS = 60_000;
const START = Date.UTC(2025, 1, 3);
const CANDLES = 30_000;
/** The price around which the market moves; the next constant is the amplitude. */
const MEAN = 100;
const SWING = 5;
const PERIOD = 10;

/** Writes minute candles of three symbols in waves with noise; returns the feed's spec. */
export function writeWaves(random: () => number): string {
  const folder = join(temporaryFolder(), 'waves');
  mkdirSync(folder);
  for (const [n, asset] of ASSETS.entries()) {
    const lines: string[] = ['time,open,high,low,close,volume'];
    let open = MEAN;
    for (let i = 0; i < CANDLES; i++) {
      const wave = Math.sin((2 * Math.PI * i) / (PERIOD + 2 * n)) * -SWING;
      const close = MEAN + wave + (random() - 0.5) * 2;
      const high = Math.max(open, close) + random();
      const low = Math.min(open, close) - random();
      const prices = [open, high, low, close].map((price) => price.toFixed(2));
      lines.push(`${START + i * MINUTE_MS},${prices.join(',')},1000`);
      open = close;
    }
    writeFileSync(join(folder, `${asset}USDT-1m.csv`), `${lines.join('\n')}\n`);
  }
  return `csv:${folder}@1m`;
}

const at = (base: (typeof ASSETS)[number], exchange = EXCHANGE) => ({
  exchange,
  symbol: { base, quote: 'USDT' },
});
const deposit = (more: object = {}) => ({ value: '2000', asset: 'USDT', ...more });
const level = (price: number) => ({ [START]: price, [START + MINUTE_MS]: price });
const whole = (value: string, more: object = {}) => ({
  strategy: 'price_percent_buy',
  trigger: { type: 'kline', value, ...more },
  complete: true,
});

/** The quantity that tpsl sells: it must be bought before. */
export const STOCK = '5';

/**
 * Ten bots that trade, none of which ends by itself before the replay does, and two that only send alerts.
 */
export const WAVE_BOTS: readonly CreateBot[] = [
  {
    type: 'FIBO',
    tag: 'fibo',
    settings: {
      ...at('BTC'),
      deposit: deposit(),
      onetime: false,
      channels: [
        { name: '0', depositePercent: '50', fiboPrice: '96' },
        { name: '0.382', depositePercent: '30' },
        { name: '0.500', depositePercent: '20' },
        { name: '1', depositePercent: '0', fiboPrice: '104' },
      ],
    },
  },
  {
    type: 'CHANNEL',
    tag: 'grid',
    settings: {
      ...at('BTC'),
      deposit: deposit(),
      flavor: 'GRID',
      grid: { low: '95', high: '105', count: 21 },
      startBuy: true,
    },
  },
  {
    type: 'CHANNEL',
    tag: 'levels',
    settings: {
      ...at('ETH'),
      deposit: deposit({ allocate: 'auto' }),
      flavor: 'LEVELS',
      levels: [
        { buy: '98', sell: '101' },
        { buy: '97', sell: '100' },
        { buy: '96', sell: '102' },
      ],
    },
  },
  {
    type: 'CHANNEL',
    tag: 'scale',
    settings: {
      ...at('SOL'),
      deposit: deposit(),
      flavor: 'SCALE',
      scale: { orders: 4, step: '0.8', takeProfit: '1' },
    },
  },
  {
    type: 'SQUEEZE',
    tag: 'squeeze',
    settings: {
      ...at('ETH'),
      deposit: deposit(),
      timeFrame: MINUTE_MS,
      trailing: true,
      trailingSell: true,
      price: { percent: { buy: '0.5', sell: '0.8' } },
      stop: whole('2'),
    },
  },
  {
    type: 'INTRADAY',
    tag: 'intraday',
    settings: {
      ...at('SOL'),
      deposit: deposit(),
      mode: 'bounce',
      trend: level(99),
      invalidPercent: '5',
      maxEntries: 10_000,
      takeProfits: [
        { percent: '0.7', size: '50' },
        { percent: '1.5', size: '50' },
      ],
      breakevenAfter: 1,
      stop: whole('3'),
    },
  },
  {
    type: 'ALGO',
    tag: 'bracket',
    settings: {
      exchange: EXCHANGE,
      symbol: 'ETHUSDT',
      algo: 'bracket',
      side: 'BUY',
      quantity: '3',
      entry: { type: 'LIMIT', price: '99' },
      takeProfit: { percent: '40' },
      stopLoss: { percent: '40' },
    },
  },
  {
    type: 'ALGO',
    tag: 'tpsl',
    settings: {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      algo: 'tpsl',
      side: 'SELL',
      quantity: STOCK,
      takeProfit: { percent: '40' },
      stopLoss: { percent: '40' },
    },
  },
  {
    type: 'ALGO',
    tag: 'twap',
    settings: {
      exchange: EXCHANGE,
      symbol: 'SOLUSDT',
      timeFrame: 10,
      algo: 'twap',
      side: 'BUY',
      quantity: '240',
      duration: CANDLES,
      limitOffset: '0.5',
    },
  },
  {
    type: 'CHANNEL',
    tag: 'short',
    settings: {
      ...at('ETH', FUTURES),
      deposit: deposit({ leverage: 3 }),
      short: true,
      flavor: 'GRID',
      grid: { low: '95', high: '105', count: 11 },
    },
  },
  {
    type: 'ALARM',
    tag: 'alarm',
    settings: {
      ...at('BTC'),
      ticker: 'BTCUSDT',
      repeat: 'always',
      range: [{ type: 'price', trend: level(100) }],
    },
  },
  {
    type: 'NOTIFY',
    tag: 'notify',
    settings: {
      exchange: EXCHANGE,
      timeFrame: 5 * MINUTE_MS,
      conditions: [{ type: 'price_change', percent: 2 }],
    },
  },
];
