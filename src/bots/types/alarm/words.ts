/** Descriptions and templates of ALARM. No logic of the strategy. */
import { levelAt, marketOf } from '../../../schemas/bots/template.ts';
import { ALERT_ONLY_WORDS, type BotWords, listOf } from '../../../schemas/bots/words.ts';
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

  startWords: () => ALERT_ONLY_WORDS,

  // Both directions: the price may have passed the line before the run begins.
  alert: {
    settings: ({ exchange, symbol, base, quote }, price) => ({
      exchange,
      symbol: { base, quote },
      ticker: symbol,
      name: `${symbol} at ${price}`,
      range: [{ trend: { 1: price, 2: price } }],
      notify: ['bell'],
    }),
    price({ range }) {
      const [line, ...more] = listOf(range);
      const [price, ...others] = Object.values(line?.trend ?? {});
      const isOne = more.length === 0 && others.every((other) => other === price);
      return typeof price === 'string' && isOne ? price : null;
    },
  },

  prices: (settings, read) =>
    listOf(settings.range).map(({ trend }) => ({ price: read.line(trend), name: 'alarm' })),
};
