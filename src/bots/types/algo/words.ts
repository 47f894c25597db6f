/** Descriptions and templates of ALGO. No logic of the strategy. */
import { depositOf } from '../../../schemas/bots/template.ts';
import type { BotWords } from '../../../schemas/bots/words.ts';
import { AlgoSettings } from './schema.ts';

export const algoWords: BotWords = {
  schema: AlgoSettings,
  about: 'one job: entry with target and stop, a pair, timed slices',
  summary: 'bracket, TP/SL pair, TWAP',
  trades: true,
  minutes: ['timeFrame', 'duration', 'expire'],

  template: (g) => ({
    exchange: g.exchange,
    symbol: g.symbol,
    algo: 'bracket',
    side: 'BUY',
    deposit: depositOf(g, '200'),
    entry: { type: 'LIMIT', price: g.at('-0.5') },
    takeProfit: { percent: '1' },
    stopLoss: { percent: '0.5' },
  }),

  startWords({ algo }) {
    if (algo === 'twap') return 'The first slice goes out at once.';
    return algo === 'tpsl'
      ? 'Take-profit and stop for what is held are placed at once.'
      : 'Its entry goes out at once; take-profit and stop follow its fills.';
  },

  exits: ({ takeProfit, stopLoss, ...wanted }) => ({
    ...wanted,
    algo: wanted.entry ? 'bracket' : 'tpsl',
    takeProfit: { price: takeProfit },
    stopLoss: { price: stopLoss },
  }),

  side: (settings) => settings.side,
  hasOwnStop: (settings) => settings.stopLoss !== undefined,
};
