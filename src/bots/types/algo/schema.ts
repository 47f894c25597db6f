/** Settings of ALGO: bracket, tpsl, twap (strategies.md 7). Times are in minutes. No logic. */
import { Type } from 'typebox';
import { Deposit } from '../../../schemas/bots/blocks.ts';
import { everyTrader } from '../../../schemas/bots/common.ts';
import { choice, decimal, integer, POSITIVE } from '../../../schemas/bots/parts.ts';
import { Stops } from '../../../schemas/bots/stop.ts';
import { described } from '../../../schemas/described.ts';
import { MarketName, Side } from '../../../schemas/order.ts';

const YEAR_MINUTES = 525_600;
/** Distance of a target or stop from the entry, percent. */
const AWAY = { exclusiveMinimum: 0, maximum: 1_000_000 };

export const Entry = Type.Object(
  {
    type: choice('How the entry goes out.', ['MARKET', 'LIMIT', 'STOP_MARKET'] as const),
    price: Type.Optional(decimal('LIMIT: its price.', POSITIVE)),
    stopPrice: Type.Optional(decimal('STOP_MARKET: price that triggers it.', POSITIVE)),
  },
  { description: 'bracket: the entry.' },
);
export const Target = Type.Object(
  {
    price: Type.Optional(decimal('Price of the take-profit.', POSITIVE)),
    percent: Type.Optional(decimal('Percent from the average fill price, instead of price.', AWAY)),
  },
  { description: 'bracket, tpsl: the take-profit.' },
);
export const Protection = Type.Object(
  {
    price: Type.Optional(decimal('Price of the stop.', POSITIVE)),
    percent: Type.Optional(decimal('Percent from the average fill price, instead of price.', AWAY)),
    limitPrice: Type.Optional(decimal('Limit price once triggered. Left out: MARKET.', POSITIVE)),
  },
  { description: 'bracket, tpsl: the stop.' },
);

export const AlgoSettings = Type.Object(
  {
    ...everyTrader('ALGO'),
    symbol: described(MarketName, 'Pair code, for example BTCUSDT.'),
    timeFrame: Type.Optional(
      integer('Minutes between slices, and candles of stop rules.', {
        minimum: 1,
        maximum: 10_080,
        default: 1,
      }),
    ),
    algo: choice(
      'bracket: entry with take-profit and stop. tpsl: the same pair on what is held. twap: slices over time.',
      ['bracket', 'tpsl', 'twap'] as const,
    ),
    side: described(Side, 'Side of the entry; tpsl: of the exit.'),
    quantity: Type.Optional(
      decimal('Base quantity. tpsl on futures, left out: the whole position.', POSITIVE),
    ),
    deposit: Type.Optional(Deposit),
    stop: Type.Optional(Stops),
    entry: Type.Optional(Entry),
    takeProfit: Type.Optional(Target),
    stopLoss: Type.Optional(Protection),
    expire: Type.Optional(
      integer('bracket: minutes after which an entry that has not filled is cancelled.', {
        minimum: 1,
        maximum: YEAR_MINUTES,
      }),
    ),
    duration: Type.Optional(
      integer('twap: minutes that the slices are spread over.', { minimum: 1, maximum: YEAR_MINUTES }),
    ),
    limitOffset: Type.Optional(
      decimal('twap: slices are LIMIT orders that many percent better than the price. Left out: MARKET.', {
        exclusiveMinimum: 0,
        exclusiveMaximum: 100,
      }),
    ),
    priceLimit: Type.Optional(decimal('twap: a slice at a worse price is skipped.', POSITIVE)),
    jitter: Type.Optional(
      decimal('twap: percent by which times and quantities of slices vary.', {
        minimum: 0,
        maximum: 50,
        default: '0',
      }),
    ),
  },
  { title: 'AlgoSettings' },
);
