/**
 * Messages of an exchange made sure to have their form: bounded before they are parsed, checked against a schema that is compiled
 * at the first use. Fields that the schema does not know are ignored; a value that it does not allow makes the whole message
 * unreadable, which leads to a question and never to a crash. Never gives a part of a message.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { visible } from '../../domain/visible.ts';
import { boundsProblem, type TextBounds } from './bounds.ts';

export type Message<T> =
  | { readonly ok: true; readonly value: T }
  /** `problem`: one line, fit to be shown. */
  | { readonly ok: false; readonly problem: string };

/** Characters of a problem at most. */
const PROBLEM_MAX = 200;

const ajv = new Ajv({ strict: true, ownProperties: true, allErrors: false });

/** A reader of one kind of message. `parse`: throws on what is no JSON; `parseExact` where ids are beyond a double. */
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
