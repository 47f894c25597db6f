/**
 * All stop rules of one run: checks them, sells when one fires, maintains their orders at the exchange, and
 * handles their counters and snooze times (strategies.md 2, "stop"). The conditions themselves are in
 * `stops.ts`. Pure.
 */
import { type Dec, fixed, ONE, ZERO } from '../../domain/decimal.ts';
import type { BotCandle } from '../market/view.ts';
import type { StopRule } from '../settings/compiled.ts';
import type { RunOrder, RunOrderType, TickBounds, WantedExit } from './contract.ts';
import { blockingRuleOf } from './entry-guard.ts';
import type { RunBase } from './run-base.ts';
import type { BlockingRule, EntryFill, Slot } from './slot.ts';
import {
  decimals,
  edgeValue,
  followStop,
  isTooOld,
  newStopState,
  reached,
  resetStop,
  restingStop,
  type StopBookState,
  type StopContext,
  type StopState,
  stopLevel,
  tickBounds,
} from './stops.ts';
import { narrowed } from './wants.ts';

/** Time after which a LIMIT exit that is still open becomes MARKET. */
const LIMIT_EXIT_MS = 30_000;
const SLOT = 'stop:';

export class StopBook {
  readonly #state: StopBookState;
  readonly #run: RunBase;
  readonly #context: StopContext;

  constructor(state: StopBookState, run: RunBase) {
    this.#state = state;
    this.#run = run;
    const { lots, market, settings } = run;
    const { startedAt } = run.state;
    this.#context = { lots, market, short: settings.short, startedAt, now: () => run.now };
  }

  get rules(): readonly StopRule[] {
    return this.#state.rules;
  }

  /** Every rule with the price at which it fires now, except rules that a command has deleted. */
  levels(): { readonly rule: StopRule; readonly level: Dec | null }[] {
    return this.#state.rules.flatMap((rule, i) => {
      const state = this.#state.states[i] as StopState;
      return state.removed ? [] : [{ rule, level: stopLevel(rule, state, this.#context) }];
    });
  }

  begin(rules: readonly StopRule[]): void {
    this.#state.rules = [...rules];
    this.#state.states = rules.map(newStopState);
  }

  armTimers(): void {
    for (const [i, rule] of this.#state.rules.entries()) {
      if (rule.trigger.type === 'time' && rule.trigger.time !== null) {
        this.#run.timer(`stop time ${i}`, rule.trigger.time);
      }
    }
  }

  /** Frames of the candles that the rules compare. */
  frames(): number[] {
    return this.#state.rules
      .filter(({ trigger }) => trigger.type === 'kline')
      .map(({ trigger }) => trigger.timeFrame);
  }

  /** Prices between which no rule does anything at a tick; null: every tick is checked. */
  quiet(): TickBounds | null {
    let quiet: TickBounds = { below: null, above: null };
    if (this.#run.lots.open.length === 0) return quiet;
    for (const [i, rule] of this.#state.rules.entries()) {
      if (rule.disabled) continue;
      const bounds = tickBounds(rule, this.#state.states[i] as StopState, this.#context);
      if (bounds === null) return null;
      quiet = narrowed(narrowed(quiet, bounds), this.#triggerBounds(i));
    }
    return quiet;
  }

  onTick(price: Dec): void {
    for (const [i, rule] of this.#state.rules.entries()) {
      const state = this.#state.states[i] as StopState;
      if (rule.disabled || this.#run.lots.open.length === 0) continue;
      const closedOnly = rule.trigger.type === 'kline' && rule.trigger.closed;
      if (!closedOnly || rule.strategy === 'trailing') this.#follow(rule, state, price);
      if (rule.trigger.type === 'timeout' && isTooOld(rule, this.#context)) this.#fire(i);
      this.#watchLimit(i, price);
      if (rule.trigger.type !== 'kline' || rule.trigger.closed) continue;
      const forming = rule.trigger.edge === 'close' ? null : this.#run.market.forming(rule.trigger.timeFrame);
      this.#look(i, rule, state, forming ? edgeValue(rule, forming) : price);
    }
  }

  onCandle(frameMs: number, candle: BotCandle): void {
    for (const [i, rule] of this.#state.rules.entries()) {
      const { trigger } = rule;
      if (rule.disabled || trigger.type !== 'kline' || !trigger.closed || trigger.timeFrame !== frameMs)
        continue;
      const state = this.#state.states[i] as StopState;
      const value = edgeValue(rule, candle);
      if (rule.strategy !== 'trailing') this.#follow(rule, state, value);
      this.#look(i, rule, state, value);
    }
  }

  /** Handles a timer; true when it was one of the rules'. */
  onTimer(name: string): boolean {
    const [word, kind, index] = name.split(' ');
    if (word !== 'stop') return false;
    const i = Number(index);
    const rule = this.#state.rules[i];
    // A sale that has begun goes on, though its rule may be switched off or deleted by now.
    if (kind === 'limit') this.#toMarket(i);
    if (!rule || rule.disabled) return true;
    if (kind === 'time') this.#fire(i);
    else if (kind === 'age' && isTooOld(rule, this.#context)) this.#fire(i);
    return true;
  }

  onFill(order: RunOrder): void {
    if (order.role !== 'entry') return;
    for (const [i, rule] of this.#state.rules.entries()) {
      if (rule.disabled) continue;
      this.#follow(rule, this.#state.states[i] as StopState, this.#run.price);
      this.#armAge(i, rule);
    }
  }

  /**
   * Handles a rule's stop that has fired where it was held: at the exchange, which has made a LIMIT exit of
   * it, or in the engine, which has sent it. The other exits of its lots are withdrawn: the exchange fills
   * both where somebody else's position allows it.
   */
  onTriggered(order: RunOrder): void {
    const slot = this.#run.slots.get(order.slot);
    if (!slot || !this.owns(slot.name) || order.cancelAsked) return;
    if (slot.fired || slot.want?.role !== 'exit' || slot.want.stopPrice === null) return;
    this.#run.slots.triggered(slot);
    this.#run.changed = true;
  }

  /** Updates the orders at the exchange and the timers to what the rules want. */
  sync(): void {
    if (!this.#run.running) return;
    for (const [i, rule] of this.#state.rules.entries()) {
      // When the first lot is gone, the age of the next one counts.
      if (!rule.disabled) this.#armAge(i, rule);
      if (rule.trigger.type !== 'exchange') continue;
      const slot = this.#run.slots.get(SLOT + i);
      // The stop has fired, or its LIMIT has become a sale at MARKET.
      if (slot?.fired || (slot?.want && slot.want.stopPrice === null)) continue;
      const before = slot?.want ?? null;
      const want = this.#resting(i, rule);
      if (want || slot) this.#run.slots.want(SLOT + i, want);
      // Another stop rests now: one that has become a LIMIT is gone.
      if (this.#run.state.timers.has(limitTimer(i)) && this.#run.slots.get(SLOT + i)?.want !== before) {
        this.#run.timer(limitTimer(i), null);
      }
    }
  }

  owns(slot: string): boolean {
    return slot.startsWith(SLOT);
  }

  /** True when a rule has fired and its lots are being sold at the market: that is finished in any case. */
  sells({ name, want, fired }: Slot): boolean {
    if (!this.owns(name) || want === null || want.price !== null) return false;
    return fired || want.stopPrice === null;
  }

  /** Returns the rule that would sell at once what an entry buys; null: none would. */
  blockingRuleOf(fill: EntryFill): BlockingRule | null {
    const { rules, states } = this.#state;
    for (const [i, rule] of rules.entries()) {
      const state = states[i] as StopState;
      if (rule.disabled || this.#run.now < state.sleepsUntil) continue;
      const bar = blockingRuleOf(rule, state, fill, this.#context, this.#run.rules);
      if (bar) return bar;
    }
    return null;
  }

  /** True when one of the rules is selling, or wants to. */
  hasFired(): boolean {
    return this.#state.rules.some((_rule, i) => {
      const slot = this.#run.slots.get(SLOT + i);
      return slot !== undefined && this.sells(slot);
    });
  }

  /**
   * True while a rule's sale is on its way: an order, or cancels that it waits for. A sale that waits for its
   * retry does not count.
   */
  isSelling(): boolean {
    const { slots } = this.#run;
    return this.#state.rules.some((_rule, i) => {
      const slot = slots.get(SLOT + i);
      if (slot?.want?.role !== 'exit' || !this.sells(slot)) return false;
      if (slot.orders.length > 0) return true;
      const others = slots.sellers(slot.want.lots, slot.name);
      return others.some(({ orders }) => orders.some(({ cancelAsked }) => cancelAsked));
    });
  }

  /** Handles a stop of the engine or the exchange that has fired: its lots take no other exit any more. */
  held(slot: string, lots: readonly string[]): void {
    for (const key of lots) {
      const lot = this.#run.lots.get(key);
      if (lot) lot.closing = true;
    }
    const i = Number(slot.slice(SLOT.length));
    this.#slept(i);
    if (this.#run.slots.get(slot)?.want?.price != null) this.#armLimit(i);
  }

  /** Handles the end of a rule's order. A sale counts; a mere replacement does not. */
  onSold(order: RunOrder): void {
    if (order.executed === ZERO || order.from.some((key) => this.#run.lots.get(key))) return;
    this.sold(order.slot, order.from);
  }

  /** Handles a rule whose lots are gone. */
  sold(slot: string, lots: readonly string[]): void {
    const i = Number(slot.slice(SLOT.length));
    const rule = this.#state.rules[i];
    this.#run.timer(limitTimer(i), null);
    this.#state.fired++;
    this.#slept(i);
    const max = rule?.maxStops ?? null;
    this.#run.stopped(lots, this.#run.lots.open.length === 0, max !== null && this.#state.fired >= max);
  }

  /** Resets the rules when the position is flat. */
  reset(): void {
    for (const [i, state] of this.#state.states.entries()) {
      resetStop(state);
      if (this.#run.state.timers.has(limitTimer(i))) this.#run.timer(limitTimer(i), null);
      if (this.#state.rules[i]?.strategy === 'timeout_buy') this.#run.timer(`stop age ${i}`, null);
    }
  }

  // --- runtime commands (specification, Bots rule 6) ---

  /** Returns a message when the rule would fire at once, else null. */
  alreadyFired(rule: StopRule): string | null {
    const { lots, price, settings, rules } = this.#run;
    if (lots.open.length === 0) return null;
    const level = stopLevel(rule, { ...newStopState(), best: price }, this.#context);
    if (level === null || !reached(price, level, settings.short)) return null;
    const places = decimals(rules.tick);
    const side = settings.short ? 'above' : 'below';
    return `the stop has already fired: price ${fixed(price, places)} is ${side} ${fixed(level, places)}`;
  }

  add(rule: StopRule): void {
    const i = this.#state.rules.push(rule) - 1;
    const state = newStopState();
    this.#state.states.push(state);
    this.#begin(i, rule, state);
  }

  /** Returns the index of the rule that equals this one; `loose`: otherwise the only one of its strategy. */
  find(rule: StopRule, loose: boolean): number {
    const { rules, states } = this.#state;
    const kept = rules.flatMap((one, i) => (states[i]?.removed ? [] : [{ one, i }]));
    const same = kept.find(({ one }) => sameRule(one, rule));
    if (same || !loose) return same?.i ?? -1;
    const kin = kept.filter(({ one }) => one.strategy === rule.strategy);
    return kin.length === 1 ? (kin[0]?.i ?? -1) : -1;
  }

  replace(i: number, rule: StopRule): void {
    const old = this.#state.rules[i];
    const state = this.#state.states[i];
    if (!old || !state) return;
    this.#state.rules[i] = rule;
    if (old.strategy !== rule.strategy) resetStop(state);
    const slot = this.#run.slots.get(SLOT + i);
    // `sync` does not maintain its resting order any more; a sale that has begun goes on.
    if (rule.trigger.type !== 'exchange' && slot?.want?.stopPrice != null && !slot.fired) {
      this.#run.slots.want(SLOT + i, null);
    }
    this.#begin(i, rule, state);
  }

  /** Switches the rule off for good but keeps its place: slots and timers carry its number. */
  remove(i: number): void {
    const rule = this.#state.rules[i];
    const state = this.#state.states[i];
    if (!rule || !state) return;
    this.#state.rules[i] = { ...rule, disabled: true };
    state.removed = true;
  }

  /** Starts a rule that was added while a position is open: it follows the position from here on. */
  #begin(i: number, rule: StopRule, state: StopState): void {
    if (rule.disabled || this.#run.lots.open.length === 0) return;
    this.#follow(rule, state, this.#run.price);
    this.#armAge(i, rule);
  }

  /** Sets the timer of a trigger of type timeout to when the first open lot becomes too old. */
  #armAge(i: number, rule: StopRule): void {
    const [first] = this.#run.lots.open;
    if (rule.trigger.type !== 'timeout' || rule.strategy !== 'timeout_buy' || !first) return;
    const at = first.openedAt + Number((rule.trigger.value ?? ZERO) / ONE) + 1;
    if (at > this.#run.now && this.#run.state.timers.get(`stop age ${i}`) !== at) {
      this.#run.timer(`stop age ${i}`, at);
    }
  }

  #follow(rule: StopRule, state: StopState, price: Dec): void {
    if (followStop(rule, state, price, this.#context)) this.#run.moved = true;
  }

  #look(i: number, rule: StopRule, state: StopState, value: Dec): void {
    if (this.#run.lots.open.length === 0) return;
    if (isTooOld(rule, this.#context)) this.#fire(i);
    const level = stopLevel(rule, state, this.#context);
    if (level !== null && reached(value, level, this.#run.settings.short)) this.#fire(i, level);
  }

  #fire(i: number, level: Dec | null = null): void {
    const rule = this.#state.rules[i];
    const state = this.#state.states[i];
    if (!rule || !state || !this.#run.running || this.#run.now < state.sleepsUntil) return;
    const open = this.#run.lots.open.filter((lot) => !lot.closing);
    const lots = (rule.complete ? open : open.slice(-1)).map(({ key }) => key);
    if (lots.length === 0) return;
    this.#slept(i);
    const limit = rule.order.type === 'LIMIT' ? (level ?? this.#run.price) : null;
    if (limit !== null) this.#armLimit(i);
    this.#run.notice(
      1,
      `stop ${rule.strategy} fired at ${fixed(this.#run.price, decimals(this.#run.rules.tick))}`,
    );
    this.#run.close(SLOT + i, lots, `stop ${rule.strategy}`, limit);
  }

  #slept(i: number): void {
    const state = this.#state.states[i];
    const rule = this.#state.rules[i];
    if (!state || !rule || rule.snoozeDuration === 0) return;
    state.sleepsUntil = this.#run.now + rule.snoozeDuration;
    // This input places its resting stop again even when the market is still.
    if (rule.trigger.type === 'exchange') this.#run.timer(`stop wake ${i}`, state.sleepsUntil);
  }

  #armLimit(i: number): void {
    this.#run.timer(limitTimer(i), this.#run.now + LIMIT_EXIT_MS);
  }

  /**
   * Watches a stop with a limit that the exchange holds: beyond its stop price it has become a LIMIT exit.
   */
  #watchLimit(i: number, price: Dec): void {
    const [order] = this.#run.slots.get(SLOT + i)?.orders ?? [];
    if (order?.type !== 'STOP_LIMIT' || order.stopPrice === null) return;
    // The mark price triggers it: the exchange reports when.
    if (order.workingType === 'MARK_PRICE' && order.phase !== 'open') return;
    if (reached(price, order.stopPrice, this.#run.settings.short)) this.onTriggered(order);
  }

  /** Prices at which such a stop must be checked. */
  #triggerBounds(i: number): TickBounds {
    const order = this.#run.slots.get(SLOT + i)?.orders[0];
    const at = order?.type === 'STOP_LIMIT' ? order.stopPrice : null;
    return this.#run.settings.short ? { below: null, above: at } : { below: at, above: null };
  }

  /** Sends a LIMIT exit that has not filled at MARKET. */
  #toMarket(i: number): void {
    const slot = this.#run.slots.get(SLOT + i);
    if (slot?.want?.role !== 'exit') return;
    this.#run.close(SLOT + i, slot.want.lots, slot.want.label);
  }

  #resting(i: number, rule: StopRule): WantedExit | null {
    const state = this.#state.states[i] as StopState;
    if (rule.disabled || this.#run.now < state.sleepsUntil) return null;
    const open = this.#run.lots.open.filter((lot) => !lot.closing);
    const lots = (rule.complete ? open : open.slice(-1)).map(({ key }) => key);
    const level = lots.length === 0 ? null : stopLevel(rule, state, this.#context);
    if (level === null) return null;
    const limit = rule.order.type === 'LIMIT' || rule.order.type === 'STOP_LIMIT';
    const type: RunOrderType = limit ? 'STOP_LIMIT' : 'STOP_MARKET';
    return {
      role: 'exit',
      type,
      price: limit ? level : null,
      stopPrice: restingStop(rule, level, this.#run.settings.short),
      lots,
      qty: null,
      label: `stop ${rule.strategy}`,
      trail: null,
      workingType: rule.order.workingType,
    };
  }
}

function limitTimer(i: number): string {
  return `stop limit ${i}`;
}

/** True when strategy, trigger.type and trigger.value are equal. */
function sameRule(a: StopRule, b: StopRule): boolean {
  const key = ({ strategy, trigger }: StopRule) =>
    [
      strategy,
      trigger.type,
      trigger.value,
      trigger.line?.t1,
      trigger.line?.p1,
      trigger.line?.t2,
      trigger.line?.p2,
    ].join();
  return key(a) === key(b);
}
