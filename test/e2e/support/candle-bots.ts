/** A bot of every type that acts within eight days of recorded BTCUSDT minutes; NOTIFY for any market. */
import type { CreateBot } from '../../../src/schemas/bot.ts';
import { EXCHANGE } from './desk-process.ts';

const FUTURES = 'paper-futures';

/** Path below `shared/data`. */
export const CANDLES = 'candles/BTCUSDT-1m.csv';
/** The opening time of the first candle; `DAYS` is the number of days. */
export const START = Date.UTC(2025, 0, 27);
export const DAYS = 8;
export const DAY_MS = 86_400_000;

export interface CandleBot {
  readonly name: string;
  /** The settings in short form. */
  readonly about: string;
  readonly bot: CreateBot;
  /** Base units that the account must hold before the run: the bot sells them. */
  readonly stock?: string;
}

const PAIR = { exchange: EXCHANGE, symbol: { base: 'BTC', quote: 'USDT' } } as const;
const CODE = { exchange: EXCHANGE, symbol: 'BTCUSDT' } as const;
const DEPOSIT = { value: '10000', asset: 'USDT' };
const FUTURES_PAIR = { ...PAIR, exchange: FUTURES } as const;
const MARGIN = { ...DEPOSIT, leverage: 3 };
const MINUTE = 60_000;
const stopAt = (value: string) => ({
  strategy: 'price_percent_buy',
  trigger: { type: 'kline', value },
  complete: true,
});

export const TRADERS: readonly CandleBot[] = [
  {
    name: 'FIBO',
    about: '5 channels 97,000..106,000, 20 % each',
    bot: {
      type: 'FIBO',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        onetime: false,
        channels: [
          { name: '0', depositePercent: '0', fiboPrice: '97000' },
          ...['0.236', '0.382', '0.500', '0.618', '0.786'].map((name) => ({ name, depositePercent: '20' })),
          { name: '1', depositePercent: '0', fiboPrice: '106000' },
        ],
      },
    },
  },
  {
    name: 'CHANNEL GRID',
    about: '21 levels 98,000..106,000, startBuy',
    bot: {
      type: 'CHANNEL',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        flavor: 'GRID',
        grid: { low: '98000', high: '106000', count: 21 },
        startBuy: true,
      },
    },
  },
  {
    name: 'CHANNEL LEVELS',
    about: '4 pairs 95,000..103,000',
    bot: {
      type: 'CHANNEL',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        flavor: 'LEVELS',
        levels: [
          { buy: '101800', sell: '103000' },
          { buy: '100500', sell: '102500' },
          { buy: '98500', sell: '101000' },
          { buy: '95000', sell: '99000' },
        ],
      },
    },
  },
  {
    name: 'CHANNEL SCALE',
    about: '5 safety orders, step 0.6 x 1.2, size x 1.5, take profit 0.8 %, reuse',
    bot: {
      type: 'CHANNEL',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        flavor: 'SCALE',
        scale: { orders: 5, step: '0.6', stepScale: '1.2', sizeScale: '1.5', takeProfit: '0.8' },
      },
      options: { reuse: true },
    },
  },
  {
    name: 'SQUEEZE',
    about: '5m, buy 0.3 %, sell 0.5 %, oncePerTimeFrame, stop 3 %',
    bot: {
      type: 'SQUEEZE',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        timeFrame: 5 * MINUTE,
        oncePerTimeFrame: true,
        price: { percent: { buy: '0.3', sell: '0.5' } },
        stop: stopAt('3'),
      },
    },
  },
  {
    name: 'INTRADAY',
    about: 'bounce off 101,300 falling to 100,300, two targets, break-even, stop 1.5 %',
    bot: {
      type: 'INTRADAY',
      settings: {
        ...PAIR,
        deposit: DEPOSIT,
        mode: 'bounce',
        trend: { [START]: 101_300, [START + 7 * DAY_MS]: 100_300 },
        maxEntries: 8,
        takeProfits: [
          { percent: '0.6', size: '50' },
          { percent: '1.5', size: '50' },
        ],
        breakevenAfter: 1,
        stop: stopAt('1.5'),
      },
    },
  },
  {
    name: 'ALGO bracket',
    about: 'LIMIT 100,500, take profit 3 %, stop 2 %',
    bot: {
      type: 'ALGO',
      settings: {
        ...CODE,
        algo: 'bracket',
        side: 'BUY',
        quantity: '0.1',
        entry: { type: 'LIMIT', price: '100500' },
        takeProfit: { percent: '3' },
        stopLoss: { percent: '2' },
      },
    },
  },
  {
    name: 'ALGO tpsl',
    about: 'sells 0.1 BTC, take profit 5 %, stop 3 %',
    stock: '0.1',
    bot: {
      type: 'ALGO',
      settings: {
        ...CODE,
        algo: 'tpsl',
        side: 'SELL',
        quantity: '0.1',
        takeProfit: { percent: '5' },
        stopLoss: { percent: '3' },
      },
    },
  },
  {
    name: 'ALGO twap',
    about: 'buys 0.5 BTC hourly over 7 days, LIMIT 0.1 % better, not above 104,000',
    bot: {
      type: 'ALGO',
      settings: {
        ...CODE,
        timeFrame: 60,
        algo: 'twap',
        side: 'BUY',
        quantity: '0.5',
        duration: 7 * 24 * 60,
        limitOffset: '0.1',
        priceLimit: '104000',
      },
    },
  },
  {
    name: 'CHANNEL GRID short',
    about: 'futures x3, 21 levels 98,000..106,000, startBuy',
    bot: {
      type: 'CHANNEL',
      settings: {
        ...FUTURES_PAIR,
        deposit: MARGIN,
        short: true,
        flavor: 'GRID',
        grid: { low: '98000', high: '106000', count: 21 },
        startBuy: true,
      },
    },
  },
  {
    name: 'SQUEEZE short',
    about: 'futures x3, 15m, 0.4 %, 0.5 %, trailingSell, stop at the exchange 2 %, at most 2 h',
    bot: {
      type: 'SQUEEZE',
      settings: {
        ...FUTURES_PAIR,
        deposit: MARGIN,
        short: true,
        timeFrame: 15 * MINUTE,
        trailingSell: true,
        price: { percent: { buy: '0.4', sell: '0.5' } },
        stop: [
          { strategy: 'price_percent_buy', trigger: { type: 'exchange', value: '2' }, complete: true },
          {
            strategy: 'timeout_buy',
            trigger: { type: 'timeout', value: String(120 * MINUTE) },
            complete: true,
          },
        ],
      },
    },
  },
  {
    name: 'ALGO bracket short',
    about: 'futures, STOP_MARKET 100,500, take profit 2 %, stop 2 % as a limit',
    bot: {
      type: 'ALGO',
      settings: {
        ...CODE,
        exchange: FUTURES,
        algo: 'bracket',
        side: 'SELL',
        quantity: '0.1',
        entry: { type: 'STOP_MARKET', stopPrice: '100500' },
        takeProfit: { percent: '2' },
        stopLoss: { percent: '2', limitPrice: '102600' },
      },
    },
  },
];

export const ALARM: CandleBot = {
  name: 'ALARM',
  about: 'crossing 100,000 either way, at most hourly; RSI of 14 minutes above 80',
  bot: {
    type: 'ALARM',
    settings: {
      ...PAIR,
      ticker: 'BTCUSDT',
      range: [{ type: 'price', trend: { [START]: 100_000, [START + DAY_MS]: 100_000 } }],
      rsi: [{ above: 80 }],
      repeat: 'always',
      snoozeDuration: 60 * MINUTE,
    },
  },
};

/** Fires once for every symbol whose price changes at all. */
export const NOTIFY: CandleBot = {
  name: 'NOTIFY',
  about: '20 synthetic symbols, 5m, any change, each once a day',
  bot: {
    type: 'NOTIFY',
    settings: {
      exchange: EXCHANGE,
      timeFrame: 5 * MINUTE,
      conditions: [
        { type: 'price_change', percent: 0.000001 },
        { type: 'price_change', percent: -0.000001 },
      ],
      match: 'any',
      top: 20,
      cooldown: DAY_MS,
    },
  },
};
