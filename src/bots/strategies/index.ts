/** The strategy of each bot type. */
import type { Strategy } from '../run/contract.ts';
import type { BotType, CompiledSettings } from '../settings/compiled.ts';
import { alarm } from './alarm/alarm.ts';
import { algo } from './algo/algo.ts';
import { channel } from './channel/channel.ts';
import { fibo } from './fibo/fibo.ts';
import { intraday } from './intraday/intraday.ts';
import { notify } from './notify/notify.ts';
import { squeeze } from './squeeze/squeeze.ts';

/** Any strategy; a run pairs it with the settings of its own type. */
export type AnyStrategy = Strategy<CompiledSettings, unknown>;

const STRATEGIES: Readonly<Record<BotType, unknown>> = {
  ALARM: alarm,
  ALGO: algo,
  CHANNEL: channel,
  FIBO: fibo,
  INTRADAY: intraday,
  NOTIFY: notify,
  SQUEEZE: squeeze,
};

export function strategyOf(type: BotType): AnyStrategy {
  return STRATEGIES[type] as AnyStrategy;
}
