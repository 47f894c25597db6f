/** Settings of ALARM: price and RSI alerts, no orders (strategies.md 8). No logic. */
import { Type } from 'typebox';
import { alertFields, DIRECTIONS, RsiZone } from '../../../schemas/bots/blocks.ts';
import { everyBot, SymbolPair, Ticker } from '../../../schemas/bots/common.ts';
import { choice, duration, frame, oneOrMany, priceLine } from '../../../schemas/bots/parts.ts';

export const AlarmLine = Type.Object({
  type: Type.Optional(Type.Literal('price', { description: 'price.', default: 'price' })),
  trend: priceLine('Fires when the price crosses it.'),
  direction: Type.Optional(choice('How it must be crossed.', DIRECTIONS, 'both')),
  on: Type.Optional(
    choice(
      'tick: each price is looked at. close: the close of each candle.',
      ['tick', 'close'] as const,
      'tick',
    ),
  ),
});
export const AlarmRsi = Type.Object(RsiZone);

export const AlarmSettings = Type.Object(
  {
    ...everyBot('ALARM'),
    symbol: SymbolPair,
    ticker: Ticker,
    timeFrame: Type.Optional(frame('Candles of RSI and of on: close, ms.', { default: 60_000 })),
    range: Type.Optional(oneOrMany(AlarmLine, 'Lines that the price may cross.')),
    rsi: Type.Optional(oneOrMany(AlarmRsi, 'Zones that RSI may enter at the close of a candle.')),
    repeat: Type.Optional(
      choice(
        'once: each condition fires once; the run completes when all have. always: they go on.',
        ['once', 'always'] as const,
        'once',
      ),
    ),
    snoozeDuration: Type.Optional(
      duration('always: ms between two firings of a condition.', { minimum: 0, default: 60_000 }),
    ),
    ...alertFields,
  },
  { title: 'AlarmSettings' },
);
