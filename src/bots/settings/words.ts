/**
 * Words for problems: the given value, bounds, lists of names. Text from outside is bounded and made
 * printable. Pure.
 */
import { printable } from '../../domain/market-name.ts';

const MAX_TEXT = 40;
/** Maximum number of names in a message; more would make it unreadable. */
const MAX_LISTED = 8;

/** Returns the text in double quotes, printable, at most 40 characters. */
export function quoted(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
  return `"${printable(cut)}"`;
}

/** Returns words for a value that was given instead of an allowed one. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'nothing' : String(value);
}

/** Returns `a, b, c`, and how many more there are. */
export function listed(names: readonly (string | number)[], max = MAX_LISTED): string {
  const rest = names.length - max;
  return rest > 0 ? `${names.slice(0, max).join(', ')} and ${rest} more` : names.join(', ');
}

/** Returns `a, b or c`. */
export function either(names: readonly (string | number)[]): string {
  const last = names.at(-1);
  return names.length < 2 ? `${last}` : `${names.slice(0, -1).join(', ')} or ${last}`;
}

export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** Returns ` above 0 and below 100`, ` from 1 to 50`, or nothing. */
export function boundsText(bounds: Bounds): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
  const steps = multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}${steps}`;
  const low =
    exclusiveMinimum !== undefined
      ? ` above ${exclusiveMinimum}`
      : minimum !== undefined
        ? ` of at least ${minimum}`
        : '';
  const high =
    exclusiveMaximum !== undefined
      ? ` below ${exclusiveMaximum}`
      : maximum !== undefined
        ? ` of at most ${maximum}`
        : '';
  return low !== '' && high !== '' ? `${low} and${high.replace(' of at most', ' at most')}` : low + high;
}
