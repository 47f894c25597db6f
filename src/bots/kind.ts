/**
 * A bot type as the core knows it: how its settings are read, how it decides, how its orders are laid out.
 * Types only.
 */
import type { Dec } from '../domain/decimal.ts';
import type { TypeLadder } from './ladder/type-ladder.ts';
import type { CompiledSettings } from './settings/compiled.ts';
import type { SettingsReader } from './settings/reader.ts';
import type { Strategy } from './strategy.ts';

/** `S`: its settings; `T`: what its strategy remembers. */
export interface BotKind<S extends CompiledSettings = CompiledSettings, T = unknown> {
  readonly read: SettingsReader<S>;
  readonly strategy: Strategy<S, T>;
  readonly ladder: TypeLadder<S>;
  /**
   * Side of its orders, where the bot's direction is only that of its orders: what it sells is no position of
   * its own. Null, or left out: it opens a position and closes it.
   */
  sideOf?(settings: S): 'BUY' | 'SELL' | null;
  /** Base units that it sells on spot without having bought them; null, or left out: none. */
  sellsOwn?(settings: S): Dec | null;
  /** Names of the targets that get its alerts; left out: none. */
  targets?(settings: S): readonly string[];
  /** Scans only symbols priced in this asset; null, or left out: any. */
  scannedQuote?(settings: S): string | null;
}
