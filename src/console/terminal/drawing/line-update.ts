/**
 * What turns a line on the screen into the next one: only the cells that change, where Ink's own (ink/build/line-update.js)
 * draws everything from the first of them on. For lines that need no look at Unicode; in the built program Ink asks here
 * first (scripts/build.mjs).
 */
import { narrowLine, textOf } from './cells.ts';
import { type Cell, plainPen } from './pen.ts';

/** Unchanged cells that are drawn again rather than stepped over: moving takes as many bytes. */
const SHORTEST_STEP = 6;

/**
 * To be written anywhere on the line; leaves no style behind. Null where Ink has to look itself: odd characters, lines wider
 * than the terminal, a terminal of unknown width.
 */
export function narrowLineUpdate(previous: string, next: string, columns: number | undefined): string | null {
  if (columns === undefined || !(columns >= 1)) return null;
  const [before, after] = [narrowLine(previous), narrowLine(next)];
  if (!before || !after || before.length > columns || after.length > columns) return null;
  const parts = changes(before, after);
  const anew = `\x1b[1G\x1b[K${next}`;
  return parts.length < anew.length ? parts : anew;
}

function changes(before: readonly Cell[], after: readonly Cell[]): string {
  const blank = plainPen().narrow(0x20);
  const changed = (at: number): boolean => (before[at] ?? blank) !== after[at];
  let text = '';
  for (let at = 0; at < after.length; ) {
    if (!changed(at)) {
      at++;
      continue;
    }
    let end = at + 1;
    for (let next = end; next < after.length && next - end < SHORTEST_STEP; next++) {
      if (changed(next)) end = next + 1;
    }
    text += `\x1b[${at + 1}G${textOf(after.slice(at, end))}`;
    at = end;
  }
  const rest = before.slice(after.length).some((cell) => cell !== blank);
  return rest ? `${text}\x1b[${after.length + 1}G\x1b[K` : text;
}
