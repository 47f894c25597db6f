/** SQUEEZE as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readPair } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { squeezeLadder } from './ladder.ts';
import { SqueezeSettings as Schema } from './schema.ts';
import { compileSqueeze, type SqueezeSettings } from './settings.ts';
import { type SqueezeState, squeezeStrategy } from './strategy.ts';

export const squeeze: BotKind<SqueezeSettings, SqueezeState> = {
  read: settingsReader('SQUEEZE', Schema, readPair, compileSqueeze),
  strategy: squeezeStrategy,
  ladder: squeezeLadder,
};
