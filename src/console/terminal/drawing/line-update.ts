/**
 * Updates a line on the screen by drawing only the cells that change, whereas Ink's own function
 * (ink/build/line-update.js) draws everything from the first of them on. For narrow lines only (`narrow.ts`);
 * in the built program Ink calls it first (scripts/build.mjs).
 */
import { narrowLine, textOf } from './cells.ts';
import { type Cell, plainPen } from './pen.ts';

/**
 * Fewer unchanged cells than this are drawn again rather than stepped over: moving the cursor takes as many
 * bytes.
 */
const SHORTEST_STEP = 6;

/**
 * The text that makes `next` of `previous`; it can be written with the cursor anywhere on the line, and
 * resets the style at its end. Null where Ink has to do it: other characters, lines wider than the terminal,
 * unknown width.
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
