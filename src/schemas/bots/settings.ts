/** Which settings schema belongs to which bot type. No logic. */
import type { TObject } from 'typebox';
import { AlarmSettings } from './alarm.ts';
import { AlgoSettings } from './algo.ts';
import type { BotType } from './bot-type.ts';
import { ChannelSettings } from './channel.ts';
import { FiboSettings } from './fibo.ts';
import { IntradaySettings } from './intraday.ts';
import { NotifySettings } from './notify.ts';
import { SqueezeSettings } from './squeeze.ts';

export const SETTINGS_SCHEMAS = {
  FIBO: FiboSettings,
  CHANNEL: ChannelSettings,
  SQUEEZE: SqueezeSettings,
  INTRADAY: IntradaySettings,
  ALGO: AlgoSettings,
  ALARM: AlarmSettings,
  NOTIFY: NotifySettings,
} as const satisfies Record<BotType, TObject>;
