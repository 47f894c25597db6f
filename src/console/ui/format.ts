/**
 * Numbers and times as the console shows them. Prices and quantities stay decimal strings
 * (`domain/decimal.ts`), never binary floating point. A missing value is `–`, not 0. Times are in the
 * configured zone (`zone.ts`).
 */
import { type Dec, dec, decOfInt, div, fixed, mul, ONE, ZERO } from '../../domain/decimal.ts';
import { withoutTail, withoutZeros } from '../../domain/text-ends.ts';
import { localText, zoneLabel } from './zone.ts';

export const MISSING = '–';

/** Adds thousands separators: `1234567.8` -> `1,234,567.8`. */
export function group(text: string): string {
  const match = /^(-?)(\d+)(\..*)?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', rest = ''] = match;
  const first = whole.length % 3 || 3;
  let grouped = whole.slice(0, first);
  for (let at = first; at < whole.length; at += 3) grouped += `,${whole.slice(at, at + 3)}`;
  return sign + grouped + rest;
}

const SIGNED_NUMBER = /-?(\d+)(\.\d+)?/g;
const BEFORE_NUMBER = /[\s([<>=~+]/;
const BEHIND_NUMBER = /^(?:$|[\s,;:)%\]]|\.(?:\s|$))/;

/**
 * Adds thousands separators to the numbers of a sentence: `BUY 0.5 BTC at 102501.7` -> `… at 102,501.7`.
 * Whole numbers of four digits (years) and parts of longer words (times, ids, addresses) are left alone.
 */
export function groupedWords(text: string): string {
  return text.replace(
    SIGNED_NUMBER,
    (all: string, whole: string, fraction: string | undefined, at: number) => {
      const long = whole.length > 4 || (whole.length === 4 && fraction !== undefined);
      const end = at + all.length;
      const alone =
        long &&
        (at === 0 || BEFORE_NUMBER.test(text.charAt(at - 1))) &&
        BEHIND_NUMBER.test(text.slice(end, end + 2));
      return alone ? group(all) : all;
    },
  );
}

/** Parses a decimal string from outside, also one with a plus sign; null when missing or not a decimal. */
export function read(text: string | null | undefined): Dec | null {
  if (text === null || text === undefined) return null;
  try {
    return dec(text.replace(/^\+(?=\d)/, ''));
  } catch {
    return null;
  }
}

/** An amount with fixed places and thousands separators. */
export function amount(text: string | null | undefined, places: number): string {
  const value = read(text);
  return value === null ? MISSING : group(fixed(value, places));
}

/** A computed amount: two places; up to eight where it is less than one (an amount of a coin). */
export function money(text: string | null | undefined): string {
  const value = read(text);
  if (value === null) return MISSING;
  return value < ONE && value > -ONE && value !== ZERO ? balance(text) : group(fixed(value, 2));
}

/** A balance of an asset: at most eight places, as exchanges book it, without trailing zeros. */
export function balance(text: string | null | undefined): string {
  const value = read(text);
  return value === null ? MISSING : group(withoutZeros(fixed(value, 8)));
}

/** A decimal string with thousands separators; nothing is rounded. */
export function exact(text: string | null | undefined): string {
  return text === null || text === undefined ? MISSING : group(text);
}

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Decimals of at most this many characters take the fast way below. */
const SHORT = 30;

/**
 * Decimal places of a step such as `0.001000` (3); prices and quantities of a symbol are shown with as many.
 */
export function placesOf(step: string | undefined): number | null {
  if (!step || !/^\d+(\.\d+)?$/.test(step)) return null;
  const fraction = withoutTail(step.split('.')[1] ?? '', '0');
  return fraction.length;
}

/** A value with the decimal places of its step, or exactly as it is when it has more. */
export function onStep(text: string | null | undefined, step: string | undefined): string {
  const places = placesOf(step);
  if (text === null || text === undefined) return MISSING;
  const own = withoutTail(text.split('.')[1] ?? '', '0').length;
  if (places === null || own > places) return exact(text);
  // Fast way without rounding: nearly all market figures take it, many times a second, so no decimal is
  // created.
  if (text.length > SHORT || !PLAIN.test(text)) return amount(text, places);
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 ? group(whole) : `${group(whole)}.${fraction.slice(0, places).padEnd(places, '0')}`;
}

/** A count with its noun: `1 order`, `2 orders`, `1,234 orders`. Every count in a text is written with it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${group(String(count))} ${count === 1 ? one : many}`;
}

/** A computed price, rounded to its step's places: never shown finer than the market's prices. */
export function rounded(text: string | null | undefined, step: string | undefined): string {
  const places = placesOf(step);
  return places === null ? exact(text) : amount(text, places);
}

/**
 * A number that always has a sign: `+1.20`, `-0.40`; `-<0.01` when it is not zero but rounds to it; `0.00`.
 */
export function signed(value: Dec, places: number): string {
  const sign = value > ZERO ? '+' : value < ZERO ? '-' : '';
  const text = group(fixed(value < ZERO ? -value : value, places));
  if (value === ZERO || /[1-9]/.test(text)) return sign + text;
  return `${sign}<${text.slice(0, -1)}1`;
}

/** Change from `from` to `to` in percent; null when either is missing. */
export function percentChange(from: string | null | undefined, to: string | null | undefined): Dec | null {
  const start = read(from);
  const end = read(to);
  if (start === null || end === null || start === ZERO) return null;
  return mul(div(end - start, start < ZERO ? -start : start), decOfInt(100));
}

/** A percentage: `+1.23 %`, `-<0.01 %`, or `–`. */
export function percent(value: Dec | null, places = 2): string {
  return value === null ? MISSING : `${signed(value, places)} %`;
}

/** Filled share in whole percent, rounded down: 100 only when filled. */
export function filledPercent(executed: string, original: string): string {
  const done = read(executed);
  const all = read(original);
  if (done === null || all === null || all === ZERO) return MISSING;
  return `${((done * 100n) / all).toString()} %`;
}

/** Time of day, `14:07`. */
export function clockTime(ms: number): string {
  return localText(ms)?.slice(11, 16) ?? '--:--';
}

/** Time of day with seconds, `14:07:31`. */
export function timeOfDay(ms: number): string {
  return localText(ms)?.slice(11, 19) ?? '--:--:--';
}

/** Date and time, `2025-02-03 02:08`. */
export function dateTime(ms: number): string {
  return localText(ms)?.slice(0, 16).replace('T', ' ') ?? MISSING;
}

/** Date and time with the zone, `2025-02-03 02:08 UTC`. */
export function moment(ms: number): string {
  return localText(ms) === null ? MISSING : `${dateTime(ms)} ${zoneLabel(ms)}`;
}

/** Date and time with seconds, `2025-02-03 02:08:11`. */
export function dateAndSecond(ms: number): string {
  return localText(ms)?.slice(0, 19).replace('T', ' ') ?? MISSING;
}

/** Day and time, `02-03 02:08:11`: for rows that may be from any day. */
export function dayTime(ms: number): string {
  return localText(ms)?.slice(5, 19).replace('T', ' ') ?? MISSING;
}

/** A rough duration: `7 s`, `4 min`, `3 h`, `12 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** An average price rounded to the tick; the detail shows it unrounded. Exact where the tick is not known. */
export function tickPrice(text: string | null, tick: string | undefined): string {
  const places = placesOf(tick);
  return places === null ? exact(text) : amount(text, places);
}
