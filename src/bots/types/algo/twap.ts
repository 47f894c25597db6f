/** ALGO twap: one quantity in equal slices over a period of time (strategies.md 7). Pure. */
import { type Dec, div, floorTo, mul, ONE, str, ZERO } from '../../../domain/decimal.ts';
import { leastQty } from '../../run/minimum.ts';
import type { MarketRules, Problem } from '../../settings/compiled.ts';
import type { RunOrder, StrategyRun } from '../../strategy.ts';
import { seededShares } from './jitter.ts';
import type { AlgoSettings } from './settings.ts';
import { slicesBelowMinimum } from './twap-slices.ts';

type AlgoRun = StrategyRun<AlgoSettings, unknown>;

const HUNDRED = 100n * ONE;
const LOT = 'twap';
const SLOT = 'slice';

export interface TwapState {
  kind: 'twap';
  /** Quote units to spend (`deposit`), or null: base units to trade. */
  readonly budget: Dec | null;
  readonly total: Dec;
  /** Part of the total that is due after each slice; after the last slice, all of it. */
  readonly planned: readonly Dec[];
  /** Market time of each slice. */
  readonly times: readonly number[];
  /** Number of slices whose time has come. */
  due: number;
  /** Traded so far: base units, and quote units. */
  done: Dec;
  spent: Dec;
  /** The due quantity is sent once the open order has ended. */
  again: boolean;
  /** The last order was sent: what it leaves is not traded. */
  final: boolean;
}

export function twapProblems(
  settings: AlgoSettings,
  rules: MarketRules,
  budget: Dec,
  price: Dec | null,
): Problem[] {
  const { twap, quantity, deposit } = settings;
  // A fixed deposit was checked with the settings.
  if (!twap || (deposit?.strategy === 'fixed' && rules.kind === 'spot')) return [];
  const notional = quantity === null ? budget : price === null ? null : mul(quantity, price);
  const problem = notional === null ? null : slicesBelowMinimum(twap.slices, notional, rules);
  return problem ? [problem] : [];
}

export function beginTwap(run: AlgoRun): TwapState {
  const { settings, state, rules } = run;
  const { twap, quantity } = settings;
  const slices = twap?.slices ?? 1;
  const budget = quantity === null ? run.notional(run.cycleBudget()) : null;
  const total = budget ?? quantity ?? ZERO;
  const { weights, shifts } = seededShares(run.world.seed(), slices, twap?.jitter ?? ZERO);
  const each = total / BigInt(slices);
  const planned: Dec[] = [];
  let sum = ZERO;
  for (let i = 0; i < slices; i++) {
    const share = mul(each, weights[i] ?? ONE);
    sum += budget === null ? floorTo(share, rules.step) : share;
    planned.push(i === slices - 1 ? total : sum);
  }
  const interval = twap?.interval ?? 0;
  const times = planned.map((_share, i) => {
    const shift = Math.round(interval * (shifts[i] ?? 0));
    return state.startedAt + i * interval + (i === 0 ? Math.abs(shift) : shift);
  });
  const own: TwapState = {
    kind: 'twap',
    budget,
    total,
    planned,
    times,
    due: 0,
    done: ZERO,
    spent: ZERO,
    again: false,
    final: false,
  };
  if (settings.side === 'SELL') run.lots.adopt(LOT, 'twap', floorTo(total, rules.step), run.price, run.now);
  state.strategy = own;
  for (const [i, at] of times.entries()) if (at > run.now) run.timer(`slice ${i}`, at);
  slice(run, own);
  return own;
}

/** Sends a slice; called when the time of one or more slices has come. */
export function slice(run: AlgoRun, own: TwapState): void {
  own.due = own.times.filter((at) => at <= run.now).length;
  run.changed = true;
  send(run, own);
  if (own.due < own.times.length) return;
  const { twap } = run.settings;
  if (twap?.limitOffset == null) {
    own.final = true;
    finish(run, own);
    return;
  }
  run.timer('final', (own.times.at(-1) ?? run.now) + twap.interval);
}

/** Sends the rest at MARKET, one timeFrame after the last slice. */
export function sendFinal(run: AlgoRun, own: TwapState): void {
  own.final = true;
  run.changed = true;
  if (!waits(run, own)) place(run, own, null);
  finish(run, own);
}

export function onTwapFill(run: AlgoRun, own: TwapState, order: RunOrder, price: Dec, qty: Dec): void {
  own.done += qty;
  own.spent += mul(qty, price);
  run.changed = true;
  if (order.executed === order.qty) finish(run, own);
}

/** Handles an ended order. What a MARKET order has left is added to the next slice, as a skipped slice is. */
export function onTwapEnded(run: AlgoRun, own: TwapState, order: RunOrder): void {
  if (order.type === 'MARKET') run.want(SLOT, null);
  if (own.again) {
    own.again = false;
    run.changed = true;
    if (own.final) place(run, own, null);
    else send(run, own);
  }
  finish(run, own);
}

function send(run: AlgoRun, own: TwapState): void {
  if (waits(run, own)) return;
  const { twap } = run.settings;
  if (!twap || isWorse(run)) {
    // The slice is skipped; its quantity is added to the next one.
    run.want(SLOT, null);
    return;
  }
  const { limitOffset } = twap;
  const better = limitOffset === null ? null : run.settings.side === 'BUY' ? -limitOffset : limitOffset;
  place(run, own, better === null ? null : div(mul(run.price, HUNDRED + better), HUNDRED));
}

/**
 * True while an order is open: its fills decide what is due. A LIMIT order is cancelled first, a MARKET order
 * ends by itself.
 */
function waits(run: AlgoRun, own: TwapState): boolean {
  const out = run.slots.get(SLOT)?.orders ?? [];
  if (out.length === 0) return false;
  own.again = true;
  if (out.some(({ type }) => type !== 'MARKET')) run.want(SLOT, null);
  return true;
}

/** Places what is due now in one order; `price` null: MARKET. */
function place(run: AlgoRun, own: TwapState, price: Dec | null): void {
  const { side } = run.settings;
  const planned = own.planned[own.due - 1] ?? ZERO;
  const at = price ?? run.price;
  const due = own.budget === null ? planned - own.done : div(planned - own.spent, at);
  const qty = floorTo(due, run.rules.step);
  // Too little for an order is added to the next slice, and is not traded after the last one.
  const isTooSmall = qty <= ZERO || qty < leastQty('entry', at, run.rules);
  if (isTooSmall || (price === null && isWorse(run))) {
    run.want(SLOT, null);
    return;
  }
  const type = price === null ? 'MARKET' : 'LIMIT';
  run.want(
    SLOT,
    side === 'BUY'
      ? {
          role: 'entry',
          type,
          price,
          stopPrice: null,
          parts: [{ lot: `${LOT} ${own.due}`, label: `slice ${own.due}`, budget: null, qty }],
        }
      : {
          role: 'exit',
          type,
          price,
          stopPrice: null,
          lots: [LOT],
          qty,
          label: `slice ${own.due}`,
          trail: null,
          reduceOnly: false,
        },
  );
}

/** Completes the run when all orders are done, and reports what was not traded. */
function finish(run: AlgoRun, own: TwapState): void {
  if (!own.final || own.again || !run.running) return;
  for (const order of run.slots.orders()) if (order.slot === SLOT) return;
  if (run.slots.get(SLOT)?.want) return;
  const left = own.budget === null ? own.total - own.done : div(own.total - own.spent, run.price);
  const rest = floorTo(left, run.rules.step);
  run.state.stats.unfilled = rest > ZERO ? rest : ZERO;
  if (rest > ZERO) run.notice(1, `${str(rest)} ${run.rules.base} were not traded`);
  // What a SELL has not sold belongs to the account and is no position of the run.
  run.lots.abandon(LOT);
  run.cycle();
  run.end('completed');
}

function isWorse(run: AlgoRun): boolean {
  const limit = run.settings.twap?.priceLimit ?? null;
  if (limit === null) return false;
  return run.settings.side === 'BUY' ? run.price > limit : run.price < limit;
}
