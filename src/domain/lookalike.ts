/**
 * Letters outside A-Z in the names of markets: messages name their script, because some look like Latin
 * letters, and suggest the name that somebody probably meant. Pure; texts longer than a name are not
 * examined.
 */
import { MARKET_NAME_MAX } from '../schemas/market-name.ts';
import { printable } from './market-name.ts';

const CAPITALS = /^[A-Z0-9]*$/;
const LETTER = /[\p{L}\p{N}]/u;
const SCRIPTS: readonly (readonly [name: string, letter: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Han', /\p{Script=Han}/u],
  ['Hiragana', /\p{Script=Hiragana}/u],
  ['Katakana', /\p{Script=Katakana}/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
];

/** Capital letters that look exactly like Latin ones. */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map([
  ...pairs('АВЕЅІЈКМНОРСТУХԚԜԌ', 'ABESIJKMHOPCTYXQWG'),
  ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'),
]);

function pairs(foreign: string, latin: string): (readonly [string, string])[] {
  return [...foreign].map((char, at) => [char, latin.charAt(at)] as const);
}

/**
 * Returns the letters and numbers of a text outside A-Z and 0-9, each once, by script: `币安人生 (Han)`; empty
 * when it has none.
 */
export function foreignLetters(text: string): string {
  const found = new Map<string, Set<string>>();
  for (const char of text) {
    if (char <= '\x7f' || !LETTER.test(char)) continue;
    const script = SCRIPTS.find(([, letter]) => letter.test(char))?.[0] ?? 'of another script';
    found.set(script, (found.get(script) ?? new Set()).add(char));
  }
  return [...found].map(([script, letters]) => `${[...letters].join('')} (${script})`).join(', ');
}

/**
 * Returns the appearance of a name: its letters and numbers in capitals, with Latin letters in place of those
 * that look Latin.
 */
function looks(name: string): string {
  if (CAPITALS.test(name)) return name;
  const letters = name.normalize('NFKC').toUpperCase().normalize('NFC');
  let out = '';
  for (const char of letters) if (LETTER.test(char)) out += LOOKS_LIKE.get(char) ?? char;
  return out;
}

/**
 * Returns the known name that looks the same apart from separators and capitals: `btc-usdt`, or one with a
 * Cyrillic В, gives BTCUSDT.
 */
export function sameLooks(name: string, known: readonly string[]): string | null {
  if (name.length > MARKET_NAME_MAX) return null;
  const wanted = looks(name);
  if (wanted === '') return null;
  return known.find((one) => one === wanted) ?? known.find((one) => looks(one) === wanted) ?? null;
}

/** Returns a refusal's sentence about a symbol that an exchange account does not have. */
export function notTraded(symbol: string, exchange: string, known: readonly string[]): string {
  const near = sameLooks(symbol, known) ?? sameStart(symbol, known);
  return `symbol ${JSON.stringify(printable(symbol.slice(0, MARKET_NAME_MAX)))} is not traded on ${exchange}${foreignWords(symbol, near)}; ${meant(near, known)}`;
}

/** Returns `: В (Cyrillic) is outside A-Z`, if the name that is meant does not have these letters. */
export function foreignWords(symbol: string, near: string | null): string {
  const here = foreignLetters(printable(symbol.slice(0, MARKET_NAME_MAX)));
  if (here === '' || (near !== null && foreignLetters(near) === here)) return '';
  return `: ${here} is outside A-Z`;
}

function meant(near: string | null, known: readonly string[]): string {
  return near === null ? `for example ${known[0] ?? 'none'}` : `did you mean ${near}?`;
}

function sameStart(symbol: string, known: readonly string[]): string | null {
  const start = [...looks(symbol.slice(0, MARKET_NAME_MAX))].slice(0, 3).join('');
  return start === '' ? null : (known.find((one) => one.startsWith(start)) ?? null);
}
