/**
 * Exact decimal arithmetic for money, prices and quantities: a value is a bigint that counts units of 10^-30.
 * Comparison, sum and difference are the plain bigint operators; only products and quotients need a function.
 * No value ever goes through a binary floating point number.
 */

/** A decimal as a whole number of 10^-30 units. Add, subtract and compare with the ordinary operators. */
export type Dec = bigint;

/**
 * Decimal places kept. Inputs carry at most 20, so the product of a price on its tick and a quantity on its
 * step is exact.
 */
export const DECIMAL_PLACES = 30;
const UNIT = 10n ** BigInt(DECIMAL_PLACES);
const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?$/;
/** How many units the last digit of a text stands for, by the number of its decimal places. */
const UNITS = Array.from(
  { length: DECIMAL_PLACES + 1 },
  (_, places) => 10n ** BigInt(DECIMAL_PLACES - places),
);
/** A double represents every whole number of this many digits exactly. */
const EXACT_DIGITS = 15;

export const ZERO: Dec = 0n;
export const ONE: Dec = UNIT;

/**
 * Reads a plain decimal text (`-12.5`); no exponent, no sign but minus. Throws RangeError on anything else.
 */
export function dec(text: string): Dec {
  const short = shortDec(text);
  if (short !== null) return short;
  const match = DECIMAL_TEXT.exec(text);
  if (!match) throw new RangeError(`not a decimal: ${JSON.stringify(text.slice(0, 40))}`);
  const [, sign, whole = '0', fraction = ''] = match;
  if (fraction.length > DECIMAL_PLACES) {
    throw new RangeError(`more than ${DECIMAL_PLACES} decimal places: ${text.slice(0, 60)}`);
  }
  const value = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
  return sign === '-' ? -value : value;
}

/**
 * Does what `dec` does for texts with few digits, as most are, several times as fast; null: the text is
 * longer, or no decimal.
 */
function shortDec(text: string): Dec | null {
  const first = text.charCodeAt(0) === 45 ? 1 : 0;
  if (text.length - first > EXACT_DIGITS) return null;
  let units = 0;
  let point = -1;
  for (let i = first; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit === -2 && point < 0) point = i;
    else return null;
  }
  const places = point < 0 ? 0 : text.length - 1 - point;
  const isWhole = point < 0 && text.length > first;
  const isFraction = point > first && places > 0;
  if (!isWhole && !isFraction) return null;
  const value = BigInt(units) * (UNITS[places] as Dec);
  return first === 1 ? -value : value;
}

/** Returns a small integer as a decimal. */
export function decOfInt(value: number): Dec {
  return BigInt(value) * UNIT;
}

/** Returns the canonical text: no exponent, no trailing zeros, `0` for zero. */
export function str(value: Dec): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0');
  const cut = digits.length - DECIMAL_PLACES;
  let end = digits.length;
  while (end > cut && digits.charCodeAt(end - 1) === 48) end--;
  const text = end > cut ? `${digits.slice(0, cut)}.${digits.slice(cut, end)}` : digits.slice(0, cut);
  return negative ? `-${text}` : text;
}

/**
 * Returns the text rounded to `places` decimals (halves away from zero) and padded with zeros: for money on
 * screen and in messages.
 */
export function fixed(value: Dec, places: number): string {
  const rounded = roundTo(value, 10n ** BigInt(DECIMAL_PLACES - places));
  const text = str(rounded);
  if (places === 0) return text;
  const dot = text.indexOf('.');
  return dot < 0 ? `${text}.${'0'.repeat(places)}` : text.padEnd(dot + 1 + places, '0');
}

/**
 * Returns the product, cut toward zero at 30 places (exact while the factors have at most 30 places
 * together).
 */
export function mul(a: Dec, b: Dec): Dec {
  return (a * b) / UNIT;
}

/** Returns the quotient, cut toward zero at 30 places. Throws RangeError when `b` is zero. */
export function div(a: Dec, b: Dec): Dec {
  return (a * UNIT) / b;
}

/** Returns the largest multiple of `step` that is not above a non-negative `value`. */
export function floorTo(value: Dec, step: Dec): Dec {
  return value - (value % step);
}

/** Returns the smallest multiple of `step` that is not below a non-negative `value`. */
export function ceilTo(value: Dec, step: Dec): Dec {
  const rest = value % step;
  return rest === 0n ? value : value - rest + step;
}

/** Returns the nearest multiple of `step`, halves away from zero. */
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

/** Returns the nearest binary number: for charts, indicators and percentages on screen only. */
export function toNumber(value: Dec): number {
  return Number(str(value));
}
