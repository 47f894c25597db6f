/**
 * What a strategy is, and all that it sees of the run that it decides for (strategies.md 2 to 9). Whoever writes a bot type
 * reads this page; how a run keeps its promises is in `run/`. Types only.
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
  Quiet,
  RunOrder,
  RunStats,
  RunWorld,
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
  Quiet,
  RunOrder,
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
  /** Base units that are too little to be sold. */
  readonly state: { readonly dust: Dec };
};

/** Named places of the run's orders: what is wanted there and what is there. */
export interface StrategySlots {
  readonly state: { readonly slots: ReadonlyMap<string, Slot> };
  get(name: string): Slot | undefined;
  /** Orders at the host, oldest slot first. */
  orders(): Iterable<RunOrder>;
  /** The order was placed for what is wanted in its slot now. */
  isWanted(order: RunOrder): boolean;
  /** Everything is looked at again. */
  touchAll(): void;
}

/** What a run remembers, as far as its strategy reads it. `T`: the strategy's own part, which it writes. */
export interface StrategyMemory<T> {
  strategy: T | null;
  readonly startedAt: number;
  /** Deposit of this run, quote or margin units. */
  readonly budget: Dec;
  /** Filters and ranges let entries go on. */
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
  /** State of the strategy, from `begin` on. */
  readonly own: T;
  readonly now: number;
  /** Last price. */
  readonly price: Dec;
  /** Previous price and when it was, null at the first tick: for "coming from above" and crossings. */
  readonly before: PricePoint | null;
  readonly running: boolean;
  /** The present tick has not been decided about yet: its fills and stops come first. */
  readonly tickPending: boolean;
  /** Nothing of the present cycle has been sold: what it bought has become dust. */
  readonly cameToDust: boolean;
  /** To be set where state has changed in a way that must be stored with the effects of this input. */
  changed: boolean;
  /** To be set where state has followed the price (peaks, lows): stored with the next commit, whoever's. */
  moved: boolean;

  /** What should be in the named slot from now on; null = nothing. Wanting the same again changes nothing. */
  want(slot: string, want: Wanted | null): void;
  /** Sells lots at MARKET, or as LIMIT at `price`, their exits withdrawn first. */
  close(slot: string, lots: readonly string[], label: string, price?: Dec | null): void;
  /** Calls `onTimer` at a market time; null takes it back. */
  timer(name: string, at: number | null): void;
  /** A cycle is complete. */
  cycle(): void;
  /** 1 = errors, stops and ends, 2 = also fills and cycles, 3 = everything. */
  notice(level: 1 | 2 | 3, text: string): void;
  alert(alert: Alert): void;
  /** The run ends by itself: all its orders are cancelled, a position is kept unless `sell`. */
  end(reason: EndReason, sell?: boolean): void;
  /** The run ends as ERROR; the position is kept. */
  fail(reason: string): void;

  /** Budget of the cycle that begins now: with `reuse` the realised PnL of the run is in it. */
  cycleBudget(): Dec;
  /** Notional that an amount of margin carries; on spot the amount itself. */
  notional(budget: Dec): Dec;
  /** Is `a` at or beyond `b` on the winning side (above, of a short below)? */
  better(a: Dec, b: Dec): boolean;
  /** `price` moved by percent to the winning side. */
  up(price: Dec, percent: Dec): Dec;
  /** `price` moved by percent to the losing side. */
  down(price: Dec, percent: Dec): Dec;
}

/** A pure decider: one folder a type. `T` is its state: plain data, bigint allowed; stored with every change. */
export interface Strategy<S extends CompiledSettings, T> {
  /**
   * Problems that show only at a start: planned entries below the exchange's minimum, prices on the wrong side.
   * `price` is null when none is known yet; then only what needs none is checked.
   */
  startProblems(settings: S, rules: MarketRules, budget: Dec, price: Dec | null): readonly Problem[];
  /** The run begins: its first price is known (and its start trigger has fired). */
  begin(run: StrategyRun<S, T>): T;
  /** Whether the type needs a price before `begin` (ALARM and NOTIFY do not). */
  readonly needsPrice: boolean;
  /** Candles and indicators that it reads besides the last closed candles of the bot's own frame. */
  needs?(settings: S, world: RunWorld): readonly FrameNeeds[];
  /** Before the stop rules look at a close (SQUEEZE renews its reference). */
  beforeCandle?(run: StrategyRun<S, T>, candle: BotCandle, frameMs: number): void;
  onCandle?(run: StrategyRun<S, T>, candle: BotCandle, frameMs: number, symbol: string): void;
  onTick?(run: StrategyRun<S, T>): void;
  onTimer?(run: StrategyRun<S, T>, name: string): void;
  /** An order of the run filled (in part); the lots have it already. */
  onFill?(run: StrategyRun<S, T>, order: RunOrder, fill: Fill): void;
  /** An order ended, complete or not, and its slot is free again. */
  onEnded?(run: StrategyRun<S, T>, order: RunOrder): void;
  /** Whether a complete exit by a stop rule completes the cycle (not in GRID and LEVELS; strategies.md 2). */
  stopCompletesCycle(settings: S): boolean;
  /** Lots were sold by a stop rule and the run goes on; the strategy frees what they belonged to. `complete`: the whole position is gone. */
  onStopped?(run: StrategyRun<S, T>, lots: readonly string[], complete: boolean): void;
  /** These lots were too small for an exit and are dust now. */
  onDust?(run: StrategyRun<S, T>, lots: readonly string[]): void;
  /** Entries may be placed again, or no more (filters, ranges). */
  onGate?(run: StrategyRun<S, T>, open: boolean): void;
  /**
   * Prices between which no tick means anything to the strategy; null: every tick does. Asked after each input, so that
   * a tick inside costs nothing.
   */
  quiet?(run: StrategyRun<S, T>): Quiet | null;
  /**
   * What closes mean at the moment, for a host that knows the candles ahead: nothing, a `Follow`, or (null) that each must
   * be told in its time. Left out: null with `beforeCandle` or `onCandle`, else nothing.
   */
  closes?(run: StrategyRun<S, T>): 'nothing' | Follow | null;
  /** State label (specification, `state`). Pure. */
  label(run: StrategyRun<S, T>): string;
}

/** The strategy of any type; a run pairs it with settings of the same type. */
export type AnyStrategy = Strategy<CompiledSettings, unknown>;
