/** The type of a bot as a field of the API (specification, "Bot record"). No logic. */
import { Type } from 'typebox';
import { BOT_TYPES, type BotType as Name, wordsOf } from '../../bots/types/index.ts';

export { BOT_TYPES };
export type BotType = Name;

export const BotType = Type.Unsafe<BotType>(
  Type.Union(
    BOT_TYPES.map((type) => Type.Literal(type)),
    {
      title: 'BotType',
      description: BOT_TYPES.map((type) => `${type}: ${wordsOf(type).summary}.`).join(' '),
    },
  ),
);
