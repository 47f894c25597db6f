/** The seven bot types (specification, "Bot record"). No logic. */
import { Type } from 'typebox';

export const BOT_TYPES = ['FIBO', 'CHANNEL', 'SQUEEZE', 'INTRADAY', 'ALGO', 'ALARM', 'NOTIFY'] as const;
export type BotType = (typeof BOT_TYPES)[number];

export const BotType = Type.Unsafe<BotType>(
  Type.Union(
    BOT_TYPES.map((type) => Type.Literal(type)),
    {
      title: 'BotType',
      description:
        'FIBO: Fibonacci grid. CHANNEL: horizontal channels (GRID, LEVELS, SCALE). SQUEEZE: buys a sharp drop, sells on the bounce. INTRADAY: bounce or breakout of a level. ALGO: bracket, TP/SL pair, TWAP. ALARM: price and RSI alerts. NOTIFY: market scanner.',
    },
  ),
);
