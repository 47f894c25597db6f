/** CHANNEL as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readPair } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { channelLadder } from './ladder.ts';
import { ChannelSettings as Schema } from './schema.ts';
import { type ChannelSettings, compileChannel } from './settings.ts';
import { type ChannelState, channelStrategy } from './strategy.ts';

export const channel: BotKind<ChannelSettings, ChannelState> = {
  read: settingsReader('CHANNEL', Schema, readPair, compileChannel),
  strategy: channelStrategy,
  ladder: channelLadder,
};
