/** Cells and lines of CSV files (RFC 4180) that a spreadsheet can open without carrying anything out. Pure. */

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Quoted where it must be. A text that a spreadsheet would take for a formula gets an apostrophe; a number stays one. */
export function csvCell(value: string | number | boolean): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line with its end. */
export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
