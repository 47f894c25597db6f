/** Foreign text made fit for messages, log and audit lines: printable ASCII on one line, bounded. */

const BLANKS = /\s+/g;
const NOT_PRINTABLE = /[^\x20-\x7e]/g;

export function cleanText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return cut.replace(BLANKS, (run) => (run.includes('\n') ? ' | ' : run)).replace(NOT_PRINTABLE, '?');
}

/** In double quotes, as shown in `got "abc"`. */
export function quoted(text: string): string {
  return `"${cleanText(text, 40)}"`;
}
