/** The words of PULSE. */
import { depositOf, marketOf } from '../../../../src/schemas/bots/template.ts';
import type { BotWords } from '../../../../src/schemas/bots/words.ts';
import { PulseSettings } from './schema.ts';

export const pulseWords: BotWords = {
  schema: PulseSettings,
  about: 'one purchase below the price, one sale above it',
  summary: 'one pulse',
  trades: true,
  template: (g) => ({ ...marketOf(g), deposit: depositOf(g, '200'), below: '1' }),
  startWords: ({ below }) => `Its entry rests ${below} % below the price.`,
  prices: ({ stopBelow }, read) => [{ price: read.price(stopBelow), name: 'ends' }],
};
