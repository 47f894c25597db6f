/** CHANNEL SCALE: a base order and safety orders below it, with one exit for all (strategies.md 4). Pure. */
import { type Dec, decOfInt, div, mul, ONE, ZERO } from '../../../domain/decimal.ts';
import { entryProblem } from '../../run/minimum.ts';
import type { MarketRules, Problem } from '../../settings/compiled.ts';
import type { RunOrder } from '../../strategy.ts';
import type { ChannelRun } from './cells.ts';
import { scaleOverBudget } from './scale-plan.ts';
import type { ChannelSettings } from './settings.ts';

const BASE = 'base';
const EXIT = 'exit';

export interface ScaleState {
  /** `idle`: the next cycle begins with the next tick (or close). */
  stage: 'idle' | 'entering' | 'holding';
  /** Average fill price of the base order; null before it. */
  entry: Dec | null;
  /** Notional of the cycle's base order; with `reuse` it includes the realised PnL. */
  size: Dec;
  /** The cycle ended within a tick that is not given yet: the next cycle begins with the tick after it. */
  skipTick: boolean;
  /** Safety orders must still be placed (at a close, with a time frame). */
  due: boolean;
}

interface Step {
  /** Percent below the base order's fill price. */
  readonly distance: Dec;
  /** Margin of the order as a multiple of the base order's. */
  readonly weight: Dec;
}

export function scaleProblems(
  settings: ChannelSettings,
  rules: MarketRules,
  budget: Dec,
  price: Dec | null,
): Problem[] {
  const { scale, deposit } = settings;
  // `budget` is notional; sizes and the deposit are margin.
  const leverage = decOfInt(rules.kind === 'spot' ? 1 : (deposit?.leverage ?? 1));
  const margin = div(budget, leverage);
  const percent = scale && deposit?.strategy === 'percent';
  const over = percent ? scaleOverBudget(scale, margin, deposit.asset) : null;
  const first = settings.entryPrice ?? price;
  if (over || first === null) return over ? [over] : [];
  const size = mul(sizeOf(settings, margin), leverage);
  const labels: [string, Dec, Dec][] = [['base order', size, first]];
  for (const [i, { distance, weight }] of stepsOf(settings).entries()) {
    labels.push([`safety order ${i + 1}`, mul(size, weight), away(settings, first, distance)]);
  }
  return labels.flatMap(
    ([label, amount, at]) => entryProblem(label, amount, at, rules, settings.buy?.size) ?? [],
  );
}

export function newScale(): ScaleState {
  return { stage: 'idle', entry: null, size: ZERO, skipTick: false, due: false };
}

/** Begins a cycle with its base order. */
export function beginScale(run: ChannelRun, state: ScaleState): void {
  const { settings } = run;
  state.stage = 'entering';
  state.entry = null;
  state.size = run.notional(sizeOf(settings, run.cycleBudget()));
  run.changed = true;
  run.want(BASE, {
    role: 'entry',
    type: settings.entryPrice === null ? 'MARKET' : 'LIMIT',
    price: settings.entryPrice,
    stopPrice: null,
    parts: [{ lot: BASE, label: 'base order', budget: state.size, qty: null }],
  });
}

/** Handles a tick or, with a time frame, a close. */
export function onScaleMoment(run: ChannelRun, state: ScaleState): void {
  if (state.skipTick) {
    state.skipTick = false;
    run.moved = true;
  } else if (state.stage === 'idle') {
    // A lot that was bought while its order was being cancelled is sold first.
    if (run.lots.open.length === 0) beginScale(run, state);
  } else if (state.due) placeSafety(run, state);
}

export function onScaleFill(run: ChannelRun, state: ScaleState, order: RunOrder): void {
  const { lots, settings } = run;
  if (order.role === 'exit') {
    if (lots.open.length > 0) return;
    closeCycle(run, state);
    run.cycle();
    if (settings.onetime) run.end('completed');
    return;
  }
  run.changed = true;
  if (order.slot === BASE) {
    const lot = lots.get(BASE);
    if (!lot) return;
    // The base order of the previous cycle has filled before its cancel: it becomes that of this cycle.
    if (!run.slots.isWanted(order)) run.want(BASE, null);
    state.stage = 'holding';
    state.entry = div(lot.filledQuote, lot.filledQty);
    state.due = settings.timeFrame !== null;
    if (!state.due) placeSafety(run, state);
  }
  placeExit(run, state);
}

/**
 * Places one exit for all that is held, at its average; each order has a lot of its own, so that a rule may
 * sell the newest (R3).
 */
export function placeExit(run: ChannelRun, state: ScaleState): void {
  const { lots, settings } = run;
  const average = lots.averageEntry();
  if (average === null || !settings.scale) return;
  const trails = settings.sell?.priceStrategy === 'trailing';
  const fixed = settings.sell?.priceStrategy === 'fixed';
  run.want(EXIT, {
    role: 'exit',
    type: 'LIMIT',
    price: run.up(fixed ? (state.entry ?? average) : average, settings.scale.takeProfit),
    stopPrice: null,
    lots: lots.keys,
    qty: null,
    label: 'take profit',
    trail: trails ? settings.scale.takeProfit / 4n : null,
  });
}

/**
 * Ends the cycle when the position is gone: resting orders are withdrawn, the next cycle waits for a tick.
 */
export function closeCycle(run: ChannelRun, state: ScaleState): void {
  run.want(BASE, null);
  for (const i of stepsOf(run.settings).keys()) run.want(safetySlot(i), null);
  state.stage = 'idle';
  state.entry = null;
  state.due = false;
  state.skipTick = run.settings.timeFrame === null && run.tickPending;
  run.changed = true;
}

export function scaleLabel(run: ChannelRun, state: ScaleState): string {
  if (run.lots.open.length > 0) return 'holding';
  return state.stage === 'entering' ? 'working' : 'waiting';
}

function placeSafety(run: ChannelRun, state: ScaleState): void {
  const { entry, size } = state;
  state.due = false;
  run.changed = true;
  if (entry === null) return;
  for (const [i, { distance, weight }] of stepsOf(run.settings).entries()) {
    run.want(safetySlot(i), {
      role: 'entry',
      type: 'LIMIT',
      price: away(run.settings, entry, distance),
      stopPrice: null,
      parts: [{ lot: safetySlot(i), label: `safety order ${i + 1}`, budget: mul(size, weight), qty: null }],
    });
  }
}

/** Steps with distance `d_k = d_(k-1) + step x stepScale^(k-1)` and weight `sizeScale^k`. */
function stepsOf({ scale }: ChannelSettings): Step[] {
  if (!scale) return [];
  const steps: Step[] = [];
  let distance = ZERO;
  let step = scale.step;
  let weight = ONE;
  for (let k = 1; k <= scale.orders; k++) {
    distance += step;
    step = mul(step, scale.stepScale);
    weight = mul(weight, scale.sizeScale);
    steps.push({ distance, weight });
  }
  return steps;
}

/** Margin of the base order; when it is left out, all orders together use the budget exactly. */
function sizeOf(settings: ChannelSettings, budget: Dec): Dec {
  const given = settings.scale?.size ?? null;
  if (given !== null) return given;
  let weights = ONE;
  for (const { weight } of stepsOf(settings)) weights += weight;
  return div(budget, weights);
}

function away({ short }: ChannelSettings, price: Dec, percent: Dec): Dec {
  const hundred = 100n * ONE;
  return div(mul(price, short ? hundred + percent : hundred - percent), hundred);
}

function safetySlot(i: number): string {
  return `safety ${i + 1}`;
}
