/** What a ladder of CHANNEL leaves out and adds. Pure. */
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import type { ChannelSettings } from './settings.ts';

export const channelLadder: TypeLadder<ChannelSettings> = {
  plain(settings, { common, note }) {
    note(settings.timeFrame !== null, 'Entries go out when a candle closes.');
    note(settings.trailUp, 'The grid moves up with the price.');
    return { ...settings, ...common, timeFrame: null, trailUp: false, stopAbove: null, stopBelow: null };
  },

  lines: ({ stopAbove, stopBelow }) => [
    { kind: 'end', label: 'ends above', price: stopAbove },
    { kind: 'end', label: 'ends below', price: stopBelow },
  ],

  waiting: ({ cells, short }) => cells.map(({ low, high }) => (short ? high : low)),
  buysAtStart: ({ startBuy }) => startBuy,
};
