/** The ways to make a new bot: each type with a sentence about it, and JSON. */
import { BOT_TYPES, type BotType, wordsOf } from '../../../schemas/bots/index.ts';

export const NEW_BOT_WAYS: readonly { readonly name: BotType | 'JSON'; readonly about: string }[] = [
  ...BOT_TYPES.map((name) => ({ name, about: wordsOf(name).about })),
  { name: 'JSON', about: 'from a file, a paste or a text of your own' },
];
