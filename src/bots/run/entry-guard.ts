/**
 * Entries that must wait although they are wanted (strategies.md R1): a stop rule would fire at once at the
 * price at which the entry fills, or a cycle has been completed at this very moment. Pure.
 */
import { type Dec, fixed, maxDec, minDec, mul, roundTo } from '../../domain/decimal.ts';
import { edgeOf } from '../market/candle.ts';
import type { MarketRules, StopRule } from '../settings/compiled.ts';
import type { TickBounds, WantedEntry } from './contract.ts';
import { LotBook } from './lots.ts';
import type { Sent } from './sending.ts';
import type { BlockingRule, EntryFill, Slot, SlotContext } from './slot.ts';
import {
  decimals,
  edgeValue,
  followStop,
  isTooOld,
  reached,
  restingStop,
  type StopContext,
  type StopState,
  stopLevel,
} from './stops.ts';

const NEVER: TickBounds = { below: null, above: null };

/**
 * True when the entry may not be sent at this moment. What it waits for is kept in its slot, and reported
 * once.
 */
export function mustWait(
  slot: Slot,
  want: WantedEntry,
  sent: Sent,
  qty: Dec,
  label: string,
  run: SlotContext,
): boolean {
  const last = run.price();
  const { short } = run.settings;
  const fill = fillOf(sent, qty, last, short);
  if (!fill) return false;
  const bar = run.blockingRuleOf(fill);
  const rests = !fill.atOnce || slot.barred?.rests === true;
  if (bar) {
    if (!slot.barred) {
      const at = bar.level === null ? '' : ` at ${fixed(bar.level, decimals(run.rules.tick))}`;
      run.notice(1, `${label}: waits, stop ${bar.rule.strategy}${at} would sell it at once`);
    }
    const { closes } = bar;
    slot.barred = { ticks: want.price !== null && slot.fired ? null : bar.ticks, closes, rests };
    run.followed();
    return true;
  }
  if (slot.barred) {
    run.followed();
    if (rests && fill.atOnce && sent.price !== null) {
      const ticks = short ? { below: sent.price, above: null } : { below: null, above: sent.price };
      slot.barred = { ticks, closes: false, rests };
      return true;
    }
    slot.barred = null;
  }
  if (!fill.atOnce || !run.cycledNow()) return false;
  slot.starved = true;
  run.followed();
  return true;
}

/**
 * Returns the rule as a bar when it would fire at once at the price at which this entry fills; null: it would
 * not, or does not apply.
 */
export function blockingRuleOf(
  rule: StopRule,
  state: StopState,
  fill: EntryFill,
  ctx: StopContext,
  rules: MarketRules,
): BlockingRule | null {
  const { trigger } = rule;
  const closes = trigger.type === 'kline' && trigger.closed;
  // The rule sells the newest lot too when the first one is too old.
  if (isTooOld(rule, ctx)) return { rule, level: null, ticks: NEVER, closes };
  if (trigger.type !== 'kline' && trigger.type !== 'exchange') return null;
  const after = { ...state };
  const filled = { ...ctx, lots: withFill(ctx.lots, fill, rules, ctx.short) };
  followStop(rule, after, fill.price, filled);
  const own = stopLevel(rule, after, filled);
  if (own === null) return null;
  const level = trigger.type === 'exchange' ? roundTo(restingStop(rule, own, ctx.short), rules.tick) : own;
  if (!isReached(rule, level, fill, ctx)) return null;
  return { rule, level, ticks: ticksOf(rule, level, fill, ctx.short), closes };
}

/** The lots as they would be after the fill. */
function withFill(lots: LotBook, { price, qty }: EntryFill, rules: MarketRules, short: boolean): LotBook {
  const quote = mul(price, qty);
  const bought = { key: '', label: '', openedAt: 0, qty, cost: quote, filledQty: qty, filledQuote: quote };
  return new LotBook({ ...lots.state, lots: [...lots.open, { ...bought, closing: false }] }, rules, short);
}

function isReached(rule: StopRule, level: Dec, { price, atOnce }: EntryFill, ctx: StopContext): boolean {
  const { short } = ctx;
  const { type, closed, edge, timeFrame } = rule.trigger;
  if (type === 'exchange') return reached(price, level, short);
  if (closed) {
    // The rule is not checked before the next close: its result at the last close counts, if the run has seen
    // that close.
    const last = ctx.market.lastClosed(timeFrame);
    if (!last || last.time + timeFrame <= ctx.startedAt) return false;
    return reached(edgeValue(rule, last), level, short) && reached(price, level, short);
  }
  if (edge === 'close' || edge === (short ? 'high' : 'low')) return reached(price, level, short);
  // The candle in which a resting entry will fill is not known yet.
  const forming = atOnce ? ctx.market.forming(timeFrame) : null;
  if (!forming) return false;
  const { high, low } = forming;
  return reached(
    edgeOf({ ...forming, high: maxDec(high, price), low: minDec(low, price), close: price }, edge),
    level,
    short,
  );
}

/**
 * Prices between which ticks do not change the result. An entry that fills at once has a different price with
 * every tick; where the level also depends on what is held, no bound is known: null.
 */
function ticksOf(
  { strategy, trigger }: StopRule,
  level: Dec,
  { atOnce }: EntryFill,
  short: boolean,
): TickBounds | null {
  const moves = strategy === 'price' || strategy === 'trend_percent_price';
  if (moves && trigger.line && trigger.line.p1 !== trigger.line.p2) return null;
  if (!atOnce) return NEVER;
  if (!moves && strategy !== 'fixed') return null;
  if (trigger.type === 'kline' && trigger.edge !== 'close') return null;
  return short ? { below: level, above: null } : { below: null, above: level };
}

/** The entry as it would fill; null: no price is known yet. */
function fillOf({ price, stopPrice }: Sent, qty: Dec, last: Dec | null, short: boolean): EntryFill | null {
  if (stopPrice !== null) return { price: stopPrice, qty, atOnce: false };
  if (last !== null && (price === null || (short ? last >= price : last <= price)))
    return { price: last, qty, atOnce: true };
  return price === null ? null : { price, qty, atOnce: false };
}
