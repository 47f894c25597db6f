/** Descriptions and templates of FIBO. No logic of the strategy. */
import { depositOf, marketOf, stopLossAt } from '../../../schemas/bots/template.ts';
import { type BotWords, listOf } from '../../../schemas/bots/words.ts';
import { FiboSettings } from './schema.ts';

export const fiboWords: BotWords = {
  schema: FiboSettings,
  about: 'a grid of Fibonacci levels, each sold at the next one up',
  summary: 'Fibonacci grid',
  trades: true,

  template: (g) => ({
    ...marketOf(g),
    deposit: depositOf(g, '500'),
    channels: [
      { name: '0', depositePercent: '20', fiboPrice: g.at('-5') },
      { name: '0.236', depositePercent: '20' },
      { name: '0.382', depositePercent: '20' },
      { name: '0.500', depositePercent: '20' },
      { name: '0.618', depositePercent: '20' },
      { name: '1', depositePercent: '0', fiboPrice: g.at('1') },
    ],
    stop: [stopLossAt('8')],
  }),

  startWords: () =>
    'Levels below the price are ordered at once; levels above wait until the price has been there.',

  /** Given prices, and channels between the two end prices by their names (strategies.md 3). */
  prices(settings, read) {
    const channels = listOf(settings.channels);
    const given = (wanted: string) => read.price(channels.find(({ name }) => name === wanted)?.fiboPrice);
    const from = given('0');
    const to = given('1');
    return channels.map((channel) => {
      const name = typeof channel.name === 'string' ? channel.name : '';
      const share = read.price(channel.name);
      const between = from === null || to === null || share === null ? null : read.between(from, to, share);
      return { price: read.price(channel.fiboPrice) ?? between, name };
    });
  },
};
