/** Settings of NOTIFY: a market scanner, no orders (strategies.md 9). No logic. */
import { Type } from 'typebox';
import { alertFields, Filters, Lookback, RsiZone } from '../../../schemas/bots/blocks.ts';
import { everyBot } from '../../../schemas/bots/common.ts';
import {
  choice,
  decimal,
  duration,
  frame,
  integer,
  oneOrMany,
  POSITIVE,
} from '../../../schemas/bots/parts.ts';
import { described } from '../../../schemas/described.ts';
import { MarketName } from '../../../schemas/order.ts';

export const PriceChange = Type.Object({
  type: Type.Literal('price_change', { description: 'price_change: over one candle.' }),
  percent: decimal('Positive: a rise of at least that many percent. Negative: a fall.', {
    exclusiveMinimum: -100,
    maximum: 1_000_000,
  }),
});
export const VolumeSurge = Type.Object({
  type: Type.Literal('volume_surge', { description: 'volume_surge: of the last candle.' }),
  ratio: decimal('Volume is at least that many times the mean of the candles before.', POSITIVE),
  lookback: Lookback,
});
export const RsiCondition = Type.Object({
  type: Type.Literal('rsi', { description: 'rsi: is in a zone.' }),
  ...RsiZone,
});
export const Breakout = Type.Object({
  type: Type.Literal('breakout', {
    description: 'breakout: close above the highest high, or below the lowest low, of the candles before.',
  }),
  lookback: Lookback,
});
export const CONDITIONS = {
  price_change: PriceChange,
  volume_surge: VolumeSurge,
  rsi: RsiCondition,
  breakout: Breakout,
};

export const NotifySettings = Type.Object(
  {
    ...everyBot('NOTIFY'),
    symbol: Type.Optional(described(MarketName, 'One symbol to watch. Left out: all that trade.')),
    quote: Type.Optional(described(MarketName, 'Only symbols priced in this asset.')),
    timeFrame: frame('Candles, ms; the scan is made when they close.', { minimum: 300_000 }),
    conditions: oneOrMany(
      Type.Union([PriceChange, VolumeSurge, RsiCondition, Breakout]),
      'What to look for; at least one.',
    ),
    match: Type.Optional(
      choice('all: every condition must pass. any: one is enough.', ['all', 'any'] as const, 'all'),
    ),
    filters: Type.Optional(Filters),
    top: Type.Optional(
      integer('Symbols per scan, the strongest first.', { minimum: 1, maximum: 500, default: 10 }),
    ),
    cooldown: Type.Optional(
      duration('ms between two alerts of a symbol. Default: 12 candles.', { minimum: 0 }),
    ),
    ...alertFields,
  },
  { title: 'NotifySettings' },
);
