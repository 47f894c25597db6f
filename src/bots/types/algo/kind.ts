/** ALGO as the core knows it. */
import { ZERO } from '../../../domain/decimal.ts';
import type { BotKind } from '../../kind.ts';
import { readCode } from '../../settings/context.ts';
import { settingsReader } from '../../settings/reader.ts';
import { algoLadder } from './ladder.ts';
import { AlgoSettings as Schema } from './schema.ts';
import { type AlgoSettings, compileAlgo } from './settings.ts';
import { type AlgoState, algoStrategy } from './strategy.ts';

export const algo: BotKind<AlgoSettings, AlgoState> = {
  read: settingsReader('ALGO', Schema, readCode, compileAlgo),
  strategy: algoStrategy,
  ladder: algoLadder,
  // A twap has only the direction of its orders, and what it sells belongs to the account.
  sideOf: ({ algo: way, side }) => (way === 'twap' ? side : null),
  sellsOwn: ({ side, quantity }) => (side === 'SELL' ? (quantity ?? ZERO) : null),
};
