/**
 * Parses JSON without changing integers: one that a double cannot hold, such as the ids of some exchanges, is
 * read as a string of its digits. Without this two orders could get the same id.
 */

/** Matches a text that may have such a number in it. */
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

/** The third argument of a JSON.parse reviver, which TypeScript's types do not have yet. */
interface Context {
  readonly source?: string;
}

/** Parses like JSON.parse, with the same SyntaxError. */
export function parseExact(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(this: unknown, _key: string, value: unknown, context?: Context): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && WHOLE.test(source) ? source : value;
}
