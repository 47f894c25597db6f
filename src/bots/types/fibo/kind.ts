/** FIBO as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readPair } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { fiboLadder } from './ladder.ts';
import { FiboSettings as Schema } from './schema.ts';
import { compileFibo, type FiboSettings } from './settings.ts';
import { type FiboState, fiboStrategy } from './strategy.ts';

export const fibo: BotKind<FiboSettings, FiboState> = {
  read: settingsReader('FIBO', Schema, readPair, compileFibo),
  strategy: fiboStrategy,
  ladder: fiboLadder,
};
