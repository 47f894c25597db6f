/** Settings of INTRADAY: bounce or breakout of one level (strategies.md 6). No logic. */
import { Type } from 'typebox';
import { everyStrategy } from '../../../schemas/bots/common.ts';
import { choice, decimal, flag, integer, moment, POSITIVE, priceLine } from '../../../schemas/bots/parts.ts';
import { IntradayStops } from '../../../schemas/bots/stop.ts';

/** Distance in percent; it may be zero, but not the whole price. */
const DISTANCE = { minimum: 0, exclusiveMaximum: 100 };

export const TakeProfit = Type.Object({
  percent: Type.Optional(
    decimal('Percent above the average entry.', { exclusiveMinimum: 0, maximum: 1_000_000 }),
  ),
  price: Type.Optional(decimal('Price, instead of percent.', POSITIVE)),
  size: decimal('Percent of the position; all together 100.', { exclusiveMinimum: 0, maximum: 100 }),
});

export const IntradaySettings = Type.Object(
  {
    ...everyStrategy('INTRADAY', false),
    stop: Type.Optional(IntradayStops),
    trend: priceLine('The level.'),
    mode: choice(
      'bounce: buys when the price turns back up from the level. breakout: buys when it passes it.',
      ['bounce', 'breakout'] as const,
    ),
    touchPercent: Type.Optional(
      decimal('The level counts as touched that many percent above it.', { ...DISTANCE, default: '0.1' }),
    ),
    confirmPercent: Type.Optional(
      decimal('bounce: percent above the lowest price since the touch. breakout: percent beyond the level.', {
        ...DISTANCE,
        default: '0.2',
      }),
    ),
    invalidPercent: Type.Optional(
      decimal('Percent below the level at which the setup is void.', { ...DISTANCE, default: '1' }),
    ),
    retest: Type.Optional(flag('breakout: waits for a return to the level before it enters.')),
    takeProfits: Type.Array(TakeProfit, {
      description: 'Targets, the nearest first.',
      minItems: 1,
      maxItems: 10,
    }),
    breakevenAfter: Type.Optional(
      integer('After that many targets a stop at break-even holds the rest.', { minimum: 1, maximum: 10 }),
    ),
    maxEntries: Type.Optional(integer('Cycles of a run.', { minimum: 1, maximum: 10_000, default: 1 })),
    expiresAt: Type.Optional(moment('Unix ms after which nothing is entered.')),
  },
  { title: 'IntradaySettings' },
);
