/** Settings of INTRADAY: bounce or breakout of one level (strategies.md 6). Pure. */
import { type Dec, decOfInt, str } from '../../../domain/decimal.ts';
import { readStrategy } from '../../settings/common.ts';
import type { CompiledSettings, PriceLine, RestartOptions } from '../../settings/compiled.ts';
import { readPriceOr, type SettingsContext } from '../../settings/context.ts';
import type { Fields } from '../../settings/fields.ts';
import { sharesProblem } from '../../settings/shares.ts';
import { readRestingStops } from '../../settings/stop.ts';
import { type IntradaySettings as Schema, TakeProfit as TargetSchema } from './schema.ts';

export interface IntradaySettings extends CompiledSettings {
  readonly type: 'INTRADAY';
  readonly trend: PriceLine;
  readonly mode: 'bounce' | 'breakout';
  readonly touchPercent: Dec;
  readonly confirmPercent: Dec;
  readonly invalidPercent: Dec;
  readonly retest: boolean;
  readonly takeProfits: readonly {
    readonly percent: Dec | null;
    readonly price: Dec | null;
    /** Percent of the position. */
    readonly size: Dec;
  }[];
  readonly breakevenAfter: number | null;
  readonly maxEntries: number;
  readonly expiresAt: number | null;
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
type TargetFields = Fields<(typeof TargetSchema)['properties']>;
type Target = IntradaySettings['takeProfits'][number];

export function compileIntraday(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): IntradaySettings {
  const common = readStrategy(f, ground, { timeFrame: null, options }, (on) => readRestingStops(f, on));
  const mode = f.choice('mode');
  const retest = f.flag('retest');
  if (retest && mode === 'bounce' && f.reads('mode'))
    f.warn('retest', 'has an effect with mode breakout only');
  const takeProfits = readTargets(f, ground, common.short);
  return {
    ...common,
    type: 'INTRADAY',
    trend: f.line('trend'),
    mode,
    touchPercent: f.decimal('touchPercent'),
    confirmPercent: f.decimal('confirmPercent'),
    invalidPercent: f.decimal('invalidPercent'),
    retest,
    takeProfits,
    breakevenAfter: readBreakeven(f, takeProfits.length),
    maxEntries: f.integer('maxEntries'),
    expiresAt: readExpiry(f, ground.world.now),
  };
}

function readTargets(f: SettingsFields, { rules }: SettingsContext, short: boolean): Target[] {
  const given = f.each('takeProfits', TargetSchema);
  const targets = given.map((target) => {
    const percent = target.decimalOr('percent');
    const price = readPriceOr(target, 'price', rules);
    if (target.has('percent') === target.has('price')) {
      f.check.problem(target.path, 'needs either percent or price');
    } else if (short && percent !== null && percent >= decOfInt(100) && target.reads('percent')) {
      target.problem('percent', `must be below 100 for a short bot, got ${str(percent)}`);
    }
    return { percent, price, size: target.decimal('size') };
  });
  checkAscending(given, targets, 'percent', false);
  // For a short position the nearest target has the highest price.
  checkAscending(given, targets, 'price', short);
  if (targets.length > 0 && given.every((target) => target.reads('size'))) {
    const message = sharesProblem(
      'size',
      targets.map(({ size }) => size),
    );
    if (message !== null) f.refuse('takeProfits', message);
  }
  return targets;
}

/**
 * Checks the order of percents and of prices separately: a percent and a price can be compared only at the
 * entry.
 */
function checkAscending(
  given: readonly TargetFields[],
  targets: readonly Target[],
  name: 'percent' | 'price',
  falling: boolean,
): void {
  let before: Dec | null = null;
  targets.forEach((target, i) => {
    const value = target[name];
    const fields = given[i];
    if (value === null || !fields?.reads(name)) return;
    if (before !== null && (falling ? value >= before : value <= before)) {
      const side = falling ? 'below' : 'above';
      fields.problem(name, `must be ${side} ${str(before)}, the target before it, got ${str(value)}`);
    }
    before = value;
  });
}

function readBreakeven(f: SettingsFields, targets: number): number | null {
  const after = f.integerOr('breakevenAfter');
  if (after !== null && f.reads('breakevenAfter', 'takeProfits') && after > targets) {
    f.problem('breakevenAfter', `must be at most ${targets}, the number of takeProfits, got ${after}`);
  }
  return after;
}

function readExpiry(f: SettingsFields, now: number): number | null {
  const at = f.integerOr('expiresAt');
  if (at !== null && at <= now && f.reads('expiresAt'))
    f.warn('expiresAt', 'lies in the past: nothing is entered');
  return at;
}
