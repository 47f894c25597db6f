/**
 * One slot of a run's orders: what is wanted in it and what is there (strategies.md 2). Plain data and types.
 */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { CommonSettings, MarketRules, StopRule } from '../settings/compiled.ts';
import type { Grid, RunAction, RunOrder, TickBounds, Wanted } from './contract.ts';
import type { LotBook } from './lots.ts';

/** A price that a slot waits for instead of resting an order at it. */
export interface Watch {
  /** Price at which it fires; for a trailed exit, where it starts to trail. */
  readonly at: Dec;
  /** Fires at or below (true) or at or above the price. */
  readonly falling: boolean;
  /** Best price since a trailed exit has started; null: it has not. */
  peak: Dec | null;
  /**
   * For a stop entry that has been passed: when the price is strictly beyond, the entry is placed, and
   * nothing fires.
   */
  readonly back?: true;
}

/** An entry as it would fill. */
export interface EntryFill {
  readonly price: Dec;
  readonly qty: Dec;
  /** The entry would fill at the last price; false: it rests and fills at its own price. */
  readonly atOnce: boolean;
}

/** A stop rule that would sell at once what an entry buys. */
export interface BlockingRule {
  readonly rule: StopRule;
  /** Price at which the rule fires; null: something other than a price fires it. */
  readonly level: Dec | null;
  /** Prices between which a tick does not change the result; null: every tick may. */
  readonly ticks: TickBounds | null;
  /** The rule is checked again at closes. */
  readonly closes: boolean;
}

/** What an entry waits for, stored with its slot. */
export interface Barred extends Pick<BlockingRule, 'ticks' | 'closes'> {
  /** The entry was to rest: should its price be passed meanwhile, it waits for the price to come back. */
  readonly rests: boolean;
}

export interface Slot {
  readonly name: string;
  want: Wanted | null;
  /**
   * Number of the want. A want that merely changes another (its price, its size) keeps the number: fills of
   * earlier orders go on counting.
   */
  wantNumber: number;
  /** The want has fired: its order goes out now instead of resting. */
  fired: boolean;
  /** The orders at the host were placed for the present want. */
  placed: boolean;
  watch: Watch | null;
  /** The run has ended and leaves its orders at the exchange. */
  left: boolean;
  /** Orders that are requested or open at the host. */
  orders: RunOrder[];
  /**
   * Quantity of the present want that finished orders have filled; for an exit by quantity, without what had
   * filled before that quantity was set.
   */
  filled: Dec;
  /** For an exit: what its lots held when it was placed, and what had filled of the want before. */
  basis: Dec;
  rejected: number;
  /** Earliest market time of the next try; null: at once. */
  retryAt: number | null;
  /** The balance did not cover the order (`no_reserve`): reported once. */
  uncovered: boolean;
  /** A guard of the account keeps the order back; reported once for all of them. */
  guarded?: boolean;
  /** Times in a row that the balance did not cover it. */
  skips?: number;
  /**
   * A MARKET order found too little volume, or the engine's balance was too small: the slot waits for the
   * next tick.
   */
  starved: boolean;
  /** What an entry waits for that a stop rule would sell at once. */
  barred?: Barred | null;
}

export function newSlot(name: string): Slot {
  return {
    name,
    want: null,
    wantNumber: 0,
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

/**
 * Takes over a slot that was stored before wants had numbers, when the retry of an uncovered entry was lost
 * with the state.
 */
export function takeUpOld(slot: Slot): void {
  slot.wantNumber = 0;
  if (slot.uncovered && slot.retryAt === null && slot.orders.length === 0) slot.starved = true;
}

/** True for a stop that the engine holds because another exit of its lots rests (strategies.md 2, stop). */
export function isHeldBack({ want, watch, fired, orders }: Slot): boolean {
  return want?.role === 'exit' && want.stopPrice !== null && watch !== null && !fired && orders.length === 0;
}

/** True when the order was placed for what its slot wants now. */
export function serves(order: RunOrder, slot: Slot): boolean {
  return (order.wantNumber ?? 0) === slot.wantNumber;
}

/** Quantity that the slot's orders at the host have executed of its present want. */
export function executedOf(slot: Slot): Dec {
  let executed = ZERO;
  for (const order of slot.orders) if (serves(order, slot)) executed += order.executed;
  return executed;
}

export interface SlotState {
  slots: Map<string, Slot>;
  nextKey: number;
  /**
   * Steps to which the orders were rounded, except those that name others; left out before the first order,
   * and by older versions.
   */
  grid?: Grid;
}

export function newSlotState(): SlotState {
  return { slots: new Map(), nextKey: 1 };
}

/** What the book of slots needs of its run. */
export interface SlotContext {
  readonly settings: CommonSettings;
  readonly rules: MarketRules;
  readonly lots: LotBook;
  now(): number;
  price(): Dec | null;
  /** True while others have, or may get, a part of the same position (futures). */
  shared(): boolean;
  /** True when entries may rest now (filters, ranges, not stopping, no pause that withdraws them). */
  entriesAllowed(): boolean;
  /** True while the account or symbol takes no entries: none is sent. */
  isPaused(): boolean;
  /** Returns the stop rule that would sell at once what an entry buys; null: none would. */
  blockingRuleOf(fill: EntryFill): BlockingRule | null;
  /** True while the sale of a stop rule is on its way. */
  stopSells(): boolean;
  /** True when a cycle has been completed at this moment. */
  cycledNow(): boolean;
  act(action: RunAction): void;
  notice(level: 1 | 2 | 3, text: string): void;
  timer(name: string, at: number | null): void;
  /** Called when an entry was refused for the last time. */
  failed(reason: string): void;
  /** Called when a stop that the engine held has fired: these lots are being sold. */
  stopFired(slot: string, lots: readonly string[]): void;
  /** Called when a peak has moved. */
  followed(): void;
  /** Called when an exit was too small to be placed: its lots are dust now. */
  vanished(slot: string, lots: readonly string[]): void;
}
