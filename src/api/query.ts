/**
 * Query strings: split and decoded once, duplicates refused (D27), then converted to the types of the route's
 * schema. Never turns a repeated parameter into an array and never guesses a type.
 */
import type { TObject } from 'typebox';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { part } from './expectation.ts';
import { quoted } from './text.ts';

const INTEGER = /^(0|-?[1-9]\d{0,15})$/;

/**
 * Returns decoded parameters by name. A plus sign stays a plus sign (RFC 3986); a name without `=` has an
 * empty value.
 */
export function parseQuery(search: string): Outcome<ReadonlyMap<string, string>> {
  const parameters = new Map<string, string>();
  if (search === '') return ok(parameters);
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) {
      return refuse('INVALID_REQUEST', `the query holds a wrong percent escape in ${quoted(pair)}`);
    }
    if (parameters.has(name)) {
      return refuse('INVALID_REQUEST', `the query parameter ${quoted(name)} is given more than once`);
    }
    parameters.set(name, value);
  }
  return ok(parameters);
}

/**
 * Converts the parameters that a schema knows. A text that does not convert stays as it is, for the
 * validator's message. Others are ignored (D27).
 */
export function convertQuery(
  schema: TObject,
  parameters: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = parameters.get(name);
    if (text !== undefined) result[name] = convert(part(property).type, text);
  }
  return result;
}

function convert(type: string | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'integer') return INTEGER.test(text) ? Number(text) : text;
  return text;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
