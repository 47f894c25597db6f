/** The schema of one field: bounds that a value must keep, and the words for them. Pure. */
import { type Dec, dec } from '../../domain/decimal.ts';
import { isMarketName, nameProblem } from '../../domain/market-name.ts';
import { LAST_TIME } from '../../schemas/bots/parts.ts';
import { MARKET_NAME_FORMAT } from '../../schemas/market-name.ts';
import { type Bounds, boundsText } from './words.ts';

/** The part of JSON Schema that these schemas use. */
export interface Part extends Bounds {
  readonly type?: string;
  readonly anyOf?: readonly Part[];
  readonly const?: string | number;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Part;
}

export function within(value: Dec, bounds: Bounds): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  if (minimum !== undefined && value < bound(minimum)) return false;
  if (maximum !== undefined && value > bound(maximum)) return false;
  if (exclusiveMinimum !== undefined && value <= bound(exclusiveMinimum)) return false;
  return exclusiveMaximum === undefined || value < bound(exclusiveMaximum);
}

function bound(value: number): Dec {
  return dec(String(value));
}

export function integerText(bounds: Bounds): string {
  if (bounds.maximum !== LAST_TIME) return `an integer${boundsText(bounds)}`;
  return bounds.minimum ? `an integer of at least ${bounds.minimum}` : 'an integer that is not negative';
}

export function arrayText({ minItems = 0, maxItems }: Part): string {
  if (minItems > 0) return `an array of ${minItems} to ${maxItems} entries`;
  return maxItems === undefined ? 'an array' : `an array of at most ${maxItems} entries`;
}

export function isText(value: unknown, part: Part): value is string {
  return (
    typeof value === 'string' &&
    value.length >= (part.minLength ?? 0) &&
    value.length <= (part.maxLength ?? value.length) &&
    (part.format === MARKET_NAME_FORMAT
      ? isMarketName(value)
      : part.pattern === undefined || new RegExp(part.pattern).test(value))
  );
}

/** Says which text is wanted. `value`: the given value, used to say what is wrong with it. */
export function textWanted({ pattern, format, minLength = 0, maxLength }: Part, value?: unknown): string {
  if (format === MARKET_NAME_FORMAT) {
    const problem = typeof value === 'string' ? nameProblem(value) : null;
    const words = `a name of ${minLength} to ${maxLength} letters and numbers and . _ : -`;
    return problem === null ? words : `${words} (${problem})`;
  }
  if (pattern !== undefined)
    return `a name of ${minLength} to ${maxLength} characters from A-Z a-z 0-9 . _ : -`;
  return maxLength === undefined ? 'a text' : `a text of ${minLength} to ${maxLength} characters`;
}
