/** Settings of SQUEEZE: buys a drop, sells on the bounce (strategies.md 5). Pure. */
import { type Dec, decOfInt, div, str } from '../../domain/decimal.ts';
import { TrailingRule as RuleSchema, SqueezeSettings as Schema } from '../../schemas/bots/squeeze.ts';
import { readStrategy } from './common.ts';
import type { CommonSettings, SqueezeSettings, TrailingRule } from './compiled.ts';
import type { Fields } from './fields.ts';
import type { Ground } from './ground.ts';

type SettingsFields = Fields<(typeof Schema)['properties']>;
const Price = Schema.properties.price;
const HUNDRED = decOfInt(100);

export function compileSqueeze(
  f: SettingsFields,
  ground: Ground,
  options: CommonSettings['options'],
): SqueezeSettings {
  const timeFrame = f.choice('timeFrame');
  const common = readStrategy(f, ground, { timeFrame, options });
  const percent = f.group('price', Price)?.group('percent', Price.properties.percent);
  const buyPercent = percent?.decimal('buy') ?? HUNDRED;
  const sellPercent = percent?.decimal('sell') ?? HUNDRED;
  if (percent?.reads('sell') && common.short && sellPercent >= HUNDRED) {
    percent.problem('sell', `must be below 100 for a short bot, got ${str(sellPercent)}`);
  }
  return {
    ...common,
    type: 'SQUEEZE',
    timeFrame,
    buyPercent,
    sellPercent,
    trailing: f.flag('trailing'),
    trailingEdge: f.choiceOr('trailingEdge') ?? (common.short ? 'high' : 'low'),
    trailingSell: f.flag('trailingSell'),
    trailingPart: f.flag('trailingPart'),
    trailingDelta: readDelta(f, sellPercent),
    trailingRules: f.each('trailingRules', RuleSchema).map((rule) => readRule(rule, timeFrame)),
    oncePerTimeFrame: f.flag('oncePerTimeFrame'),
  };
}

/** Percent below the peak; a quarter of the target's when left out. */
function readDelta(f: SettingsFields, sellPercent: Dec): Dec {
  return f.decimalOr('trailingDelta') ?? div(sellPercent, decOfInt(4));
}

function readRule(f: Fields<(typeof RuleSchema)['properties']>, timeFrame: number): TrailingRule {
  const type = f.choice('type');
  if (type === 'dump_filter' && f.has('count') && f.reads('type')) {
    f.warn('count', 'has an effect with pump_filter only');
  }
  return {
    type,
    maxChange: f.decimal('maxChange'),
    count: f.integer('count'),
    edge: f.choice('edge'),
    timeout: f.integerOr('timeout') ?? timeFrame,
  };
}
