/** NOTIFY as the core knows it. */
import type { BotKind } from '../../kind.ts';
import { readCode } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { notifyLadder } from './ladder.ts';
import { NotifySettings as Schema } from './schema.ts';
import { compileNotify, type NotifySettings } from './settings.ts';
import { type NotifyState, notifyStrategy } from './strategy.ts';

export const notify: BotKind<NotifySettings, NotifyState> = {
  read: settingsReader('NOTIFY', Schema, readCode, compileNotify),
  strategy: notifyStrategy,
  ladder: notifyLadder,
  targets: ({ notify: targets }) => targets,
  scannedQuote: ({ quote }) => quote,
};
