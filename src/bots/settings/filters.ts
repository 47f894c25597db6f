/** Reads the filters block: conditions of every entry (strategies.md 2). Pure. */
import type { TProperties, TSchema } from 'typebox';
import { type Dec, str, toNumber } from '../../domain/decimal.ts';
import { Filters as Schema } from '../../schemas/bots/blocks.ts';
import type { Filters } from './compiled.ts';
import type { Fields } from './fields.ts';

const { volume: Volume, price: Price, market: Market } = Schema.properties;
const { rsi: Rsi } = Market.properties;

/** Reads the filters; null when left out. `frame`: frame of an RSI filter that names none, ms. */
export function readFilters<P extends TProperties & { readonly filters: TSchema }>(
  f: Fields<P>,
  frame: number,
): Filters | null {
  const filters = f.group('filters', Schema);
  if (!filters) return null;
  const volume = filters.group('volume', Volume);
  const price = filters.group('price', Price);
  const market = filters.group('market', Market);
  return {
    volume: volume && {
      minVal: volume.decimalOr('minVal'),
      percentChange: volume.decimalOr('percentChange'),
    },
    price: price && { minVal: price.decimalOr('minVal'), percentChange: price.decimalOr('percentChange') },
    market: market && { rsi: readRsi(market, frame), trend: market.choiceOr('trend') },
    blacklist: filters.texts('blacklist'),
  };
}

function readRsi(
  market: Fields<(typeof Market)['properties']>,
  frame: number,
): NonNullable<Filters['market']>['rsi'] {
  const rsi = market.group('rsi', Rsi);
  if (!rsi) return null;
  const min = rsi.decimalOr('min');
  const max = rsi.decimalOr('max');
  checkMinMax(rsi, min, max);
  return {
    period: rsi.integer('period'),
    timeFrame: rsi.integerOr('timeFrame') ?? frame,
    min: min === null ? null : toNumber(min),
    max: max === null ? null : toNumber(max),
  };
}

/** Checks that `min` and `max` of one object are in order, and not both left out. */
export function checkMinMax<P extends TProperties & { readonly min: TSchema; readonly max: TSchema }>(
  f: Fields<P>,
  min: Dec | null,
  max: Dec | null,
): void {
  if (min === null && max === null) f.check.warn(f.path, 'has neither min nor max and always passes');
  if (min !== null && max !== null && f.reads('min', 'max') && min > max) {
    f.problem('min', `must not be above max ${str(max)}, got ${str(min)}`);
  }
}
