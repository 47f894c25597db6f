/**
 * Cells and lines of CSV files (RFC 4180) that a spreadsheet can open without carrying anything out, whatever it takes for a
 * separator in the language of its user. Pure.
 */

const NUMBER = /^-?\d+(\.\d+)?$/;
/** What a formula begins with, full-width forms included: some spreadsheets take them for the plain ones. */
const FORMULA = '=+-@\uff1d\uff0b\uff0d\uff20';
/** Behind these a spreadsheet of another language, or one that knows no quotes, begins a new cell. */
const SEPARATORS = ';|\t\r\n';
/** Blanks, and what is dropped when it is read: control and format characters. */
const UNSEEN = /[\s\p{Cc}\p{Cf}]/u;

/** Quoted where it must be. A text that a spreadsheet would take for a formula gets an apostrophe; a number stays one. */
export function csvCell(value: string | number | boolean): string {
  const text = String(value);
  const safe = NUMBER.test(text) ? text : harmless(text);
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line with its end. */
export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** With an apostrophe before whatever would be the beginning of a formula, here or behind a separator. */
function harmless(text: string): string {
  // One that begins with a control character is no honest text.
  let safe = /^\p{Cc}/u.test(text) ? "'" : '';
  let atStart = true;
  for (const character of text) {
    if (atStart && FORMULA.includes(character)) safe += "'";
    safe += character;
    if (SEPARATORS.includes(character)) atStart = true;
    else if (!UNSEEN.test(character)) atStart = false;
  }
  return safe;
}
