/** One slot of a run's orders: what is wanted in it and what is there (strategies.md 2). Plain data and types. */
import { type Dec, ZERO } from '../../domain/decimal.ts';
import type { CommonSettings, MarketRules, StopRule } from '../settings/compiled.ts';
import type { Grid, Quiet, RunAction, RunOrder, Wanted } from './contract.ts';
import type { LotBook } from './lots.ts';

/** A price that is waited for instead of resting an order at it. */
export interface Watch {
  /** Price at which it fires or, of a trailed exit, starts trailing. */
  readonly at: Dec;
  /** Fires at or below (true) or at or above the price. */
  readonly falling: boolean;
  /** Of a trailed exit that has started: best price since. */
  peak: Dec | null;
  /** Of a stop entry that has been passed: strictly beyond the price it is placed, and nothing fires. */
  readonly back?: true;
}

/** An entry as it would fill. */
export interface EntryFill {
  readonly price: Dec;
  readonly qty: Dec;
  /** It would take at the last price; else it rests, and fills at its own. */
  readonly atOnce: boolean;
}

/** A rule that would sell at once what an entry buys. */
export interface Bar {
  readonly rule: StopRule;
  /** Null: it is not a price that fires it. */
  readonly level: Dec | null;
  /** Prices between which a tick changes nothing about it; null: every tick may. */
  readonly ticks: Quiet | null;
  /** It is looked at again at closes. */
  readonly closes: boolean;
}

/** What an entry waits for, stored with its slot. */
export interface Barred extends Pick<Bar, 'ticks' | 'closes'> {
  /** It was to rest: should its price be passed meanwhile, it waits for the price to come back. */
  readonly rests: boolean;
}

export interface Slot {
  readonly name: string;
  want: Wanted | null;
  /** Number of the want. One that merely changes another (its price, its size) keeps it: what orders of it fill counts on. */
  wantNumber: number;
  /** The want has fired: it goes out now instead of resting. */
  fired: boolean;
  /** What is at the host went out under the present want. */
  placed: boolean;
  watch: Watch | null;
  /** The run has ended and leaves its orders where they are. */
  left: boolean;
  /** Asked or open at the host. */
  orders: RunOrder[];
  /** Filled of the present want by orders that are over; of an exit by quantity less what had filled before that was said. */
  filled: Dec;
  /** What the lots of an exit held when it was placed, and what had filled of the want before. */
  basis: Dec;
  rejected: number;
  /** Not before this market time; null = at once. */
  retryAt: number | null;
  /** The balance did not cover it (`no_reserve`): said once. */
  uncovered: boolean;
  /** A guard of the account keeps it back; said once for all of them. */
  guarded?: boolean;
  /** Times in a row that the balance did not cover it. */
  skips?: number;
  /** A MARKET order found too little volume, or the engine's balance too little money: it waits for the next tick. */
  starved: boolean;
  /** An entry that a stop rule would sell at once: what it waits for. */
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

/** One that was stored before wants had numbers, when the wait of an uncovered entry was lost with the state. */
export function takeUpOld(slot: Slot): void {
  slot.wantNumber = 0;
  if (slot.uncovered && slot.retryAt === null && slot.orders.length === 0) slot.starved = true;
}

/** A stop that the engine holds because another exit of its lots rests (strategies.md 2, stop). */
export function isHeldBack({ want, watch, fired, orders }: Slot): boolean {
  return want?.role === 'exit' && want.stopPrice !== null && watch !== null && !fired && orders.length === 0;
}

/** The order was placed for what is wanted in its slot now. */
export function serves(order: RunOrder, slot: Slot): boolean {
  return (order.wantNumber ?? 0) === slot.wantNumber;
}

/** What its orders that are at the host have executed of what is wanted now. */
export function executedOf(slot: Slot): Dec {
  let executed = ZERO;
  for (const order of slot.orders) if (serves(order, slot)) executed += order.executed;
  return executed;
}

export interface SlotState {
  slots: Map<string, Slot>;
  nextKey: number;
  /** What its orders were rounded to, but for those that say another; left out before the first, and by older versions. */
  grid?: Grid;
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
  /** Others have a part of the same position, or may get one (futures). */
  shared(): boolean;
  /** Entries may rest now (filters, ranges, not stopping, nothing that takes them back). */
  entriesAllowed(): boolean;
  /** Account or symbol take no entries: none is sent. */
  isPaused(): boolean;
  /** The stop rule that would sell at once what an entry buys; null: none would. */
  barOf(fill: EntryFill): Bar | null;
  /** The sale of a stop rule is on its way. */
  stopSells(): boolean;
  /** A cycle has been completed at this moment. */
  cycledNow(): boolean;
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
