/** Reads the range block: where entries are placed (strategies.md 2). Pure. */
import type { TProperties, TSchema } from 'typebox';
import { ZERO } from '../../domain/decimal.ts';
import { Range as Schema } from '../../schemas/bots/blocks.ts';
import type { Range } from './compiled.ts';
import type { Fields } from './fields.ts';
import { checkMinMax } from './filters.ts';
import { LINE_NEEDS } from './price-line.ts';

export function readRanges<P extends TProperties & { readonly range: TSchema }>(f: Fields<P>): Range[] {
  return f.each('range', Schema).map(readRange);
}

function readRange(f: Fields<(typeof Schema)['properties']>): Range {
  const type = f.choice('type');
  const min = f.decimalOr('min');
  const max = f.decimalOr('max');
  checkMinMax(f, min, max);
  if (type === 'price' && max !== null && max <= ZERO && f.reads('max', 'type')) {
    f.problem('max', 'must be above 0: no price is below it');
  }
  const trend = f.lineOr('trend');
  if (type === 'trend_percent_price') {
    if (!f.has('trend') && f.reads('type')) f.problem('trend', `missing; ${LINE_NEEDS}`);
  } else if (trend !== null && f.reads('type')) f.warn('trend', `has no effect with type ${type}`);
  return { type, min, max, trend: type === 'trend_percent_price' ? trend : null };
}
