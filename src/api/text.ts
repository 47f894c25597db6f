/** Makes foreign text fit for messages, log and audit lines: on one line, printable, bounded. */
import { printable } from '../domain/market-name.ts';

const BLANKS = /\s+/g;
const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/** Text of ASCII characters only. */
export function cleanText(text: string, maxLength: number): string {
  return oneLine(text, maxLength).replace(NOT_PRINTABLE, '?');
}

/** Text in double quotes, as shown in `got "abc"`. */
export function quoted(text: string): string {
  return `"${cleanText(text, 40)}"`;
}

/** The same as `quoted`, for a text that should be the name of a market: letters of any script stay. */
export function quotedName(text: string): string {
  return `"${printable(oneLine(text, 40))}"`;
}

function oneLine(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return cut.replace(BLANKS, (run) => (run.includes('\n') ? ' | ' : run));
}
