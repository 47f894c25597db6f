/**
 * Exact decimal arithmetic for money, prices and quantities: a value is a bigint counting units of 10^-30.
 * Comparison, sum and difference are the plain bigint operators; only products and quotients need a function.
 * Never goes through a binary floating point number.
 */

/** A decimal as a whole number of 10^-30 units. Add, subtract and compare with the ordinary operators. */
export type Dec = bigint;

/** Decimal places kept. Inputs carry at most 20, so the product of a price on its tick and a quantity on its step is exact. */
export const DECIMAL_PLACES = 30;
const UNIT = 10n ** BigInt(DECIMAL_PLACES);
const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?$/;

export const ZERO: Dec = 0n;
export const ONE: Dec = UNIT;

/** Reads a plain decimal text (`-12.5`); no exponent, no sign but minus. Throws RangeError on anything else. */
export function dec(text: string): Dec {
  // What stands in most documents.
  if (text === '0') return ZERO;
  const match = DECIMAL_TEXT.exec(text);
  if (!match) throw new RangeError(`not a decimal: ${JSON.stringify(text.slice(0, 40))}`);
  const [, sign, whole = '0', fraction = ''] = match;
  if (fraction.length > DECIMAL_PLACES) {
    throw new RangeError(`more than ${DECIMAL_PLACES} decimal places: ${text.slice(0, 60)}`);
  }
  const value = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
  return sign === '-' ? -value : value;
}

/** A small integer as a decimal. */
export function decOfInt(value: number): Dec {
  return BigInt(value) * UNIT;
}

/** Canonical text: no exponent, no trailing zeros, `0` for zero. */
export function str(value: Dec): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0');
  const cut = digits.length - DECIMAL_PLACES;
  let end = digits.length;
  while (end > cut && digits.charCodeAt(end - 1) === 48) end--;
  const text = end > cut ? `${digits.slice(0, cut)}.${digits.slice(cut, end)}` : digits.slice(0, cut);
  return negative ? `-${text}` : text;
}

/** Text rounded to `places` decimals (halves away from zero) and padded with zeros: for money on screen and in messages. */
export function fixed(value: Dec, places: number): string {
  const rounded = roundTo(value, 10n ** BigInt(DECIMAL_PLACES - places));
  const text = str(rounded);
  if (places === 0) return text;
  const dot = text.indexOf('.');
  return dot < 0 ? `${text}.${'0'.repeat(places)}` : text.padEnd(dot + 1 + places, '0');
}

/** Product, cut toward zero at 30 places (exact while the factors have at most 30 places together). */
export function mul(a: Dec, b: Dec): Dec {
  return (a * b) / UNIT;
}

/** Quotient, cut toward zero at 30 places. Throws RangeError when `b` is zero. */
export function div(a: Dec, b: Dec): Dec {
  return (a * UNIT) / b;
}

/** Largest multiple of `step` that is not above a non-negative `value`. */
export function floorTo(value: Dec, step: Dec): Dec {
  return value - (value % step);
}

/** Smallest multiple of `step` that is not below a non-negative `value`. */
export function ceilTo(value: Dec, step: Dec): Dec {
  const rest = value % step;
  return rest === 0n ? value : value - rest + step;
}

/** Nearest multiple of `step`, halves away from zero. */
export function roundTo(value: Dec, step: Dec): Dec {
  const size = value < 0n ? -value : value;
  const rounded = floorTo(size + step / 2n, step);
  return value < 0n ? -rounded : rounded;
}

export function isMultiple(value: Dec, step: Dec): boolean {
  return value % step === 0n;
}

export function minDec(a: Dec, b: Dec): Dec {
  return a < b ? a : b;
}

export function maxDec(a: Dec, b: Dec): Dec {
  return a > b ? a : b;
}

/** For charts, indicators and percentages on screen only: the nearest binary number. */
export function toNumber(value: Dec): number {
  return Number(str(value));
}
