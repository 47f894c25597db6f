/** PULSE as the core knows it. */
import type { BotKind } from '../../../../src/bots/kind.ts';
import { readPair } from '../../../../src/bots/settings/context.ts';
import { settingsReader } from '../../../../src/bots/settings/reader.ts';
import { pulseLadder } from './ladder.ts';
import { PulseSettings as Schema } from './schema.ts';
import { compilePulse, PULSE, type PulseSettings } from './settings.ts';
import { type PulseState, pulseStrategy } from './strategy.ts';

export const pulse: BotKind<PulseSettings, PulseState> = {
  read: settingsReader(PULSE, Schema, readPair, compilePulse),
  strategy: pulseStrategy,
  ladder: pulseLadder,
};
