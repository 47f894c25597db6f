/**
 * Settings of FIBO: a grid of Fibonacci levels (specification, "FIBO configuration"; strategies.md 3). No
 * logic.
 */
import { Type } from 'typebox';
import { everyStrategy } from '../../../schemas/bots/common.ts';
import {
  choice,
  DECIMAL_PATTERN,
  decimal,
  flag,
  frame,
  moment,
  PERCENT,
  POSITIVE,
} from '../../../schemas/bots/parts.ts';

export const CHANNEL_NAMES = ['0', '0.236', '0.382', '0.500', '0.618', '0.786', '1'] as const;

const percent = decimal('Percent from there; negative is below.', {
  exclusiveMinimum: -100,
  maximum: 1_000_000,
});
export const DynamicBuy = Type.Object({
  from: choice('level: the level. price: the last price when the order is placed.', [
    'level',
    'price',
  ] as const),
  percent,
});
export const DynamicSell = Type.Object({
  from: choice(
    "level: the level. price: the last price when the order is placed. entry: the lot's entry price.",
    ['level', 'price', 'entry'] as const,
  ),
  percent,
});
const price = [Type.String({ pattern: DECIMAL_PATTERN }), Type.Number({ exclusiveMinimum: 0 })] as const;

export const FiboChannel = Type.Object({
  name: choice('Label of the level.', CHANNEL_NAMES),
  depositePercent: Type.Optional(
    decimal('Share of the deposit in percent; all together 100.', { minimum: 0, default: '0' }),
  ),
  fiboPrice: Type.Optional(
    decimal('Price of the level; needed for 0 and 1, else computed between them.', POSITIVE),
  ),
  buy: Type.Optional(
    Type.Union([...price, DynamicBuy], {
      description: 'Entry: a price, or percent from somewhere, recomputed each time. Left out: the level.',
    }),
  ),
  sell: Type.Optional(
    Type.Union([...price, DynamicSell], {
      description:
        'Target: a price, or percent from somewhere, recomputed each time. Left out: the next higher level.',
    }),
  ),
});

export const FiboSettings = Type.Object(
  {
    ...everyStrategy('FIBO', true),
    timeFrame: Type.Optional(frame('Candles of stop rules and filters, ms.')),
    strategy: Type.Optional(
      choice(
        "fixed: each channel's share of the deposit stays the same. auto: shares of the deposit plus the run's realised PnL.",
        ['fixed', 'auto'] as const,
        'fixed',
      ),
    ),
    channels: Type.Array(FiboChannel, {
      description: 'Levels of the grid; 0 and 1 are mandatory.',
      maxItems: 50,
    }),
    maxRangePercent: Type.Optional(
      decimal(
        'If the span from the lowest to the highest channel is over it, the bot does not start.',
        POSITIVE,
      ),
    ),
    trailing: Type.Optional(flag('Entries follow the price down and are bought on its way back.')),
    trailingFrom: Type.Optional(
      moment('Unix ms from which trailing holds, within a year of now; before it entries rest.'),
    ),
    trailingMaxChange: Type.Optional(
      decimal('Percent that the price must come back for a trailed buy or sale.', {
        ...PERCENT,
        default: '1',
      }),
    ),
    buyOnly: Type.Optional(flag('No exits; stop rules still sell.')),
    waitFullSell: Type.Optional(flag('A channel is entered again only when no lot is open.')),
    crossChannelSell: Type.Optional(
      flag('An exit sells the oldest open lots first, whatever channel bought them.'),
    ),
    mergeChannels: Type.Optional(flag('Neighbours with nearly the same share are merged two by two.')),
    green: Type.Optional(
      decimal('Unrealised PnL in percent from which the whole position is trailed instead.', POSITIVE),
    ),
  },
  { title: 'FiboSettings' },
);
