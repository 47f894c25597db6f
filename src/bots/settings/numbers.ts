/**
 * Numbers in bot settings: a JSON number is accepted wherever a decimal string is, as exactly the decimal
 * that its text shows (strategies.md, introduction). Pure.
 */
import { type Dec, dec } from '../../domain/decimal.ts';
import { DECIMAL_PATTERN, INTEGER_PATTERN } from '../../schemas/bots/parts.ts';

const DECIMAL = new RegExp(DECIMAL_PATTERN);
const INTEGER = new RegExp(INTEGER_PATTERN);
const EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-])(\d+)$/;

/**
 * Returns null for anything but a decimal string, or a JSON number whose decimal text is one: at most 20
 * digits on each side. A number beyond 2^53 is refused: it may have lost digits before.
 */
export function readDecimal(value: unknown): Dec | null {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return null;
  const text = typeof value === 'number' ? plainText(value) : value;
  return typeof text === 'string' && DECIMAL.test(text) ? dec(text) : null;
}

/** Reads a whole number that is not negative, as JSON number or text; null for anything else. */
export function readInteger(value: unknown): number | null {
  const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}

/** Decimal text of a number without exponent: 1e-7 is 0.0000001. */
export function plainText(value: number): string {
  const text = Object.is(value, -0) ? '0' : String(value);
  const match = EXPONENT.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', direction, size] = match;
  const digits = whole + fraction;
  const shift = Number(size);
  if (direction === '-') return `${sign}0.${'0'.repeat(shift - 1)}${digits}`;
  // JavaScript uses exponents only beyond 21 digits, so no fraction is left.
  return `${sign}${digits.padEnd(shift + 1, '0')}`;
}
