/** SQUEEZE: buys a sharp drop below the last closed candle, sells on the bounce (strategies.md 5). Pure. */
import { type Dec, div, floorTo, mul, ONE, ZERO } from '../../../domain/decimal.ts';
import { edgeOf } from '../../market/candle.ts';
import type { BotCandle } from '../../market/view.ts';
import { percentFrom } from '../../run/gates.ts';
import { entryProblem, leastQty } from '../../run/minimum.ts';
import type { Fill, Follow, Slot, Strategy, StrategyRun, TickBounds, WantedExit } from '../../strategy.ts';
import type { SqueezeSettings, TrailingRule } from './settings.ts';

const ENTRY = 'entry';
const EXIT = 'exit';
const TRAILED = 'trailed';
/** Least move of a trailing entry within a candle, percent. */
const LEAST_MOVE: Dec = 10n ** 29n;

export interface SqueezeState {
  /** `trailingEdge` value of the last closed candle. */
  reference: Dec | null;
  /** Reference from which the resting entry was placed; null without one. */
  placedFrom: Dec | null;
  /** Number of the present cycle; names its lot. */
  cycle: number;
  /** True when an entry may be placed before the next close. */
  mayEnter: boolean;
  /** For each rule: active until this market time; 0: off. */
  filters: number[];
  /** The one target of the cycle, for `orders.sell.priceStrategy` fixed. */
  target: Dec | null;
}

type SqueezeRun = StrategyRun<SqueezeSettings, SqueezeState>;

export const squeezeStrategy: Strategy<SqueezeSettings, SqueezeState> = {
  needsPrice: true,

  startProblems({ buy }, rules, budget, price) {
    const problem = price === null ? null : entryProblem('entry', budget, price, rules, buy?.size);
    return problem ? [problem] : [];
  },

  needs: ({ trailingRules, timeFrame }) =>
    trailingRules.length === 0
      ? []
      : [{ frameMs: timeFrame, keep: Math.max(...trailingRules.map(({ count }) => count)) + 1 }],

  begin: (run) => ({
    reference: null,
    placedFrom: null,
    cycle: 1,
    mayEnter: true,
    filters: run.settings.trailingRules.map(() => 0),
    target: null,
  }),

  stopCompletesCycle: () => true,

  beforeCandle(run, candle, frameMs) {
    if (frameMs !== run.settings.timeFrame) return;
    run.own.reference = edgeOf(candle, run.settings.trailingEdge);
    updateFilters(run);
    run.changed = true;
  },

  onCandle(run, _candle, frameMs) {
    if (frameMs !== run.settings.timeFrame) return;
    if (run.lots.open.length > 0) {
      // The rest of an entry is cancelled at the end of the candle of its first fill.
      run.want(ENTRY, null);
      return;
    }
    run.own.mayEnter = true;
    placeEntry(run);
  },

  onTick(run) {
    if (run.settings.trailing && run.lots.open.length === 0) follow(run);
  },

  onTimer(run, name) {
    if (!name.startsWith('filter ')) return;
    // A rule that became active again in between has set its timer anew.
    run.own.filters[Number(name.slice('filter '.length))] = 0;
    if (run.lots.open.length === 0 && run.own.mayEnter) placeEntry(run);
  },

  onFill(run, order, fill) {
    if (order.role === 'entry') {
      // A withdrawn entry has filled before its cancel: nothing more is bought until that is sold.
      if (!run.slots.isWanted(order)) run.want(ENTRY, null);
      placeExits(run, fill);
    } else if (run.lots.open.length === 0) complete(run);
  },

  onDust(run) {
    if (run.lots.open.length > 0) return;
    if (run.cameToDust) nextCycle(run);
    else complete(run);
  },

  onStopped(run) {
    if (run.lots.open.length > 0) return;
    // Nothing is bought at the price at which a rule has just sold: the next entry waits for a close (R1).
    run.own.mayEnter = false;
    nextCycle(run);
  },

  quiet,

  closes,

  label(run) {
    if (run.lots.open.length > 0) {
      const trails = [EXIT, TRAILED].some((name) => run.slots.get(name)?.watch?.peak != null);
      return trails ? 'trailing_sell' : 'holding';
    }
    return filtered(run) ? 'filtered' : 'waiting';
  },
};

/**
 * Prices between which ticks do not move a trailing entry. It follows a tick that is far enough beyond its
 * reference, and after that every tick of the same candle.
 */
function quiet(run: SqueezeRun): TickBounds | null {
  const { own, settings, lots } = run;
  const none = { below: null, above: null };
  if (!settings.trailing || lots.open.length > 0 || own.placedFrom === null || filtered(run)) return none;
  const least = run.up(own.placedFrom, LEAST_MOVE);
  const forming = run.market.forming(settings.timeFrame);
  const best = forming && (settings.short ? forming.low : forming.high);
  if (best !== null && run.better(best, least)) return null;
  return settings.short ? { below: least, above: null } : { below: null, above: least };
}

/** While nothing fills, the only effect of a close is that it moves the entry. */
function closes(run: SqueezeRun): Follow | null {
  const { own, settings, lots } = run;
  if (settings.trailingRules.length > 0 || own.reference === null) return null;
  const falling = !settings.short;
  const moves = settings.trailing ? run.up(ONE, LEAST_MOVE) : null;
  const follow = { frameMs: settings.timeFrame, edge: settings.trailingEdge, falling, moves };
  const entry = run.slots.get(ENTRY);
  if (lots.open.length > 0) return entry ? null : { ...follow, factor: null };
  return entry && isCovered(run, entry) ? { ...follow, factor: run.down(ONE, settings.buyPercent) } : null;
}

/**
 * True when the entry rests without fills and the balance covers it at any price it may move to: it will not
 * be rejected.
 */
function isCovered(run: SqueezeRun, entry: Slot): boolean {
  const { rules, world, settings } = run;
  const futures = rules.kind === 'futures';
  if (entry.orders.length === 0 || entry.filled > ZERO || entry.retryAt !== null) return false;
  // The balance that a position left by an earlier run needs changes with every tick.
  if (futures && world.position() !== null) return false;
  let own = ZERO;
  for (const { phase, cancelAsked, executed, qty, price } of entry.orders) {
    if (phase !== 'open' || cancelAsked || executed > ZERO || price === null) return false;
    own += mul(qty, price);
  }
  if (futures) own = div(own, world.leverage());
  const budget = run.cycleBudget();
  const fee = futures ? mul(run.notional(budget), rules.takerRate) : ZERO;
  return world.available(settings.deposit?.asset ?? rules.quote) + own >= budget + fee;
}

function placeEntry(run: SqueezeRun): void {
  const { own } = run;
  if (own.reference === null) return;
  if (filtered(run)) {
    own.placedFrom = null;
    run.want(ENTRY, null);
    return;
  }
  place(run, own.reference);
}

function place(run: SqueezeRun, reference: Dec): void {
  const { own, settings } = run;
  own.placedFrom = reference;
  run.want(ENTRY, {
    role: 'entry',
    type: 'LIMIT',
    price: run.down(reference, settings.buyPercent),
    stopPrice: null,
    parts: [
      { lot: `cycle ${own.cycle}`, label: 'entry', budget: run.notional(run.cycleBudget()), qty: null },
    ],
  });
}

/** `trailing`: moves the entry within a candle with the forming candle's value, but only toward the price. */
function follow(run: SqueezeRun): void {
  const { own, settings } = run;
  const forming = run.market.forming(settings.timeFrame);
  if (own.placedFrom === null || own.reference === null || !forming || filtered(run)) return;
  const value = edgeOf(forming, settings.trailingEdge);
  const reference = run.better(value, own.reference) ? value : own.reference;
  const least = run.up(own.placedFrom, LEAST_MOVE);
  if (run.better(reference, least)) place(run, reference);
}

function placeExits(run: SqueezeRun, fill: Fill): void {
  const { own, settings, lots } = run;
  const average = lots.averageEntry();
  if (average === null) return;
  own.placedFrom = null;
  // With `oncePerTimeFrame`, the next entry waits for the first close after the cycle (R8).
  own.mayEnter = !settings.oncePerTimeFrame;
  own.target ??= run.up(fill.price, settings.sellPercent);
  const target =
    settings.sell?.priceStrategy === 'fixed' ? own.target : run.up(average, settings.sellPercent);
  const trails = settings.trailingSell || settings.sell?.priceStrategy === 'trailing';
  const exit: WantedExit = {
    role: 'exit',
    type: 'LIMIT',
    price: target,
    stopPrice: null,
    lots: lots.open.map(({ key }) => key),
    qty: null,
    label: 'take profit',
    trail: trails ? settings.trailingDelta : null,
  };
  if (!settings.trailingPart) {
    run.want(EXIT, exit);
    return;
  }
  const whole = floorTo(lots.total() / 2n, run.rules.step);
  // A half below the exchange's minimum is trailed with the rest.
  const half = whole < leastQty('exit', target, run.rules) ? ZERO : whole;
  run.want(EXIT, half === ZERO ? null : { ...exit, qty: half, trail: null });
  run.want(TRAILED, { ...exit, qty: lots.total() + lots.state.dust - half, trail: settings.trailingDelta });
}

function complete(run: SqueezeRun): void {
  run.cycle();
  if (run.settings.onetime) {
    run.end('completed');
    return;
  }
  nextCycle(run);
}

function nextCycle(run: SqueezeRun): void {
  run.own.cycle++;
  run.own.target = null;
  run.want(ENTRY, null);
  if (run.own.mayEnter) placeEntry(run);
}

function filtered(run: SqueezeRun): boolean {
  return run.own.filters.some((until) => until > 0);
}

function updateFilters(run: SqueezeRun): void {
  for (const [i, rule] of run.settings.trailingRules.entries()) {
    if (!isOn(run, rule)) continue;
    run.own.filters[i] = run.now + rule.timeout;
    run.timer(`filter ${i}`, run.now + rule.timeout);
  }
}

function isOn(run: SqueezeRun, rule: TrailingRule): boolean {
  const span = rule.type === 'pump_filter' ? rule.count : 1;
  const candles = run.market.closed(run.settings.timeFrame, span + 1);
  if (candles.length <= span) return false;
  const first = edgeOf(candles[0] as BotCandle, rule.edge);
  const last = edgeOf(candles[span] as BotCandle, rule.edge);
  const change = percentFrom(first, last);
  return rule.type === 'pump_filter' ? change >= rule.maxChange : -change >= rule.maxChange;
}
