/**
 * What would wake a run up, for hosts that know the candles ahead (backtest, preview): everything in between
 * can be left out with the same outcome. Errs on the safe side: it may name too much, never too little. Pure.
 */
import { type Dec, div, mul, ZERO } from '../../domain/decimal.ts';
import type { AnyStrategy } from '../strategy.ts';
import type { Follow, TickBounds } from './contract.ts';
import { hasGate } from './gates.ts';
import type { RunParts } from './run-parts.ts';
import { narrowed } from './wants.ts';

/** A run together with what its strategy needs to answer questions about it. */
type Decided = RunParts & Parameters<AnyStrategy['label']>[0];

export interface WakeBounds {
  /** A tick at or beyond one of these prices must be given. */
  readonly ticks: TickBounds;
  /** As `Strategy.closes` returns it; null: each close must be given at its time. */
  readonly closes: 'nothing' | Follow | null;
  /** A close must be given when its candle goes beyond one of these prices; null: none is watched. */
  readonly equity: EquityBounds | null;
}

/** Prices between which neither the worst drawdown nor the best equity so far changes. */
export interface EquityBounds {
  readonly lowest: Dec | null;
  readonly highest: Dec | null;
  /** Bounds of the closing price. */
  readonly lowestClose: Dec | null;
  readonly highestClose: Dec | null;
}

/** Prices between which a tick changes nothing for the run; null: every tick may. */
export function quietOf(run: Decided, strategy: AnyStrategy): TickBounds | null {
  if (run.state.phase !== 'running' || hasGate(run.settings) || strategy.quiet === undefined) return null;
  // A tick waits for its decision, which the next price would change.
  if (run.state.tick !== null) return null;
  const slots = run.slots.quiet();
  const stops = slots && run.stops.quiet();
  const own = stops && strategy.quiet(run);
  return slots && stops && own && narrowed(slots, narrowed(stops, own));
}

export function wakeBoundsOf(run: Decided, strategy: AnyStrategy, ticks: TickBounds): WakeBounds {
  const holds = run.lots.open.length > 0;
  const hearsCandles = strategy.beforeCandle !== undefined || strategy.onCandle !== undefined;
  let closes = strategy.closes ? strategy.closes(run) : hearsCandles ? null : 'nothing';
  if ((holds && looksAtCloses(run)) || waitsForCloses(run)) closes = null;
  const equity = holds && run.state.budget !== ZERO ? equityBounds(run) : null;
  return { ticks, closes, equity };
}

function looksAtCloses({ stops }: RunParts): boolean {
  return stops.rules.some(({ disabled, trigger }) => !disabled && trigger.type === 'kline' && trigger.closed);
}

/** True when an entry waits for what a rule says about the next candle. */
function waitsForCloses({ slots }: RunParts): boolean {
  for (const { barred } of slots.state.slots.values()) if (barred?.closes) return true;
  return false;
}

/** Bounds of `Run.#drawdown`: equity falls with the price; for a short position it rises. */
function equityBounds({ state, lots, settings }: RunParts): EquityBounds {
  const held = lots.total() + lots.state.dust;
  const none = { lowest: null, highest: null, lowestClose: null, highestClose: null };
  // Nothing is held that a price could change: every close is given.
  if (held <= ZERO) return { ...none, highest: ZERO };
  const base = state.budget + state.lots.realised;
  const cost = lots.cost() + lots.state.dustCost;
  const peak = state.equityPeak;
  const worst = peak > ZERO ? peak - mul(peak, state.stats.maxDrawdown) / 100n : null;
  if (settings.short) {
    return {
      ...none,
      highest: worst === null ? null : div(base + cost - worst, held),
      lowestClose: div(base + cost - peak, held) + 1n,
    };
  }
  return {
    ...none,
    lowest: worst === null ? null : div(worst - base + cost, held) + 1n,
    highestClose: div(peak - base + cost, held),
  };
}
