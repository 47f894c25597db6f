/** What a ladder of SQUEEZE leaves out and adds. Pure. */
import { TRAILED_EXITS, type TypeLadder } from '../../ladder/type-ladder.ts';
import type { SqueezeSettings } from './settings.ts';

export const squeezeLadder: TypeLadder<SqueezeSettings> = {
  plain(settings, { common, note }) {
    note(true, 'As of a candle that closes at the present price; each close moves the entry.');
    note(settings.trailingSell || settings.trailingPart, TRAILED_EXITS);
    return {
      ...settings,
      ...common,
      trailing: false,
      trailingSell: false,
      trailingPart: false,
      trailingRules: [],
    };
  },

  approach: (_settings, walk) => walk.passCandle(),
};
