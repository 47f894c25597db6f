/**
 * The output edge: every string from a venue, an API client, a bot, a file or an error passes `clean()`
 * before it reaches the terminal (borders.md 6). The result is `visible` and is cut by cell width. Must never
 * emit a terminal escape itself.
 */
import stringWidth from 'string-width';
import { visible } from '../../domain/visible.ts';

/** ASCII, and the glyphs of charts, frames and tables: one cell each, and unchanged by `clean`. */
export const NARROW =
  /^[\x20-\x7e\u00b7\u2013\u2026\u2500-\u259f\u25b2\u25b8\u25bc\u25c2\u25cb\u25cc\u25cf\u2800-\u28ff]*$/;

/**
 * Makes a text safe for one line. With `width`, cuts it to that many cells, with `…` as the last one when
 * something is missing.
 */
export function clean(value: string, width?: number): string {
  const safe = visible(value);
  return width === undefined ? safe : cut(safe, width);
}

const widths = new Map<string, number>();
const MAX_WIDTHS = 4_096;

/**
 * Number of cells of a clean text. Counted per code point, not per grapheme: terminals disagree about
 * clusters, and counting too much only costs a blank while counting too little wraps the row.
 */
export function cellWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const char of text) sum += charWidth(char);
  return sum;
}

function charWidth(char: string): number {
  if (char >= ' ' && char <= '~') return 1;
  let width = widths.get(char);
  if (width === undefined) {
    width = stringWidth(char);
    if (widths.size >= MAX_WIDTHS) widths.clear();
    widths.set(char, width);
  }
  return width;
}

/** A clean text cut to `width` cells. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (cellWidth(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const char of text) {
    const next = charWidth(char);
    if (used + next > width - 1) break;
    out += char;
    used += next;
  }
  return `${out}…`;
}

/** A clean text cut or padded to exactly `width` cells. */
export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  if (text.length <= width && NARROW.test(text))
    return align === 'left' ? text.padEnd(width) : text.padStart(width);
  const shown = cut(text, width);
  const blank = ' '.repeat(Math.max(0, width - cellWidth(shown)));
  return align === 'left' ? shown + blank : blank + shown;
}
