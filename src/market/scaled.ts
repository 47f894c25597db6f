/**
 * Prices and volumes as whole numbers of 10^-decimals in plain doubles, for feeds that make thousands per
 * second. Exact while the whole number is below 2^52; use `domain/decimal.ts` for larger values.
 */

import { dec, str } from '../domain/decimal.ts';

/** Largest whole number that the functions here keep exact. */
export const MAX_SCALED = 2 ** 52;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const ZEROS = '0'.repeat(30);

/**
 * Returns the canonical decimal text of `value` x 10^-decimals (no trailing zeros, no exponent); `value` a
 * whole number >= 0.
 */
export function formatScaled(value: number, decimals: number): string {
  const power = POWERS[decimals] as number;
  const whole = Math.floor(value / power);
  let fraction = value - whole * power;
  if (fraction === 0) return `${whole}`;
  let places = decimals;
  while (fraction % 10 === 0) {
    fraction /= 10;
    places--;
  }
  const digits = `${fraction}`;
  return digits.length === places
    ? `${whole}.${digits}`
    : `${whole}.${ZEROS.slice(0, places - digits.length)}${digits}`;
}

/** Returns the whole number of 10^-decimals nearest to a decimal text. */
export function parseScaled(text: string, decimals: number): number {
  return Math.round(Number(text) * (POWERS[decimals] as number));
}

/** Returns a quarter of a canonical decimal text, exactly. */
export function quarterOf(text: string): string {
  if (text.length > 13) return str(dec(text) / 4n);
  const dot = text.indexOf('.');
  if (dot < 0) return formatScaled(Number(text) * 25, 2);
  return formatScaled(Number(text.slice(0, dot) + text.slice(dot + 1)) * 25, text.length - dot + 1);
}

/** Returns the decimal places of a plain decimal text, trailing zeros not counted. */
export function decimalsOf(text: string): number {
  const dot = text.indexOf('.');
  if (dot < 0) return 0;
  let end = text.length;
  while (end > dot + 1 && text.charCodeAt(end - 1) === 48) end--;
  return end - dot - 1;
}

/** Returns 10^-decimals as text: `0.01` for 2. */
export function unitOf(decimals: number): string {
  return formatScaled(1, decimals);
}

/** Returns 10^exponent for exponents 0 to 22, where a double is exact. */
export function powerOfTen(exponent: number): number {
  return POWERS[exponent] as number;
}
