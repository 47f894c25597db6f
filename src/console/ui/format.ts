/**
 * Numbers and times as the console shows them. Prices and quantities stay decimal strings (`domain/decimal.ts`), never
 * binary floating point. Missing is `–`, not 0. Times are in the zone that is set (`zone.ts`).
 */
import { type Dec, dec, decOfInt, div, fixed, mul, ONE, ZERO } from '../../domain/decimal.ts';
import { withoutTail, withoutZeros } from '../../domain/text-ends.ts';
import { localText, zoneLabel } from './zone.ts';

export const MISSING = '–';

/** `1234567.8` -> `1,234,567.8`. */
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
 * A sentence with its numbers grouped: `BUY 0.5 BTC at 102501.7` -> `… at 102,501.7`. Left alone are whole numbers of four
 * digits (years), and whatever is a part of a longer word: times, ids, addresses.
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

/** A decimal string from outside, also one with its plus sign, as a decimal; null when missing or not one. */
export function read(text: string | null | undefined): Dec | null {
  if (text === null || text === undefined) return null;
  try {
    return dec(text.replace(/^\+(?=\d)/, ''));
  } catch {
    return null;
  }
}

/** An amount with fixed places, grouped. */
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

/** What is held of an asset: eight places at most, as exchanges book it, without zeros at the end. */
export function balance(text: string | null | undefined): string {
  const value = read(text);
  return value === null ? MISSING : group(withoutZeros(fixed(value, 8)));
}

/** A decimal string as it is, grouped; nothing is rounded away. */
export function exact(text: string | null | undefined): string {
  return text === null || text === undefined ? MISSING : group(text);
}

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** So many characters of a decimal are read whatever they are. */
const SHORT = 30;

/** Decimal places of a step such as `0.001000` (3); the places prices and quantities of a symbol are shown with. */
export function placesOf(step: string | undefined): number | null {
  if (!step || !/^\d+(\.\d+)?$/.test(step)) return null;
  const fraction = withoutTail(step.split('.')[1] ?? '', '0');
  return fraction.length;
}

/** A value on its step with the step's places, or exactly as it is when it has more. */
export function onStep(text: string | null | undefined, step: string | undefined): string {
  const places = placesOf(step);
  if (text === null || text === undefined) return MISSING;
  const own = withoutTail(text.split('.')[1] ?? '', '0').length;
  if (places === null || own > places) return exact(text);
  // Nothing is to be rounded. Nearly all that is shown of a market, many times a second: no decimal is made for it.
  if (text.length > SHORT || !PLAIN.test(text)) return amount(text, places);
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 ? group(whole) : `${group(whole)}.${fraction.slice(0, places).padEnd(places, '0')}`;
}

/** `1 order`, `2 orders`, `1,234 orders`: whatever is counted in a text is counted here. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${group(String(count))} ${count === 1 ? one : many}`;
}

/** A computed price, rounded to its step's places: what is shown is never finer than what the market has. */
export function rounded(text: string | null | undefined, step: string | undefined): string {
  const places = placesOf(step);
  return places === null ? exact(text) : amount(text, places);
}

/** Sign always shown: `+1.20`, `-0.40`; `-<0.01` when it rounds to nothing but is not; `0.00`. */
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

/** `+1.23 %`, `-<0.01 %`, or `–`. */
export function percent(value: Dec | null, places = 2): string {
  return value === null ? MISSING : `${signed(value, places)} %`;
}

/** Filled share in whole percent, cut: 100 only when filled. */
export function filledPercent(executed: string, original: string): string {
  const done = read(executed);
  const all = read(original);
  if (done === null || all === null || all === ZERO) return MISSING;
  return `${((done * 100n) / all).toString()} %`;
}

/** `14:07`. */
export function clockTime(ms: number): string {
  return localText(ms)?.slice(11, 16) ?? '--:--';
}

/** `14:07:31`. */
export function timeOfDay(ms: number): string {
  return localText(ms)?.slice(11, 19) ?? '--:--:--';
}

/** `2025-02-03 02:08`. */
export function dateTime(ms: number): string {
  return localText(ms)?.slice(0, 16).replace('T', ' ') ?? MISSING;
}

/** `2025-02-03 02:08 UTC`: says of which zone it is. */
export function moment(ms: number): string {
  return localText(ms) === null ? MISSING : `${dateTime(ms)} ${zoneLabel(ms)}`;
}

/** `2025-02-03 02:08:11`. */
export function dateAndSecond(ms: number): string {
  return localText(ms)?.slice(0, 19).replace('T', ' ') ?? MISSING;
}

/** `02-03 02:08:11`: for rows that may be of any day. */
export function dayTime(ms: number): string {
  return localText(ms)?.slice(5, 19).replace('T', ' ') ?? MISSING;
}

/** A length of time, coarse: `7 s`, `4 min`, `3 h`, `12 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** An average price rounded to the tick: the detail has all of it. Exact where the tick is not known. */
export function tickPrice(text: string | null, tick: string | undefined): string {
  const places = placesOf(tick);
  return places === null ? exact(text) : amount(text, places);
}
