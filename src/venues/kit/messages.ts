/**
 * Checks messages of an exchange: bounded before they are parsed, then checked against a schema that is
 * compiled at first use. Fields that the schema does not know are ignored; a value that it does not allow
 * makes the whole message unreadable, which leads to a question to the exchange and never to a crash. Never
 * returns a part of a message.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { visible } from '../../domain/visible.ts';
import { boundsProblem, type TextBounds } from './bounds.ts';

export type Message<T> =
  | { readonly ok: true; readonly value: T }
  /** `problem`: one line, safe to show. */
  | { readonly ok: false; readonly problem: string };

/** The largest length of a problem, characters. */
const PROBLEM_MAX = 200;

const ajv = new Ajv({ strict: true, ownProperties: true, allErrors: false });

/**
 * Makes a reader for one kind of message. `parse` throws on text that is not JSON; `parseExact` is for ids
 * that do not fit a double.
 */
export function messageReader<S extends TSchema>(
  schema: S,
  bounds: TextBounds,
  parse: (text: string) => unknown = JSON.parse,
): (text: string) => Message<Static<S>> {
  let check: ValidateFunction | null = null;
  return (text) => {
    const tooMuch = boundsProblem(text, bounds);
    if (tooMuch !== null) return unread(tooMuch);
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      return unread(`it is not JSON: ${text.slice(0, PROBLEM_MAX)}`);
    }
    check ??= ajv.compile(schema);
    if (check(value)) return { ok: true, value: value as Static<S> };
    const [error] = check.errors ?? [];
    const where = error?.instancePath.slice(1).replaceAll('/', '.') || 'it';
    return unread(`${where} ${error?.message ?? 'has not its form'}: ${text.slice(0, PROBLEM_MAX)}`);
  };
}

function unread(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: visible(problem).slice(0, PROBLEM_MAX) };
}
