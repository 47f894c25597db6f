/**
 * Request validation: Ajv over the TypeBox schemas, strict and without coercion (D29, D30). Errors become
 * sentences: which field, what would be right, what came instead. Never changes the data.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { closest } from '../domain/did-you-mean.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { areMarketNames, isMarketName } from '../domain/market-name.ts';
import { MARKET_NAME_FORMAT, MARKET_NAMES_FORMAT } from '../schemas/market-name.ts';
import { expectation, gotten } from './expectation.ts';
import { quoted } from './text.ts';

/** Most fields named in the answer to an unknown one; more would hide the message. */
const MAX_LISTED = 8;

const ajv = new Ajv({
  strict: true,
  allErrors: false,
  verbose: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  formats: {
    [MARKET_NAME_FORMAT]: isMarketName,
    [MARKET_NAMES_FORMAT]: areMarketNames,
    // Means something to readers of the documentation, nothing to the validator.
    int64: true,
  },
  keywords: ['x-must-be'],
});

/**
 * Words for values that only the running desk knows, by field: `exchange` -> `one of paper-spot,
 * paper-futures`.
 */
export type FieldHints = Readonly<Record<string, string>>;

/** Checks data of one place (`body`, `query`). */
export type Validator = (data: unknown, hints?: FieldHints) => Outcome<unknown>;

/**
 * Compiles a schema once, at its first use: compiling all of them would take a tenth of a start. `place` is
 * named in messages that are not about a single field.
 */
export function compileValidator(schema: TSchema, place: 'body' | 'query'): Validator {
  let check: ValidateFunction | null = null;
  return (data, hints = {}) => {
    check ??= ajv.compile(schema);
    if (check(data)) return ok(data);
    return refuse('INVALID_REQUEST', sentence(check.errors ?? [], place, hints), 'FIELD');
  };
}

function sentence(errors: readonly ErrorObject[], place: string, hints: FieldHints): string {
  // In a union every branch reports, then the union itself: only the last describes all of it.
  const error = errors.find((e) => e.keyword === 'anyOf') ?? errors[0];
  if (error === undefined) return `the ${place} is not valid`;
  const field = fieldName(error.instancePath);
  if (error.keyword === 'additionalProperties') return unknownField(error, field);
  if (error.keyword === 'required') {
    const missing = String(error.params.missingProperty);
    const path = field === '' ? missing : `${field}.${missing}`;
    const property = (error.parentSchema?.properties as Record<string, TSchema> | undefined)?.[missing];
    const wanted = hints[missing] ?? (property && expectation(property));
    return `${path} is missing${wanted ? `; it must be ${wanted}` : ''}`;
  }
  if (error.keyword === 'uniqueItems') {
    const { i, j } = error.params as { i: number; j: number };
    const [first, second] = i < j ? [i, j] : [j, i];
    return `${field}[${second}] must differ from ${field}[${first}], got ${gotten((error.data as unknown[])[second], {})} twice`;
  }
  const schema = error.parentSchema ?? {};
  const wanted = hints[field] ?? expectation(schema, error.data);
  return `${field || `the ${place}`} must be ${wanted}, got ${gotten(error.data, schema)}`;
}

function unknownField(error: ErrorObject, parent: string): string {
  const name = String(error.params.additionalProperty);
  const known = Object.keys((error.parentSchema?.properties ?? {}) as Record<string, unknown>);
  const guess = closest(name, known);
  const inside = parent === '' ? '' : ` in ${parent}`;
  if (guess !== null) return `unknown field ${quoted(name)}${inside}; did you mean "${guess}"?`;
  if (known.length === 0) return `unknown field ${quoted(name)}; the body of this request has no fields`;
  const list =
    known.length <= MAX_LISTED ? `; known ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}` : '';
  return `unknown field ${quoted(name)}${inside}${list}`;
}

/**
 * Converts `/prices/3` to `prices[3]`. Only names of the schema and indices occur here: unknown names are
 * refused before.
 */
function fieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) =>
      /^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`,
    )
    .join('')
    .replace(/^\./, '');
}
