/**
 * Settings of CHANNEL: horizontal channels in the flavors GRID, LEVELS and SCALE (strategies.md 4). No logic.
 */
import { Type } from 'typebox';
import { everyStrategy } from '../../../schemas/bots/common.ts';
import { choice, decimal, flag, frame, integer, PERCENT, POSITIVE } from '../../../schemas/bots/parts.ts';

/** Bounds of the growth of steps and sizes from one order to the next. */
const GROWTH = { exclusiveMinimum: 0, maximum: 100 };

export const Grid = Type.Object(
  {
    low: decimal('Lowest level.', POSITIVE),
    high: decimal('Highest level.', POSITIVE),
    count: integer('Levels from low to high, both included.', { minimum: 2, maximum: 200 }),
    spacing: Type.Optional(
      choice(
        'arithmetic: equal distances. geometric: equal ratios.',
        ['arithmetic', 'geometric'] as const,
        'arithmetic',
      ),
    ),
  },
  { description: 'GRID: cells between neighbouring levels, each bought low and sold high for ever.' },
);

export const Level = Type.Object({
  buy: decimal('Price to buy at.', POSITIVE),
  sell: decimal('Price to sell at.', POSITIVE),
  depositePercent: Type.Optional(
    decimal('Share of the deposit in percent; all together 100. Left out on all: equal shares.', POSITIVE),
  ),
});

export const Scale = Type.Object(
  {
    orders: integer('Safety orders below the base order.', { minimum: 0, maximum: 100 }),
    step: decimal('Percent below the first fill of the first safety order.', PERCENT),
    stepScale: Type.Optional(
      decimal('Each further step is that many times the one before.', { ...GROWTH, default: '1' }),
    ),
    size: Type.Optional(
      decimal('Budget of the base order. Left out: all orders together use the deposit exactly.', POSITIVE),
    ),
    sizeScale: Type.Optional(
      decimal('Each further budget is that many times the one before.', { ...GROWTH, default: '1' }),
    ),
    takeProfit: decimal('Percent above the average entry of the one exit.', {
      exclusiveMinimum: 0,
      maximum: 1_000_000,
    }),
  },
  { description: 'SCALE: averages into a falling market.' },
);

export const ChannelSettings = Type.Object(
  {
    ...everyStrategy('CHANNEL', false),
    flavor: choice('GRID: levels between two prices. LEVELS: own pairs of prices. SCALE: averages down.', [
      'GRID',
      'LEVELS',
      'SCALE',
    ] as const),
    timeFrame: Type.Optional(
      frame(
        'Entries are placed and moved only when a candle of that many ms closes. Left out: on every tick.',
      ),
    ),
    grid: Type.Optional(Grid),
    levels: Type.Optional(
      Type.Array(Level, {
        description: 'LEVELS: pairs of prices, each a cell of its own.',
        minItems: 1,
        maxItems: 50,
      }),
    ),
    scale: Type.Optional(Scale),
    startBuy: Type.Optional(flag('GRID: cells above the price are bought at MARKET at the start.')),
    trailUp: Type.Optional(flag('GRID: with no lot open the grid moves up with the price.')),
    stopAbove: Type.Optional(decimal('The run ends when the price is above it.', POSITIVE)),
    stopBelow: Type.Optional(decimal('The run ends when the price is below it.', POSITIVE)),
    sellOnExit: Type.Optional(flag('At such an end the position is sold; else it is kept.')),
    entryPrice: Type.Optional(
      decimal('SCALE: LIMIT price of the base order. Left out: bought at MARKET.', POSITIVE),
    ),
  },
  { title: 'ChannelSettings' },
);
