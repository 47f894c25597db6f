/** A run as its stop rules see it: all its parts except the rules themselves. Types only. */
import type { Dec } from '../../domain/decimal.ts';
import type { SymbolView } from '../market/view.ts';
import type { CompiledSettings, MarketRules } from '../settings/compiled.ts';
import type { EndReason, RunWorld } from './contract.ts';
import type { LotBook } from './lots.ts';
import type { RunState } from './run-state.ts';
import type { SlotBook } from './slots.ts';

export interface RunBase {
  readonly settings: CompiledSettings;
  readonly rules: MarketRules;
  readonly world: RunWorld;
  readonly market: SymbolView;
  readonly lots: LotBook;
  readonly slots: SlotBook;
  readonly state: RunState;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Last price. */
  readonly price: Dec;
  readonly running: boolean;
  /** The state has changed in a way that must be stored with the effects of this input. */
  changed: boolean;
  /** The state has followed the price: it is stored with the next commit, which it does not force. */
  moved: boolean;
  notice(level: 1 | 2 | 3, text: string): void;
  /** Calls back at a market time; null removes the timer. */
  timer(name: string, at: number | null): void;
  /** Sells lots at MARKET, or as LIMIT at `price`, after their exits are withdrawn. */
  close(slot: string, lots: readonly string[], label: string, price?: Dec | null): void;
  cycle(): void;
  end(reason: EndReason, sell?: boolean): void;
  fail(reason: string): void;
  /** Handles the end of a stop rule's sale. */
  stopped(lots: readonly string[], complete: boolean, maxReached: boolean): void;
}
