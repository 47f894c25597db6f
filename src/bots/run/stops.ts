/**
 * Stop rules of a run (strategies.md 2, "stop"): when each fires, what rests at the exchange for it, its
 * snooze time and counters. Decides only that a rule fires; the run sells. Pure; plain state.
 */
import { type Dec, div, mul, ONE, ZERO } from '../../domain/decimal.ts';
import { edgeOf } from '../market/candle.ts';
import { lineAt } from '../market/price-line.ts';
import type { BotCandle, SymbolView } from '../market/view.ts';
import type { StopRule } from '../settings/compiled.ts';
import type { TickBounds } from './contract.ts';
import type { LotBook } from './lots.ts';
import { narrowed } from './wants.ts';

const HUNDRED = 100n * ONE;

/** State of a rule; stored with the run. */
export interface StopState {
  /** `breakeven`: armed for good. */
  armed: boolean;
  /** `trailing`: best price since the entry. */
  best: Dec | null;
  /** Market time until which the rule sleeps. */
  sleepsUntil: number;
  /** A command has deleted the rule: it is switched off for good. */
  removed: boolean;
}

/** State of all rules of a run; stored with it. */
export interface StopBookState {
  rules: StopRule[];
  states: StopState[];
  /** Number of times that all rules together have fired. */
  fired: number;
  /** Number of the next rule, for its slot. */
  next: number;
}

export function newStopState(): StopState {
  return { armed: false, best: null, sleepsUntil: 0, removed: false };
}

export interface StopContext {
  readonly lots: LotBook;
  readonly market: SymbolView;
  readonly short: boolean;
  /** Market time at which the run was started. */
  readonly startedAt: number;
  now(): number;
}

/** Level at or beyond which the rule fires at this moment; null while it has none. */
export function stopLevel(rule: StopRule, state: StopState, ctx: StopContext): Dec | null {
  const { lots, short } = ctx;
  const { trigger, order } = rule;
  const away = (price: Dec, percent: Dec) =>
    div(mul(price, short ? HUNDRED + percent : HUNDRED - percent), HUNDRED);
  switch (rule.strategy) {
    case 'price':
      return positive(trigger.line && lineAt(trigger.line, ctx.now()));
    case 'trend_percent_price': {
      const line = positive(trigger.line && lineAt(trigger.line, ctx.now()));
      return line === null ? null : away(line, trigger.percent ?? ZERO);
    }
    case 'price_percent_buy': {
      const average = lots.averageEntry();
      return average === null ? null : away(average, trigger.value ?? ZERO);
    }
    case 'breakeven':
      return state.armed ? lots.breakEven() : null;
    case 'fixed':
      return order.stopPrice ?? trigger.value;
    case 'trailing':
      return state.best === null ? null : away(state.best, trigger.value ?? ZERO);
    case 'timeout_buy':
      return null;
  }
}

/** Price at which the stop rests at the exchange: `correction` percent further away than the rule's level. */
export function restingStop({ order: { correction } }: StopRule, level: Dec, short: boolean): Dec {
  return correction === null
    ? level
    : div(mul(level, short ? HUNDRED + correction : HUNDRED - correction), HUNDRED);
}

/** True when the price has reached the level, on the losing side. */
export function reached(price: Dec, level: Dec, short: boolean): boolean {
  return short ? price >= level : price <= level;
}

/** Follows the price: arms `breakeven`, moves the peak of `trailing`. Returns true when something changed. */
export function followStop(rule: StopRule, state: StopState, price: Dec, ctx: StopContext): boolean {
  const { lots, short } = ctx;
  if (lots.open.length === 0) return false;
  if (rule.strategy === 'trailing') {
    if (state.best !== null && (short ? price >= state.best : price <= state.best)) return false;
    state.best = price;
    return true;
  }
  if (rule.strategy === 'breakeven' && !state.armed) {
    const target = armingPrice(rule, ctx);
    if (target === null) return false;
    if (short ? price > target : price < target) return false;
    state.armed = true;
    return true;
  }
  return false;
}

/** Prices between which a tick changes nothing for the rule while a lot is open; null: every tick may. */
export function tickBounds(rule: StopRule, state: StopState, ctx: StopContext): TickBounds | null {
  const { strategy, trigger } = rule;
  const { short } = ctx;
  const losing = (at: Dec | null) => (short ? { below: null, above: at } : { below: at, above: null });
  const winning = (at: Dec | null) => (short ? { below: at, above: null } : { below: null, above: at });
  // A lot is too old and the rule sleeps: it is checked again as soon as the rule wakes.
  if (trigger.type === 'timeout' && isTooOld(rule, ctx)) return null;
  const looks = trigger.type === 'kline' && !trigger.closed;
  // Any tick may be the first at which a lot is too old.
  if (looks && strategy === 'timeout_buy') return null;
  // The rule compares a candle, or a line that moves with the time.
  if (looks && (trigger.edge !== 'close' || (trigger.line && trigger.line.p1 !== trigger.line.p2)))
    return null;
  let bounds: TickBounds = { below: null, above: null };
  if (strategy === 'trailing') {
    if (state.best === null) return null;
    bounds = winning(state.best);
  } else if (strategy === 'breakeven' && !state.armed && (looks || trigger.type !== 'kline')) {
    bounds = winning(armingPrice(rule, ctx));
  }
  return looks ? narrowed(bounds, losing(stopLevel(rule, state, ctx))) : bounds;
}

/** Price from which `breakeven` is armed; null without a position. */
function armingPrice({ trigger }: StopRule, { lots, short }: StopContext): Dec | null {
  const average = lots.averageEntry();
  if (average === null) return null;
  const percent = trigger.value ?? ZERO;
  return div(mul(average, short ? HUNDRED - percent : HUNDRED + percent), HUNDRED);
}

/** True when the first open lot is older than the rule allows (`timeout_buy`). */
export function isTooOld(rule: StopRule, ctx: StopContext): boolean {
  if (rule.strategy !== 'timeout_buy') return false;
  const [first] = ctx.lots.open;
  const ms = Number((rule.trigger.value ?? ZERO) / ONE);
  return first !== undefined && ctx.now() - first.openedAt > ms;
}

/** Value of a candle that a kline rule compares: of the closed candle, or of the one being built. */
export function edgeValue(rule: StopRule, candle: BotCandle): Dec {
  return edgeOf(candle, rule.trigger.edge);
}

/** Resets what has followed a position that is flat now. */
export function resetStop(state: StopState): void {
  state.armed = false;
  state.best = null;
}

function positive(value: Dec | null): Dec | null {
  return value !== null && value > ZERO ? value : null;
}

/** Decimal places of a step such as 0.01. */
export function decimals(step: Dec): number {
  let places = 30;
  let rest = step;
  while (places > 0 && rest % 10n === ZERO) {
    rest /= 10n;
    places--;
  }
  return places;
}
