/** ALARM as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readPair } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { alarmLadder } from './ladder.ts';
import { AlarmSettings as Schema } from './schema.ts';
import { type AlarmSettings, compileAlarm } from './settings.ts';
import { type AlarmState, alarmStrategy } from './strategy.ts';

export const alarm: BotKind<AlarmSettings, AlarmState> = {
  read: settingsReader('ALARM', Schema, readPair, compileAlarm),
  strategy: alarmStrategy,
  ladder: alarmLadder,
  targets: ({ notify: targets }) => targets,
};
