/** One slot of a run's orders: what is wanted in it and what is there (strategies.md 2). Plain data and types. */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { CommonSettings, MarketRules } from '../settings/compiled.ts';
import type { RunAction, RunOrder, Wanted } from './contract.ts';
import type { LotBook } from './lots.ts';

/** A price that is waited for instead of resting an order at it. */
export interface Watch {
  /** Price at which it fires or, of a trailed exit, starts trailing. */
  readonly at: Dec;
  /** Fires at or below (true) or at or above the price. */
  readonly falling: boolean;
  /** Of a trailed exit that has started: best price since. */
  peak: Dec | null;
}

export interface Slot {
  readonly name: string;
  want: Wanted | null;
  /** The want has fired: it goes out now instead of resting. */
  fired: boolean;
  /** What is at the host went out under the present want. */
  placed: boolean;
  watch: Watch | null;
  /** The run has ended and leaves its orders where they are. */
  left: boolean;
  /** Asked or open at the host. */
  orders: RunOrder[];
  /** Filled of the present want by orders that are over. */
  filled: Dec;
  /** What the lots of an exit held when it was placed, and what had filled of the want before. */
  basis: Dec;
  rejected: number;
  /** Not before this market time; null = at once. */
  retryAt: number | null;
  /** The balance did not cover it (`no_reserve`): said once. */
  uncovered: boolean;
  /** A MARKET exit found too little volume: the rest waits for the next tick. */
  starved: boolean;
}

export function newSlot(name: string): Slot {
  return {
    name,
    want: null,
    fired: false,
    placed: false,
    watch: null,
    left: false,
    orders: [],
    filled: ZERO,
    basis: ZERO,
    rejected: 0,
    retryAt: null,
    uncovered: false,
    starved: false,
  };
}

export interface SlotState {
  slots: Map<string, Slot>;
  nextKey: number;
}

export function newSlotState(): SlotState {
  return { slots: new Map(), nextKey: 1 };
}

/** What the book needs of its run. */
export interface SlotContext {
  readonly settings: CommonSettings;
  readonly rules: MarketRules;
  readonly lots: LotBook;
  now(): number;
  price(): Dec | null;
  /** Entries may be placed now (filters, ranges, not stopping). */
  entriesAllowed(): boolean;
  act(action: RunAction): void;
  notice(level: 1 | 2 | 3, text: string): void;
  timer(name: string, at: number | null): void;
  /** An entry was refused for the last time. */
  failed(reason: string): void;
  /** A stop that the engine held has fired: these lots are being sold. */
  stopFired(slot: string, lots: readonly string[]): void;
  /** A peak has moved. */
  followed(): void;
  /** An exit was too small to be placed: its lots are dust now. */
  vanished(slot: string, lots: readonly string[]): void;
}
