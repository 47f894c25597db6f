/** What a ladder of ALGO leaves out and adds. Pure. */
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import type { AlgoSettings } from './settings.ts';

/** Maximum number of twap slices that are walked one by one. */
const MAX_SLICES = 200;

export const algoLadder: TypeLadder<AlgoSettings> = {
  plain(settings, { common, note }) {
    const { twap } = settings;
    note(twap !== null && twap.slices > MAX_SLICES, `The first of ${twap?.slices ?? 0} slices.`);
    note(twap?.limitOffset != null, 'Slices are LIMIT orders at a better price.');
    return {
      ...settings,
      ...common,
      expire: null,
      twap: twap && { ...twap, limitOffset: null, priceLimit: null, jitter: 0n },
    };
  },

  approach({ twap }, walk) {
    if (twap && twap.slices <= MAX_SLICES) walk.pass(twap.duration + twap.interval);
  },
};
