/**
 * The console draws with box, block and a few geometric glyphs; `--ascii` replaces each by an ASCII one at
 * the output edge, so that no component needs to know. One cell in, one cell out.
 */
import { cellWidth } from './clean.ts';

const ASCII: Readonly<Record<string, string>> = {
  '–': '-',
  '…': '~',
  '·': '.',
  '●': '*',
  '○': 'o',
  '▲': '^',
  '▼': 'v',
  '▸': '>',
  '◂': '<',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '’': "'",
  '“': '"',
  '”': '"',
  '✓': '+',
  '✗': 'x',
  '×': 'x',
  '░': '.',
  '▴': '^',
  '▾': 'v',
  '▱': '-',
  '▰': '#',
  '─': '-',
  '│': '|',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '├': '+',
  '┤': '+',
  '▁': '_',
  '▂': '.',
  '▃': ',',
  '▄': '-',
  '▅': '~',
  '▆': '=',
  '▇': '+',
  '█': '#',
  '▀': '#',
  '▒': ':',
  '┊': ':',
  '┈': '.',
  '┼': '+',
  '╌': '-',
  '═': '=',
  '◌': 'o',
  '╷': '|',
  '╵': '|',
  '┃': 'o',
  '╽': 'o',
  '╿': 'o',
  '╹': 'o',
  '╻': 'o',
};

/** Dots of a braille cell by row, from the top. */
const BRAILLE_ROWS = [0x09, 0x12, 0x24, 0xc0];
const BRAILLE_BLANK = 0x2800;

/** ASCII for a braille cell, by its dots: above, below, or both. */
function brailleAscii(code: number): string {
  const bits = code - BRAILLE_BLANK;
  const has = (row: number) => (bits & (BRAILLE_ROWS[row] ?? 0)) !== 0;
  const [upper, lower] = [has(0) || has(1), has(2) || has(3)];
  if (!upper) return lower ? '.' : ' ';
  return lower ? ':' : "'";
}

function asciiOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code >= BRAILLE_BLANK && code < BRAILLE_BLANK + 256) return brailleAscii(code);
  return ASCII[char] ?? '?'.repeat(cellWidth(char));
}

/** ASCII form of a clean text in as many cells; each cell of another character becomes `?`. */
export function toAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let out = '';
  for (const char of text) out += char <= '~' ? char : asciiOf(char);
  return out;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * A sparkline of exactly `width` cells over all values, with the newest in the last cell; blank on the left
 * when there are too few.
 */
export function sparkline(values: readonly number[], width: number): string {
  if (width <= 0) return '';
  const shown = values.length > width ? lastOfParts(values, width) : values;
  if (shown.length === 0) return ' '.repeat(width);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  let out = '';
  for (const value of shown) {
    const level = span === 0 ? 3 : Math.round(((value - low) / span) * 7);
    out += LEVELS[level] ?? '▁';
  }
  return out.padStart(width);
}

/** The last value of each of `count` parts of nearly equal size. */
function lastOfParts(values: readonly number[], count: number): number[] {
  return Array.from(
    { length: count },
    (_, part) => values[Math.floor(((part + 1) * values.length) / count) - 1] as number,
  );
}

/** A meter of `width` cells for a share between 0 and 1. */
export function meter(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '·'.repeat(width - full);
}
