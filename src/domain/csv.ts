/**
 * Cells and lines of CSV files (RFC 4180) that a spreadsheet opens without executing anything, whichever
 * separator the user's language implies. Pure.
 */

const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * Characters that begin a formula, full-width forms included: some spreadsheets treat them like the plain
 * ones.
 */
const FORMULA = '=+-@\uff1d\uff0b\uff0d\uff20';
/**
 * Characters after which a spreadsheet of another language, or one that ignores quotes, begins a new cell.
 */
const SEPARATORS = ';|\t\r\n';
/** Blanks, and characters that a reader drops: control and format characters. */
const UNSEEN = /[\s\p{Cc}\p{Cf}]/u;

/**
 * Returns a cell, quoted where necessary. A text that a spreadsheet would read as a formula gets an
 * apostrophe; a number stays a number.
 */
export function csvCell(value: string | number | boolean): string {
  const text = String(value);
  const safe = NUMBER.test(text) ? text : harmless(text);
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns one line with its line end. */
export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * Puts an apostrophe before every character that would begin a formula, at the start or after a separator.
 */
function harmless(text: string): string {
  // A text that begins with a control character is suspicious.
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
