/** INTRADAY as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readPair } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { intradayLadder } from './ladder.ts';
import { IntradaySettings as Schema } from './schema.ts';
import { compileIntraday, type IntradaySettings } from './settings.ts';
import { type IntradayState, intradayStrategy } from './strategy.ts';

export const intraday: BotKind<IntradaySettings, IntradayState> = {
  read: settingsReader('INTRADAY', Schema, readPair, compileIntraday),
  strategy: intradayStrategy,
  ladder: intradayLadder,
};
