/** What a ladder of FIBO leaves out and adds. Pure. */
import { ZERO } from '../../../domain/decimal.ts';
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import type { FiboSettings } from './settings.ts';

const TRAILED_ENTRIES = 'Entries are trailed: bought on the way back from below these prices.';

export const fiboLadder: TypeLadder<FiboSettings> = {
  plain(settings, { common, note }) {
    note(settings.trailing, TRAILED_ENTRIES);
    note(settings.green !== null, 'In profit the exits give way to trailing.');
    return { ...settings, ...common, trailing: false, green: null };
  },

  waiting: ({ channels }) =>
    channels
      .filter(({ share }) => share > ZERO)
      .map(({ level, buy }) => (buy?.kind === 'fixed' ? buy.price : level)),
};
