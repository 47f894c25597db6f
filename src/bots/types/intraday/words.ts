/** Descriptions and templates of INTRADAY. No logic of the strategy. */
import { depositOf, levelAt, marketOf, stopLossAt } from '../../../schemas/bots/template.ts';
import type { BotWords } from '../../../schemas/bots/words.ts';
import { IntradaySettings } from './schema.ts';

export const intradayWords: BotWords = {
  schema: IntradaySettings,
  about: 'one level or trend line: its bounce or its breakout',
  summary: 'bounce or breakout of a level',
  trades: true,

  template: (g) => ({
    ...marketOf(g),
    deposit: depositOf(g, '200'),
    mode: 'bounce',
    trend: levelAt(g, g.at('-1')),
    takeProfits: [
      { percent: '0.5', size: 60 },
      { percent: '1', size: 40 },
    ],
    stop: [stopLossAt('1.5')],
  }),

  startWords: ({ mode }) =>
    `It waits for the ${mode === 'breakout' ? 'break of' : 'touch of'} its level, then enters with the whole deposit.`,

  prices: (settings, read) => [{ price: read.line(settings.trend), name: 'level' }],
};
