/**
 * JSON whose whole numbers stay what they are: one that a double cannot hold, as ids of some exchanges are, is read as its digits.
 * Without this two orders could get the same id.
 */

/** Text that may have such a number in it. */
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

/** The third argument of a reviver, which the types of the language do not have yet. */
interface Context {
  readonly source?: string;
}

/** As JSON.parse; throws SyntaxError like it. */
export function parseExact(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(this: unknown, _key: string, value: unknown, context?: Context): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && WHOLE.test(source) ? source : value;
}
