/**
 * What turns a line on the screen into the next one, without drawing again what they begin with alike: the same text that
 * Ink's own (ink/build/line-update.js) makes, for lines that need no look at Unicode. In the built program Ink asks here
 * first (scripts/build.mjs). Pure.
 */
import { narrowWidth, sgrEnd } from './narrow.ts';

const ESC = 0x1b;

/** Null where Ink has to look itself: odd characters, lines wider than the terminal, a terminal of unknown width. */
export function narrowLineUpdate(previous: string, next: string, columns: number | undefined): string | null {
  if (columns === undefined || !(columns >= 1)) return null;
  if (!fits(previous, columns) || !fits(next, columns)) return null;
  const { column, kept, styles } = commonStart(previous, next);
  const full = `\x1b[1G\x1b[K${next}`;
  if (column === 0 || column >= columns) return full;
  const partial = `\x1b[${column + 1}G\x1b[K${styles}${next.slice(kept)}`;
  return partial.length < full.length ? partial : full;
}

function fits(line: string, columns: number): boolean {
  const width = narrowWidth(line);
  return width >= 0 && width <= columns;
}

/** Of two narrow lines: cells, and the part of `next` that draws them, whole sequences only; the sequences in it. */
function commonStart(previous: string, next: string): { column: number; kept: number; styles: string } {
  let column = 0;
  let kept = 0;
  let styles = '';
  while (kept < next.length && next.charCodeAt(kept) === previous.charCodeAt(kept)) {
    if (next.charCodeAt(kept) !== ESC) {
      column++;
      kept++;
      continue;
    }
    const end = sgrEnd(next, kept);
    const sequence = next.slice(kept, end);
    if (!previous.startsWith(sequence, kept)) break;
    styles += sequence;
    kept = end;
  }
  return { column, kept, styles };
}
