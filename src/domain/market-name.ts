/**
 * What symbols and assets may be called, the one definition for the API, bots' settings, what exchanges tell and the console:
 * letters and numbers of any script and `. _ : -`, 1 to 64 UTF-16 code units (a JavaScript length), in Unicode's form NFC. Other
 * spellings are refused, never rewritten: a name is compared, stored, signed and sent as it is, so it must have one spelling
 * only. What cannot be seen, what joins the letter before and what runs from right to left is no part of a name: it would
 * make two names look the same, or exchange the figures beside it on a terminal that orders text by itself. Pure.
 */
import { MARKET_NAME_MAX, MARKET_NAMES_MAX, MARKET_NAMES_MOST } from '../schemas/market-name.ts';

/** Nothing to look at more closely. */
const PLAIN = /^[A-Za-z0-9._:-]*$/;
const CHARACTER = /^[\p{L}\p{N}._:-]$/u;
/** Letters by their category that draw nothing, as the fillers of Hangul. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;
/** The blocks that Unicode keeps for scripts from right to left. */
const RIGHT_TO_LEFT = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]$/u;

/** Of a single code point. */
function mayStand(char: string): boolean {
  return CHARACTER.test(char) && !INVISIBLE.test(char) && !RIGHT_TO_LEFT.test(char);
}

export function isMarketName(text: string): boolean {
  return nameProblem(text) === null;
}

/** Separated by commas. */
export function areMarketNames(text: string): boolean {
  if (text.length > MARKET_NAMES_MAX) return false;
  const names = text.split(',');
  return names.length <= MARKET_NAMES_MOST && names.every(isMarketName);
}

/** What is wrong with a name, in words fit to follow it; null when nothing is. */
export function nameProblem(text: string): string | null {
  if (text === '') return 'it is empty';
  if (text.length > MARKET_NAME_MAX) return `it has ${text.length}`;
  if (PLAIN.test(text)) return null;
  for (const char of text) if (!mayStand(char)) return `${codeOf(char)} is none of them`;
  return text.normalize('NFC') === text ? null : 'it is not composed: send it in the form NFC';
}

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Text of others made fit for a message: ASCII and what may stand in a name; `?` for all else. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let out = '';
  for (const char of text) out += (char >= ' ' && char <= '~') || mayStand(char) ? char : '?';
  return out;
}

/** By code point, as the store sorts: the same on every machine and in every language. */
export function byCodePoint(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Halves of code points beyond U+FFFF come after all whole ones. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** In capitals, letter by letter: one whose capital is more than one letter stays, so that the text keeps its places. */
export function inCapitals(text: string): string {
  let out = '';
  for (const char of text) {
    const large = char.toUpperCase();
    out += large.length === char.length ? large : char;
  }
  return out;
}

/** A name as somebody typed it, in the spelling of a known one that differs in capitals only; else in capitals. */
export function spelled(typed: string, known: readonly string[]): string {
  if (known.includes(typed)) return typed;
  const large = inCapitals(typed);
  if (known.includes(large)) return large;
  return known.find((name) => inCapitals(name) === large) ?? large;
}
