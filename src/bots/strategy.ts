/**
 * What a strategy is, and what it sees of the run that it decides for (strategies.md 2 to 9). Read this file
 * to write a bot type; how a run carries out what it promises is in `run/`. Types only.
 */
import type { Dec } from '../domain/decimal.ts';
import type { BotCandle, SymbolView } from './market/view.ts';
import type {
  Alert,
  EndReason,
  Fill,
  Follow,
  FrameNeeds,
  PricePoint,
  RunOrder,
  RunStats,
  RunWorld,
  TickBounds,
  Wanted,
} from './run/contract.ts';
import type { LotBook } from './run/lots.ts';
import type { Slot } from './run/slot.ts';
import type { CompiledSettings, MarketRules, Problem } from './settings/compiled.ts';

export type {
  EntryPart,
  Fill,
  Follow,
  FrameNeeds,
  RunOrder,
  TickBounds,
  Wanted,
  WantedEntry,
  WantedExit,
} from './run/contract.ts';
export type { Lot } from './run/lots.ts';
export type { Slot } from './run/slot.ts';

/** Lots of the run: what its entries have bought and its exits have not sold yet. */
export type StrategyLots = Pick<
  LotBook,
  'open' | 'get' | 'keys' | 'total' | 'averageEntry' | 'breakEven' | 'adopt' | 'resize' | 'abandon'
> & {
  /** Base units that are too little to sell. */
  readonly state: { readonly dust: Dec };
};

/** Named places of the run's orders: what is wanted there and what is there. */
export interface StrategySlots {
  readonly state: { readonly slots: ReadonlyMap<string, Slot> };
  get(name: string): Slot | undefined;
  /** Orders at the host, oldest slot first. */
  orders(): Iterable<RunOrder>;
  /** True when the order was placed for what its slot wants now. */
  isWanted(order: RunOrder): boolean;
  /** Marks all slots to be checked again. */
  touchAll(): void;
}

/** What a run remembers, as far as its strategy reads it. `T`: the strategy's own part, which it writes. */
export interface StrategyMemory<T> {
  strategy: T | null;
  readonly startedAt: number;
  /** Deposit of this run, quote or margin units. */
  readonly budget: Dec;
  /** True when filters and ranges allow entries. */
  readonly gate: boolean;
  readonly lots: { readonly realised: Dec };
  readonly stats: RunStats;
}

/** A run as its strategy sees it. Prices, amounts and percents are Dec, times are market times in Unix ms. */
export interface StrategyRun<S extends CompiledSettings, T> {
  readonly settings: S;
  readonly rules: MarketRules;
  readonly world: RunWorld;
  readonly market: SymbolView;
  /** View of any symbol (NOTIFY). */
  readonly marketOf: (symbol: string) => SymbolView;
  readonly lots: StrategyLots;
  readonly slots: StrategySlots;
  readonly state: StrategyMemory<T>;
  /** State of the strategy; set from `begin` on. */
  readonly own: T;
  readonly now: number;
  /** Last price. */
  readonly price: Dec;
  /** Previous price and its time, null at the first tick: for "coming from above" and crossings. */
  readonly before: PricePoint | null;
  readonly running: boolean;
  /** True while the present tick has not been decided about: its fills and stops come first. */
  readonly tickPending: boolean;
  /** True when nothing of the present cycle has been sold: what it bought has become dust. */
  readonly cameToDust: boolean;
  /**
   * Set by the strategy when its state has changed in a way that must be stored with the effects of this
   * input.
   */
  changed: boolean;
  /**
   * Set by the strategy when its state has followed the price (peaks, lows): it is stored with the next
   * commit, which it does not force.
   */
  moved: boolean;

  /**
   * Sets what should be in the named slot from now on; null: nothing. Wanting the same again changes nothing.
   */
  want(slot: string, want: Wanted | null): void;
  /** Sells lots at MARKET, or as LIMIT at `price`, after their exits are withdrawn. */
  close(slot: string, lots: readonly string[], label: string, price?: Dec | null): void;
  /** Calls `onTimer` at a market time; null removes the timer. */
  timer(name: string, at: number | null): void;
  /** Completes a cycle. */
  cycle(): void;
  /** Level 1: errors, stops and ends; 2: also fills and cycles; 3: everything. */
  notice(level: 1 | 2 | 3, text: string): void;
  alert(alert: Alert): void;
  /** Ends the run by itself: all its orders are cancelled, a position is kept unless `sell`. */
  end(reason: EndReason, sell?: boolean): void;
  /** Ends the run as ERROR; the position is kept. */
  fail(reason: string): void;

  /**
   * Returns the budget of the cycle that begins now: with `reuse` it includes the realised PnL of the run.
   */
  cycleBudget(): Dec;
  /** Notional that an amount of margin covers; on spot the amount itself. */
  notional(budget: Dec): Dec;
  /** Returns true when `a` is at or beyond `b` on the winning side (above; for a short below). */
  better(a: Dec, b: Dec): boolean;
  /** `price` moved by percent to the winning side. */
  up(price: Dec, percent: Dec): Dec;
  /** `price` moved by percent to the losing side. */
  down(price: Dec, percent: Dec): Dec;
}

/**
 * A pure decider; each type has one folder. `T` is its state: plain data, bigint allowed; stored with every
 * change.
 */
export interface Strategy<S extends CompiledSettings, T> {
  /**
   * Problems that show only at a start: planned entries below the exchange's minimum, prices on the wrong
   * side. `price` is null when none is known yet; then only what needs none is checked.
   */
  startProblems(settings: S, rules: MarketRules, budget: Dec, price: Dec | null): readonly Problem[];
  /** Called when the run begins: its first price is known (and its start trigger has fired). */
  begin(run: StrategyRun<S, T>): T;
  /** True when the type needs a price before `begin` (ALARM and NOTIFY do not). */
  readonly needsPrice: boolean;
  /** Candles and indicators that it reads besides the last closed candles of the bot's own frame. */
  needs?(settings: S, world: RunWorld): readonly FrameNeeds[];
  /** Called before the stop rules check a close (SQUEEZE renews its reference). */
  beforeCandle?(run: StrategyRun<S, T>, candle: BotCandle, frameMs: number): void;
  onCandle?(run: StrategyRun<S, T>, candle: BotCandle, frameMs: number, symbol: string): void;
  onTick?(run: StrategyRun<S, T>): void;
  onTimer?(run: StrategyRun<S, T>, name: string): void;
  /** Called after an order of the run has filled (in part); the lots contain the fill already. */
  onFill?(run: StrategyRun<S, T>, order: RunOrder, fill: Fill): void;
  /** Called when an order ended, complete or not, and its slot is free again. */
  onEnded?(run: StrategyRun<S, T>, order: RunOrder): void;
  /**
   * True when a complete exit by a stop rule completes the cycle (not in GRID and LEVELS; strategies.md 2).
   */
  stopCompletesCycle(settings: S): boolean;
  /**
   * Called when lots were sold by a stop rule and the run goes on; the strategy frees what they belonged to.
   * `complete`: the whole position is gone.
   */
  onStopped?(run: StrategyRun<S, T>, lots: readonly string[], complete: boolean): void;
  /** Called when these lots were too small for an exit and have become dust. */
  onDust?(run: StrategyRun<S, T>, lots: readonly string[]): void;
  /** Called when filters and ranges begin or cease to allow entries. */
  onGate?(run: StrategyRun<S, T>, open: boolean): void;
  /**
   * Prices between which no tick has an effect on the strategy; null: every tick does. Called after each
   * input, so that ticks between them cost nothing.
   */
  quiet?(run: StrategyRun<S, T>): TickBounds | null;
  /**
   * What closes mean at the moment, for a host that knows the candles ahead: nothing, a `Follow`, or null:
   * each must be given at its time. Left out: null with `beforeCandle` or `onCandle`, else nothing.
   */
  closes?(run: StrategyRun<S, T>): 'nothing' | Follow | null;
  /** State label (specification, `state`). Pure. */
  label(run: StrategyRun<S, T>): string;
}

/** The strategy of any type; a run pairs it with settings of the same type. */
export type AnyStrategy = Strategy<CompiledSettings, unknown>;
