/**
 * Which names symbols and assets may have, defined once for the API, bots' settings, data of exchanges and
 * the console: letters and numbers of any script and `. _ : -`, 1 to 64 UTF-16 code units (a JavaScript
 * length), in Unicode's form NFC. Other spellings are refused, never rewritten: a name is compared, stored,
 * signed and sent as it is, so it must have exactly one spelling. Characters that are invisible, that join
 * the letter before or that run from right to left are not allowed in a name: they would make two names look
 * the same, or exchange the figures beside it on a terminal that orders text by itself. Pure.
 */
import { MARKET_NAME_MAX, MARKET_NAMES_MAX, MARKET_NAMES_MOST } from '../schemas/market-name.ts';

/** A name that needs no closer look. */
const PLAIN = /^[A-Za-z0-9._:-]*$/;
const CHARACTER = /^[\p{L}\p{N}._:-]$/u;
/** Characters that are letters by category but draw nothing, such as the fillers of Hangul. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;
/** The blocks that Unicode keeps for scripts from right to left. */
const RIGHT_TO_LEFT = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]$/u;

/** Returns whether a single code point is allowed in a name. */
function mayStand(char: string): boolean {
  return CHARACTER.test(char) && !INVISIBLE.test(char) && !RIGHT_TO_LEFT.test(char);
}

export function isMarketName(text: string): boolean {
  return nameProblem(text) === null;
}

/** Returns whether a text is a list of names separated by commas. */
export function areMarketNames(text: string): boolean {
  if (text.length > MARKET_NAMES_MAX) return false;
  const names = text.split(',');
  return names.length <= MARKET_NAMES_MOST && names.every(isMarketName);
}

/** Returns what is wrong with a name, in words that can follow the name; null: nothing. */
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

/**
 * Makes a foreign text fit for a message: keeps ASCII and characters allowed in a name, and puts `?` for all
 * others.
 */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let out = '';
  for (const char of text) out += (char >= ' ' && char <= '~') || mayStand(char) ? char : '?';
  return out;
}

/** Compares by code point, as the store sorts: the same on every machine and in every language. */
export function byCodePoint(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks the halves of code points beyond U+FFFF after all whole ones. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Returns a text in capitals, letter by letter: a letter whose capital is more than one letter stays, so that
 * positions in the text stay the same.
 */
export function inCapitals(text: string): string {
  let out = '';
  for (const char of text) {
    const large = char.toUpperCase();
    out += large.length === char.length ? large : char;
  }
  return out;
}

/**
 * Returns a name as somebody typed it, in the spelling of a known name that differs in capitals only;
 * otherwise in capitals.
 */
export function spelled(typed: string, known: readonly string[]): string {
  if (known.includes(typed)) return typed;
  const large = inCapitals(typed);
  if (known.includes(large)) return large;
  return known.find((name) => inCapitals(name) === large) ?? large;
}
