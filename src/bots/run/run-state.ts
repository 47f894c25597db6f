/** All that a run remembers, and the parts it is built from. Plain data; no decisions. */
import type { Cleanup } from '../../domain/bot.ts';
import { type Dec, ZERO } from '../../domain/decimal.ts';
import { periodStart } from '../market/candle.ts';
import type { FirstCandlePool } from '../market/first-candle-pool.ts';
import type { KeptSide } from '../market/price-line.ts';
import type { SymbolView } from '../market/view.ts';
import type { CompiledSettings, MarketRules } from '../settings/compiled.ts';
import type { AnyStrategy } from '../strategy.ts';
import type { EndReason, Pause, RunStats, RunWorld } from './contract.ts';
import { FirstCandles, firstsAgain, type StoredFirst } from './first-candles.ts';
import { DEFAULT_FRAME_MS } from './gates.ts';
import { type LotState, newLotState } from './lots.ts';
import { newSlotState, type SlotState } from './slot.ts';
import type { StopBookState } from './stops.ts';
import type { WaitingTick } from './tick-turn.ts';

/** `waiting`: for the first price; `standby`: for the start trigger; `ending`: clean-up is under way. */
export type RunPhase = 'waiting' | 'standby' | 'running' | 'ending' | 'ended';

/** All that a run remembers. Plain data; bigint and Map are allowed (`codec.ts` stores them). */
export interface RunState {
  phase: RunPhase;
  /** `start` was called; before that the exchange's settings are made. */
  started: boolean;
  readonly startedAt: number;
  endedAt: number | null;
  reason: EndReason | null;
  /** Message of an `error`. */
  error: string | null;
  /** Deposit of this run, quote or margin units. */
  budget: Dec;
  firstPrice: Dec | null;
  /** Side of the start trigger's line on which the price was last. */
  triggerSide: KeptSide;
  gate: boolean;
  /** Left out or null: the account and the symbol take entries. */
  pause?: Pause | null;
  /**
   * Why the run has failed as a whole while it held something (R12): no new entry or cycle begins; its exits
   * and stops go on until nothing is held, and then it ends as an error. Left out: it has not failed.
   */
  failed?: string;
  /** The candles in which the run started; null until the run is made. */
  firsts: StoredFirst[] | null;
  readonly lots: LotState;
  readonly slots: SlotState;
  readonly stops: StopBookState;
  /** Market time of each timer, by name. */
  readonly timers: Map<string, number>;
  readonly stats: RunStats;
  /** Realised PnL when the present cycle began. */
  cycleFrom: Dec;
  /** Market time at which the last cycle was completed; left out by runs that an older version stored. */
  cycledAt?: number | null;
  /**
   * False: nothing was sold since the last cycle was completed; left out: something was, or it is not known.
   */
  sold?: boolean;
  equityPeak: Dec;
  /** What remains to be done for an operator's stop. */
  stopping: { readonly cleanup: Cleanup; readonly sell: boolean; readonly reason: EndReason } | null;
  strategy: unknown;
  /** A tick whose decision waits until a stop's sale is over. */
  tick: WaitingTick | null;
}

export interface RunOptions {
  readonly settings: CompiledSettings;
  readonly strategy: AnyStrategy;
  readonly rules: MarketRules;
  readonly world: RunWorld;
  readonly market: SymbolView;
  /** View of any symbol (NOTIFY). */
  readonly marketOf: (symbol: string) => SymbolView;
  /** The market's pool of first candles. */
  readonly firsts: FirstCandlePool;
}

export function newRunState(startedAt: number): RunState {
  return {
    phase: 'waiting',
    started: false,
    startedAt,
    endedAt: null,
    reason: null,
    error: null,
    budget: ZERO,
    firstPrice: null,
    triggerSide: null,
    gate: true,
    firsts: null,
    lots: newLotState(),
    slots: newSlotState(),
    stops: { rules: [], states: [], fired: 0, next: 1 },
    timers: new Map(),
    stats: {
      realised: ZERO,
      fees: ZERO,
      volume: ZERO,
      cycles: 0,
      winningCycles: 0,
      fills: 0,
      maxDrawdown: ZERO,
      unfilled: ZERO,
      skipped: 0,
    },
    cycleFrom: ZERO,
    equityPeak: ZERO,
    stopping: null,
    strategy: null,
    tick: null,
  };
}

/**
 * Makes a first candle for every frame within which the run starts: for its own symbol, and for all symbols
 * where it reads others.
 */
export function firstCandles(
  { settings, strategy, world, firsts: pool }: RunOptions,
  state: RunState,
): FirstCandles {
  const own = settings.symbol;
  if (state.firsts !== null) {
    const again = firstsAgain(own, state.firsts, pool);
    const isOther = again.some(({ id }, at) => id !== state.firsts?.[at]?.id);
    state.firsts = again;
    return new FirstCandles(again, pool, isOther);
  }
  const frames = new Set<number>();
  if (own !== '') frames.add(settings.timeFrame ?? DEFAULT_FRAME_MS);
  for (const { trigger } of settings.stops) if (trigger.type === 'kline') frames.add(trigger.timeFrame);
  const others = new Map<number, number>();
  for (const { frameMs, symbol = own, keep = 1 } of strategy.needs?.(settings, world) ?? []) {
    if (symbol === own) frames.add(frameMs);
    else others.set(frameMs, Math.max(others.get(frameMs) ?? 1, keep));
  }
  const first = (symbol: string, frameMs: number, keep?: number): StoredFirst[] => {
    if (state.startedAt % frameMs === 0) return [];
    const id = pool.take(symbol, frameMs, state.startedAt);
    const time = periodStart(state.startedAt, frameMs);
    return [{ id, frameMs, time, ...(keep === undefined ? {} : { keep }) }];
  };
  state.firsts = [
    ...[...frames].flatMap((frameMs) => first(own, frameMs)),
    ...[...others].flatMap(([frameMs, keep]) => first('', frameMs, keep)),
  ];
  return new FirstCandles(state.firsts, pool);
}
