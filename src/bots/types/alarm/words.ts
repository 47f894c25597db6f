/** What ALARM says of itself. No logic of the strategy. */
import { levelAt, marketOf } from '../../../schemas/bots/template.ts';
import { type BotWords, listOf, TELLS } from '../../../schemas/bots/words.ts';
import { AlarmSettings } from './schema.ts';

export const alarmWords: BotWords = {
  schema: AlarmSettings,
  about: 'tells when a price or RSI gets somewhere; orders nothing',
  summary: 'price and RSI alerts',
  trades: false,
  sections: { range: 'entries' },

  template: (g) => ({
    ...marketOf(g),
    ticker: g.symbol,
    range: [
      { type: 'price', trend: levelAt(g, g.at('1')), direction: 'up' },
      { type: 'price', trend: levelAt(g, g.at('-1')), direction: 'down' },
    ],
    notify: ['bell'],
  }),

  startWords: () => TELLS,

  prices: (settings, read) =>
    listOf(settings.range).map(({ trend }) => ({ price: read.line(trend), name: 'alarm' })),
};
