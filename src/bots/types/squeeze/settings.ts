/** Settings of SQUEEZE: buys a drop, sells on the bounce (strategies.md 5). Pure. */
import { type Dec, decOfInt, div, str } from '../../../domain/decimal.ts';
import { readStrategy } from '../../settings/common.ts';
import type { CandleEdge, CompiledSettings, RestartOptions } from '../../settings/compiled.ts';
import type { SettingsContext } from '../../settings/context.ts';
import type { Fields } from '../../settings/fields.ts';
import { readStops } from '../../settings/stop.ts';
import { TrailingRule as RuleSchema, SqueezeSettings as Schema } from './schema.ts';

export interface TrailingRule {
  readonly type: 'pump_filter' | 'dump_filter';
  readonly maxChange: Dec;
  readonly count: number;
  readonly edge: CandleEdge;
  readonly timeout: number;
}

export interface SqueezeSettings extends CompiledSettings {
  readonly type: 'SQUEEZE';
  readonly timeFrame: number;
  readonly buyPercent: Dec;
  readonly sellPercent: Dec;
  readonly trailing: boolean;
  readonly trailingEdge: CandleEdge;
  readonly trailingSell: boolean;
  readonly trailingPart: boolean;
  readonly trailingDelta: Dec;
  readonly trailingRules: readonly TrailingRule[];
  readonly oncePerTimeFrame: boolean;
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
const Price = Schema.properties.price;
const HUNDRED = decOfInt(100);

export function compileSqueeze(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): SqueezeSettings {
  const timeFrame = f.choice('timeFrame');
  const common = readStrategy(f, ground, { timeFrame, options }, (on) => readStops(f, on));
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

/** Reads the distance below the peak in percent; a quarter of the target's when left out. */
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
