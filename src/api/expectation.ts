/**
 * Says in words what a schema requires and what came instead: the two halves of `X must be ..., got ...`.
 * Pure.
 */
import { nameProblem } from '../domain/market-name.ts';
import { DecimalText, MarketName, Name, UnixMs } from '../schemas/order.ts';
import { quoted, quotedName } from './text.ts';

const DECIMAL = part(DecimalText);
const MARKET_NAME = part(MarketName);
const PATTERNS: ReadonlyMap<string | undefined, string> = new Map([
  [DECIMAL.pattern, 'a decimal string such as "0.01"'],
  [part(Name).pattern, 'a name of 1 to 64 characters from A-Z a-z 0-9 . _ : -'],
  [MARKET_NAME.pattern, 'a name of 1 to 64 letters and numbers and . _ : -'],
]);
const DECIMAL_RULE =
  ' (at most 20 digits on each side of the point; no sign, exponent, space or leading zero)';

/** The part of JSON Schema that the API's schemas use; TypeBox's own types do not describe it. */
export interface SchemaPart {
  readonly anyOf?: readonly SchemaPart[];
  readonly const?: unknown;
  readonly type?: string;
  readonly pattern?: string;
  /** The schema's own words, fit to follow "must be". Its `description` is for the documentation. */
  readonly 'x-must-be'?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: SchemaPart;
}

export function part(schema: object): SchemaPart {
  return schema as SchemaPart;
}

/** Whether a field holds a decimal string. */
export function isDecimal(schema: object): boolean {
  return part(schema).pattern === DECIMAL.pattern;
}

/**
 * What a schema requires. `data` is what came, if anything: if that is a string, the rule for decimals is
 * written out.
 */
export function expectation(schema: object, data?: unknown): string {
  const wanted = part(schema);
  if (wanted['x-must-be'] !== undefined) return wanted['x-must-be'];
  if (wanted.anyOf !== undefined) {
    return wanted.anyOf.every((branch) => 'const' in branch)
      ? `one of ${wanted.anyOf.map((branch) => String(branch.const)).join(', ')}`
      : wanted.anyOf.map((branch) => expectation(branch, data)).join(' or ');
  }
  if ('const' in wanted) return JSON.stringify(wanted.const);
  switch (wanted.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return wanted.maximum === part(UnixMs).maximum
        ? 'a Unix time in milliseconds, as an integer'
        : `an integer${range(wanted)}`;
    case 'number':
      return `a number${range(wanted)}`;
    case 'array':
      return `an array of ${wanted.minItems ?? 0} to ${wanted.maxItems ?? 'any number of'} entries${
        wanted.items ? `, each ${expectation(wanted.items)}` : ''
      }`;
    case 'object':
      return 'an object';
    case 'string':
      return text(wanted, data);
    default:
      return wanted.type ?? 'something else';
  }
}

/**
 * What came, bounded and printable. A number is shown only where one was required: elsewhere its kind is the
 * mistake.
 */
export function gotten(data: unknown, schema: object): string {
  if (typeof data === 'string')
    return part(schema).pattern === MARKET_NAME.pattern ? quotedName(data) : quoted(data);
  if (data === null || typeof data === 'boolean') return String(data);
  if (typeof data === 'number') {
    const { type } = part(schema);
    return type === 'number' || type === 'integer' ? String(data) : 'a number';
  }
  if (Array.isArray(data)) return `an array of ${data.length}`;
  return data === undefined ? 'nothing' : 'an object';
}

function text(schema: SchemaPart, data: unknown): string {
  const words = PATTERNS.get(schema.pattern);
  if (words !== undefined) {
    if (typeof data !== 'string') return words;
    const problem = schema.pattern === MARKET_NAME.pattern ? nameProblem(data) : null;
    return words + (problem === null ? '' : ` (${problem})`) + (isDecimal(schema) ? DECIMAL_RULE : '');
  }
  return schema.maxLength === undefined
    ? 'a string'
    : `a string of ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
}

function range({ exclusiveMinimum, minimum, maximum }: SchemaPart): string {
  if (exclusiveMinimum !== undefined) {
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : ` and at most ${maximum}`}`;
  }
  if (minimum !== undefined)
    return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
  return maximum === undefined ? '' : ` up to ${maximum}`;
}
