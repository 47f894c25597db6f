/**
 * Settings of SQUEEZE: buys a sharp drop, sells on the bounce (specification, "SQUEEZE configuration";
 * strategies.md 5). No logic.
 */
import { Type } from 'typebox';
import { EDGES, MAX_LOOKBACK } from '../../../schemas/bots/blocks.ts';
import { everyStrategy } from '../../../schemas/bots/common.ts';
import {
  choice,
  decimal,
  duration,
  flag,
  integer,
  MINUTE_MS,
  PERCENT,
  POSITIVE,
} from '../../../schemas/bots/parts.ts';

export const SQUEEZE_FRAMES = [1, 3, 5, 15, 30, 60, 120, 240, 360, 480, 720, 1440].map(
  (minutes) => minutes * MINUTE_MS,
);

export const TrailingRule = Type.Object({
  type: choice('pump_filter: no entries after a rise. dump_filter: none after a fall.', [
    'pump_filter',
    'dump_filter',
  ] as const),
  maxChange: decimal('Percent of the rise or fall from which it is on.', POSITIVE),
  count: Type.Optional(
    integer('pump_filter: closed candles that the rise is measured over.', {
      minimum: 1,
      maximum: MAX_LOOKBACK,
      default: 1,
    }),
  ),
  edge: Type.Optional(choice('Value of the candles that is compared.', EDGES, 'close')),
  timeout: Type.Optional(
    duration('ms until it goes off after it last was on. Default: one timeFrame.', { minimum: 0 }),
  ),
});

export const SqueezeSettings = Type.Object(
  {
    ...everyStrategy('SQUEEZE', false),
    timeFrame: choice('Candles, ms.', SQUEEZE_FRAMES),
    price: Type.Object(
      {
        percent: Type.Object({
          buy: decimal("Percent below the closed candle's reference of the entry.", PERCENT),
          sell: decimal('Percent above the average entry of the exit.', {
            exclusiveMinimum: 0,
            maximum: 1_000_000,
          }),
        }),
      },
      { description: 'Distances of entry and exit.' },
    ),
    trailing: Type.Optional(flag('The entry also follows the price up within a candle.')),
    trailingEdge: Type.Optional(
      choice('Value of the closed candle that is the reference. Default: low, with short high.', EDGES),
    ),
    trailingSell: Type.Optional(flag('At the target the exit is trailed instead of taken.')),
    trailingPart: Type.Optional(flag('Half is sold at the target, the rest is trailed.')),
    trailingDelta: Type.Optional(
      decimal(
        'Percent below the peak at which a trailed exit sells. Default: a quarter of price.percent.sell.',
        PERCENT,
      ),
    ),
    trailingRules: Type.Optional(
      Type.Array(TrailingRule, { description: 'While one is on, no entry rests.', maxItems: 20 }),
    ),
    oncePerTimeFrame: Type.Optional(flag('At most one entry per candle.')),
  },
  { title: 'SqueezeSettings' },
);
