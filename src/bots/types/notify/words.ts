/** Descriptions of NOTIFY. No logic of the strategy. */
import { ALERT_ONLY_WORDS, type BotWords } from '../../../schemas/bots/words.ts';
import { NotifySettings } from './schema.ts';

export const notifyWords: BotWords = {
  schema: NotifySettings,
  about: 'scans all symbols for moves, volume, RSI; orders nothing',
  summary: 'market scanner',
  trades: false,
  scans: true,

  template: (g) => ({
    exchange: g.exchange,
    quote: g.quote,
    timeFrame: 300_000,
    conditions: [{ type: 'price_change', percent: '1' }],
    notify: ['bell'],
  }),

  startWords: () => ALERT_ONLY_WORDS,
};
