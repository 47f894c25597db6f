/**
 * What every bot type decides, for the core. The list for all other parts is `index.ts`; each type is in
 * both.
 */
import type { BotKind } from '../kind.ts';
import { alarm } from './alarm/kind.ts';
import { algo } from './algo/kind.ts';
import { channel } from './channel/kind.ts';
import { fibo } from './fibo/kind.ts';
import type { BotType } from './index.ts';
import { intraday } from './intraday/kind.ts';
import { notify } from './notify/kind.ts';
import { squeeze } from './squeeze/kind.ts';

export const BOT_KINDS: Readonly<Record<BotType, BotKind>> = {
  FIBO: fibo,
  CHANNEL: channel,
  SQUEEZE: squeeze,
  INTRADAY: intraday,
  ALGO: algo,
  ALARM: alarm,
  NOTIFY: notify,
};

export function kindOf(type: BotType): BotKind {
  return BOT_KINDS[type];
}
