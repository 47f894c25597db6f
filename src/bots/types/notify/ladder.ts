/** The ladder of NOTIFY: it places no orders and names no price. Pure. */
import type { TypeLadder } from '../../ladder/type-ladder.ts';
import type { NotifySettings } from './settings.ts';

export const notifyLadder: TypeLadder<NotifySettings> = {
  plain: (settings) => settings,
};
