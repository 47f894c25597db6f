/** Descriptions and templates of CHANNEL. No logic of the strategy. */
import { depositOf, marketOf } from '../../../schemas/bots/template.ts';
import { type BotWords, blockOf, listOf } from '../../../schemas/bots/words.ts';
import { ChannelSettings } from './schema.ts';

export const channelWords: BotWords = {
  schema: ChannelSettings,
  about: 'buys low, sells high, for ever: grid, own levels, averaging',
  summary: 'horizontal channels (GRID, LEVELS, SCALE)',
  trades: true,
  takesOptions: true,

  template: (g) => ({
    flavor: 'GRID',
    ...marketOf(g),
    deposit: depositOf(g, '1000'),
    grid: { low: g.at('-5'), high: g.at('5'), count: 11 },
    stopBelow: g.at('-10'),
  }),

  startWords: ({ flavor }) =>
    flavor === 'SCALE'
      ? 'The base order goes out at once, safety orders below it.'
      : 'Levels below the price are ordered at once; the others wait until the price has been there.',

  prices(settings, read) {
    const grid = blockOf(settings.grid);
    return [
      { price: read.price(grid.high), name: 'high' },
      { price: read.price(grid.low), name: 'low' },
      ...listOf(settings.levels).flatMap((level) => [
        { price: read.price(level.buy), name: 'buys' },
        { price: read.price(level.sell), name: 'sells' },
      ]),
      { price: read.price(settings.stopAbove), name: 'ends' },
      { price: read.price(settings.stopBelow), name: 'ends' },
    ];
  },
};
