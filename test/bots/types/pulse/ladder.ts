/** A ladder of PULSE leaves nothing out. */
import type { TypeLadder } from '../../../../src/bots/ladder/type-ladder.ts';
import type { PulseSettings } from './settings.ts';

export const pulseLadder: TypeLadder<PulseSettings> = {
  plain: (settings, { common }) => ({ ...settings, ...common }),
};
