/** Descriptions and templates of SQUEEZE. No logic of the strategy. */
import { depositOf, marketOf, stopLossAt } from '../../../schemas/bots/template.ts';
import { type BotWords, blockOf } from '../../../schemas/bots/words.ts';
import { SqueezeSettings } from './schema.ts';

export const squeezeWords: BotWords = {
  schema: SqueezeSettings,
  about: 'buys a sharp drop below the last candle, sells the bounce',
  summary: 'buys a sharp drop, sells on the bounce',
  trades: true,
  takesOptions: true,

  template: (g) => ({
    ...marketOf(g),
    timeFrame: 60_000,
    deposit: depositOf(g, '200'),
    price: { percent: { buy: '0.5', sell: '0.4' } },
    stop: [stopLossAt('2')],
  }),

  startWords(settings) {
    const { buy } = blockOf(blockOf(settings.price).percent);
    const short = settings.short === true;
    const edge = typeof settings.trailingEdge === 'string' ? settings.trailingEdge : short ? 'high' : 'low';
    return `Its first order rests from the next candle close on, ${String(buy ?? '–')} % ${short ? 'above' : 'below'} that candle’s ${edge}.`;
  },
};
