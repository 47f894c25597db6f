/** Reads stop rules, from settings and from runtime commands (strategies.md 2, "stop"; Bots rule 6). Pure. */
import type { TProperties, TSchema } from 'typebox';
import { type Dec, ONE, ZERO } from '../../domain/decimal.ts';
import { PERCENT } from '../../schemas/bots/parts.ts';
import { IntradayStopRule, StopCommand, StopRule as StopSchema } from '../../schemas/bots/stop.ts';
import type { MarketRules, StopRule, StopStrategy } from './compiled.ts';
import { readPriceOr } from './context.ts';
import type { Fields } from './fields.ts';
import { isHorizontal, LINE_NEEDS } from './price-line.ts';
import type { Bounds } from './words.ts';

/** What a rule is judged by besides itself. */
export interface StopGround {
  readonly rules: MarketRules | null;
  /** Frame of the candles of a rule that names none, ms. */
  readonly frame: number;
  readonly short: boolean;
  /** Market time, Unix ms. */
  readonly now: number;
}

/**
 * Rules have the same fields everywhere; their orders and triggers differ, and are read by the callers that
 * know them.
 */
type RuleFields = Fields<
  Omit<(typeof StopSchema)['properties'], 'trigger' | 'order'> & {
    readonly trigger: TSchema;
    readonly order: TSchema;
  }
>;
type TriggerFields = Fields<(typeof StopSchema)['properties']['trigger']['properties']>;
type Trigger = StopRule['trigger'];
type Order = StopRule['order'];

/** Strategies whose rules may rest at the exchange; `price` only when its line is horizontal. */
const RESTING: ReadonlySet<StopStrategy> = new Set([
  'price',
  'price_percent_buy',
  'fixed',
  'breakeven',
  'trailing',
]);
const MARKET: Order = { type: 'MARKET', stopPrice: null, workingType: null, correction: null };
const STAND_IN: Trigger = {
  type: 'kline',
  value: null,
  line: null,
  percent: null,
  edge: 'close',
  closed: false,
  timeFrame: 60_000,
  time: null,
};

type StopNames = { readonly stop: TSchema };

/** Reads all rules of the settings. */
export function readStops<P extends TProperties & StopNames>(f: Fields<P>, ground: StopGround): StopRule[] {
  return f.each('stop', StopSchema).map((rule) => {
    const trigger = () => rule.group('trigger', StopSchema.properties.trigger);
    return readRule(rule, plainOrder(rule, ground), trigger, ground);
  });
}

/**
 * Reads all rules of settings whose rules may rest at the exchange as orders of their own (strategies.md 6).
 */
export function readRestingStops<P extends TProperties & StopNames>(
  f: Fields<P>,
  ground: StopGround,
): StopRule[] {
  return f.each('stop', IntradayStopRule).map((rule) => {
    const order = rule.group('order', IntradayStopRule.properties.order);
    const trigger = () => rule.group('trigger', IntradayStopRule.properties.trigger);
    return readRule(rule, order ? restingOrder(order, ground) : MARKET, trigger, ground);
  });
}

/** Reads the params of a stop command. */
export function readStopCommand(f: Fields<(typeof StopCommand)['properties']>, ground: StopGround): StopRule {
  const order = f.group('order', StopCommand.properties.order);
  // The same fields as in the settings, but fewer types.
  const trigger = () => f.group('trigger', StopCommand.properties.trigger);
  return readRule(f, order ? restingOrder(order, ground) : MARKET, trigger, ground);
}

function readRule(
  f: RuleFields,
  order: Order,
  triggerOf: () => TriggerFields | null,
  ground: StopGround,
): StopRule {
  const strategy = f.choice('strategy');
  const trigger = triggerOf();
  const rule: StopRule = {
    strategy,
    trigger: trigger ? readTrigger(trigger, f.reads('strategy') ? strategy : null, order, ground) : STAND_IN,
    order,
    complete: f.flag('complete'),
    disabled: f.flag('disabled'),
    snoozeDuration: f.integer('snoozeDuration'),
    maxStops: f.integerOr('maxStops'),
    raw: f.data,
  };
  if (f.reads('strategy', 'trigger', 'order')) checkResting(f, rule);
  // Such an order does not wait for a candle: it rests at the venue (strategies.md 6).
  const rests = rule.trigger.type === 'kline' && isStopOrder(order);
  return rests ? { ...rule, trigger: { ...rule.trigger, type: 'exchange' } } : rule;
}

function checkResting(f: RuleFields, { strategy, trigger, order }: StopRule): void {
  if (trigger.type !== 'exchange' && !isStopOrder(order)) return;
  if (!RESTING.has(strategy)) f.check.problem(f.path, `${strategy} cannot rest at the exchange`);
  else if (trigger.line && !isHorizontal(trigger.line)) {
    f.check.problem(f.path, `${strategy} cannot rest at the exchange unless its line is horizontal`);
  }
}

function isStopOrder({ type }: Order): boolean {
  return type === 'STOP_MARKET' || type === 'STOP_LIMIT';
}

/** Reads a trigger. `strategy` null: unreadable, so nothing is known about the value. */
function readTrigger(
  t: TriggerFields,
  strategy: StopStrategy | null,
  order: Order,
  ground: StopGround,
): Trigger {
  const type = t.choice('type');
  const trigger = {
    ...STAND_IN,
    type,
    edge: t.choice('edge'),
    closed: t.flag('closed'),
    timeFrame: t.integerOr('timeFrame') ?? ground.frame,
    time: readTime(t, type, ground.now),
  };
  if (t.has('percent') && strategy !== null && strategy !== 'trend_percent_price') {
    t.warn('percent', 'has an effect with trend_percent_price only');
  }
  if (type === 'timeout' && strategy !== null && strategy !== 'timeout_buy') {
    t.problem('type', `timeout is for timeout_buy only, not for ${strategy}`);
  }
  // A rule of type time sells at its time whatever its value: it needs none.
  const needed = type !== 'time' || !t.reads('type');
  return strategy === null ? trigger : { ...trigger, ...readValue(t, strategy, needed, order, ground) };
}

function readTime(t: TriggerFields, type: Trigger['type'], now: number): number | null {
  const time = t.integerOr('time');
  if (type !== 'time') {
    if (time !== null && t.reads('type')) t.warn('time', `has no effect with type ${type}`);
    return null;
  }
  if (time === null) t.problem('time', 'missing; must be a moment in Unix ms');
  else if (t.reads('time') && time < now) t.warn('time', 'lies in the past: the rule never fires');
  return time;
}

function readValue(
  t: TriggerFields,
  strategy: StopStrategy,
  needed: boolean,
  order: Order,
  { rules, short }: StopGround,
): Pick<Trigger, 'value' | 'line' | 'percent'> {
  const none = { value: null, line: null, percent: null };
  if (!t.has('value') && !needed) return none;
  switch (strategy) {
    case 'price':
      if (!t.has('value') && order.stopPrice !== null) return { ...none, line: level(order.stopPrice) };
      return { ...none, line: readLineValue(t) };
    case 'trend_percent_price':
      return { ...none, line: readLineValue(t), percent: readDistance(t) };
    case 'price_percent_buy':
    case 'trailing':
      // A long position cannot fall by more than 100 percent; for a short position the rise has no limit.
      return { ...none, value: readNumber(t, short ? { exclusiveMinimum: 0, maximum: 1_000 } : PERCENT) };
    case 'breakeven':
      return { ...none, value: readNumber(t, { minimum: 0, exclusiveMaximum: 100 }) };
    case 'timeout_buy':
      return { ...none, value: readAge(t) };
    case 'fixed':
      if (!t.has('value') && order.stopPrice !== null) return none;
      if (!t.has('value')) t.problem('value', 'missing; must be a price, or order.stopPrice given');
      return { ...none, value: readPriceOr(t, 'value', rules, { exclusiveMinimum: 0 }) };
  }
}

function readLineValue(t: TriggerFields): Trigger['line'] {
  if (!t.has('value')) t.problem('value', `missing; ${LINE_NEEDS}`);
  return t.lineOr('value');
}

function readDistance(t: TriggerFields): Dec {
  if (!t.has('percent')) t.problem('percent', 'missing; must be the percent between the line and the stop');
  return t.decimalOr('percent') ?? ZERO;
}

function readNumber(t: TriggerFields, bounds: Bounds): Dec {
  if (!t.has('value')) t.problem('value', 'missing; must be a percent');
  return t.decimalOr('value', bounds) ?? ONE;
}

function readAge(t: TriggerFields): Dec {
  if (!t.has('value')) t.problem('value', 'missing; must be a duration in ms');
  const value = t.decimalOr('value', { minimum: 1 }) ?? ONE;
  if (value % ONE !== ZERO) t.problem('value', 'must be a whole number of ms');
  return value;
}

/** A line with the same price at all times. */
function level(price: Dec): Trigger['line'] {
  return { t1: 0, p1: price, t2: 1, p2: price };
}

function plainOrder(rule: Fields<(typeof StopSchema)['properties']>, { rules }: StopGround): Order {
  const order = rule.group('order', StopSchema.properties.order);
  return order
    ? { ...MARKET, type: order.choice('type'), stopPrice: readPriceOr(order, 'stopPrice', rules) }
    : MARKET;
}

function restingOrder(
  order: Fields<(typeof StopCommand)['properties']['order']['properties']>,
  { rules }: StopGround,
): Order {
  return {
    type: order.choice('type'),
    stopPrice: readPriceOr(order, 'stopPrice', rules),
    workingType: order.choiceOr('workingType'),
    correction: order.decimalOr('correction'),
  };
}
