/** Settings of NOTIFY: a market scanner (strategies.md 9). Pure. */
import { type Dec, ZERO } from '../../../domain/decimal.ts';
import { readNotify, readZone } from '../../settings/alerts.ts';
import type { Check } from '../../settings/check.ts';
import { readBot } from '../../settings/common.ts';
import type { CompiledSettings, NotifyTarget, RestartOptions } from '../../settings/compiled.ts';
import type { SettingsContext } from '../../settings/context.ts';
import { Fields } from '../../settings/fields.ts';
import { readFilters } from '../../settings/filters.ts';
import { quoted, shown } from '../../settings/words.ts';
import {
  Breakout,
  CONDITIONS,
  PriceChange,
  RsiCondition,
  type NotifySettings as Schema,
  VolumeSurge,
} from './schema.ts';

export type NotifyCondition =
  | { readonly type: 'price_change'; readonly percent: Dec }
  | { readonly type: 'volume_surge'; readonly ratio: Dec; readonly lookback: number }
  | {
      readonly type: 'rsi';
      readonly period: number;
      readonly above: number | null;
      readonly below: number | null;
    }
  | { readonly type: 'breakout'; readonly lookback: number };

export interface NotifySettings extends CompiledSettings {
  readonly type: 'NOTIFY';
  readonly timeFrame: number;
  /** Quote asset of the symbols to scan; null: every quote asset. */
  readonly quote: string | null;
  readonly conditions: readonly NotifyCondition[];
  readonly match: 'all' | 'any';
  readonly top: number;
  readonly cooldown: number;
  readonly message: string | null;
  readonly notify: readonly NotifyTarget[];
}

type SettingsFields = Fields<(typeof Schema)['properties']>;
/** Default of the cooldown, in candles. */
const COOLDOWN_CANDLES = 12;

export function compileNotify(
  f: SettingsFields,
  ground: SettingsContext,
  options: RestartOptions,
): NotifySettings {
  const timeFrame = f.integer('timeFrame');
  return {
    ...readBot(f, ground, { timeFrame, options }),
    type: 'NOTIFY',
    filters: readFilters(f, timeFrame),
    timeFrame,
    quote: readQuote(f, ground),
    conditions: readConditions(f),
    match: f.choice('match'),
    top: f.integer('top'),
    cooldown: f.integerOr('cooldown') ?? COOLDOWN_CANDLES * timeFrame,
    ...readNotify(f, ground.world),
  };
}

function readQuote(f: SettingsFields, { account, world, rules }: SettingsContext): string | null {
  const quote = f.textOr('quote');
  if (quote === null || !account || !f.reads('quote')) return quote;
  if (rules) {
    if (rules.quote !== quote)
      f.refuse('quote', `${rules.symbol} is priced in ${rules.quote}, not in ${quote}`);
    return quote;
  }
  const isTraded = world
    .symbols(account.id)
    .some((symbol) => world.instrument(account.id, symbol)?.quote === quote);
  if (!isTraded) f.refuse('quote', `no symbol of ${account.id} is priced in ${quoted(quote)}`);
  return quote;
}

function readConditions(f: SettingsFields): NotifyCondition[] {
  const items = f.items('conditions');
  if (items.length === 0 && f.reads('conditions'))
    f.problem('conditions', 'at least one condition is needed');
  return items.flatMap(({ path, value }) => readCondition(f.check, path, value) ?? []);
}

function readCondition(check: Check, path: string, value: unknown): NotifyCondition | null {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  switch (type) {
    case 'price_change': {
      const f = Fields.of(check, path, value, PriceChange);
      if (!f) return null;
      const percent = f.decimal('percent');
      if (percent === ZERO && f.reads('percent')) f.problem('percent', 'must not be 0: any price passes');
      return { type, percent };
    }
    case 'volume_surge': {
      const f = Fields.of(check, path, value, VolumeSurge);
      return f && { type, ratio: f.decimal('ratio'), lookback: f.integer('lookback') };
    }
    case 'rsi': {
      const f = Fields.of(check, path, value, RsiCondition);
      return f && { type, ...readZone(f) };
    }
    case 'breakout': {
      const f = Fields.of(check, path, value, Breakout);
      return f && { type, lookback: f.integer('lookback') };
    }
    default: {
      const known = Object.keys(CONDITIONS).join(', ');
      const came =
        typeof value === 'object' && value !== null && type !== undefined ? `, got ${shown(type)}` : '';
      check.problem(`${path}.type`, `must be one of ${known}${came}`);
      return null;
    }
  }
}
