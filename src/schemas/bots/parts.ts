/**
 * Builders for the schemas of bot settings: decimals, whole numbers, choices, lists. A number may be given as
 * a JSON number or as its plain text; its bounds are on the number branch and apply to both. Builders only.
 */
import { type TSchema, Type } from 'typebox';

/** At most 20 digits on each side, as in orders (S33), and a minus sign where the field allows it. */
export const DECIMAL_PATTERN = '^-?(0|[1-9]\\d{0,19})(\\.\\d{1,20})?$';
export const INTEGER_PATTERN = '^(0|[1-9]\\d{0,15})$';
/** Candles consist of whole minutes, and none is longer than a week. */
export const MINUTE_MS = 60_000;
const WEEK_MS = 10_080 * MINUTE_MS;
/** Largest Unix time in ms that JavaScript dates can represent. */
export const LAST_TIME = 8_640_000_000_000_000;

/** Bounds, named as in JSON Schema, and the default of a field. */
export interface DecimalRule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly default?: string;
}

export interface IntegerRule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly default?: number;
}

/** Above zero. */
export const POSITIVE: DecimalRule = { exclusiveMinimum: 0 };
/** Bounds of a percentage by which a price may fall. */
export const PERCENT: DecimalRule = { exclusiveMinimum: 0, exclusiveMaximum: 100 };

export function decimal(description: string, { default: value, ...bounds }: DecimalRule = {}) {
  return Type.Union([Type.String({ pattern: DECIMAL_PATTERN }), Type.Number(bounds)], {
    description,
    ...(value === undefined ? {} : { default: value }),
  });
}

export function integer(description: string, { default: value, ...bounds }: IntegerRule = {}) {
  return Type.Union([Type.Integer({ minimum: 0, ...bounds }), Type.String({ pattern: INTEGER_PATTERN })], {
    description,
    ...(value === undefined ? {} : { default: value }),
  });
}

/** A duration in ms. */
export function duration(description: string, rule: IntegerRule = {}) {
  return integer(description, { minimum: 1, maximum: LAST_TIME, ...rule });
}

/** A moment in Unix ms. */
export function moment(description: string) {
  return integer(description, { maximum: LAST_TIME });
}

/** Length of candles in ms. */
export function frame(description: string, rule: IntegerRule = {}) {
  return integer(description, { minimum: MINUTE_MS, maximum: WEEK_MS, multipleOf: MINUTE_MS, ...rule });
}

export function flag(description: string, value = false) {
  return Type.Boolean({ description, default: value });
}

export function choice<const V extends readonly (string | number)[]>(
  description: string,
  values: V,
  fallback?: V[number],
) {
  // A union keeps the literals in the type; mapping over a tuple would lose them.
  const literals = values.map((value) => Type.Literal(value));
  return Type.Unsafe<V[number]>(
    Type.Union(literals, { description, ...(fallback === undefined ? {} : { default: fallback }) }),
  );
}

export function text(description: string, maxLength: number) {
  return Type.String({ description, minLength: 1, maxLength });
}

/** An array, or a single entry without brackets. */
export function oneOrMany<S extends TSchema>(item: S, description: string, maxItems = 50) {
  return Type.Union([item, Type.Array(item, { maxItems })], { description });
}

/** Price line (Fn.Format): two moments and their prices. */
export function priceLine(description: string) {
  return Type.Record(
    Type.String({ pattern: INTEGER_PATTERN }),
    Type.Union([Type.String({ pattern: DECIMAL_PATTERN }), Type.Number({ exclusiveMinimum: 0 })]),
    {
      minProperties: 2,
      maxProperties: 2,
      description: `${description} Two entries, key = Unix ms as text, value = price; a line through both, extended in both directions. Equal prices make a horizontal level.`,
    },
  );
}
