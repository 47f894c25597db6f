/** The text of a notice as lines of its box, and how far it can be scrolled. Pure. */

import { stillFits } from '../lists/still-table.ts';
import type { Dialog } from '../state/ui.ts';
import { clean } from '../ui/clean.ts';
import { breakText, type Line, span, wrapWords } from '../ui/line.ts';

type Notice = Pick<Extract<Dialog, { kind: 'notice' }>, 'lines' | 'table'>;

const WIDEST = 110;
/** Beside the text: the box and a blank on each side. */
const BESIDE = 4;

/** Cells of the box, in a room of `columns`. */
export function noticeWidth(columns: number): number {
  return Math.min(columns - 4, WIDEST);
}

/** The lines of the text; not those that a table shows in full. */
export function noticeLines({ lines, table }: Notice, width: number): readonly Line[] {
  const inner = width - BESIDE;
  if (table && stillFits(table, inner)) return [];
  return lines.flatMap(({ text, tone, words }) =>
    // Long values (keys, signatures) go on in the next line: they are there to be read and copied.
    (words ? wrapWords(text, inner) : breakText(clean(text), inner)).map((part) => [span(part, tone)]),
  );
}

/** Rows of the text and the table's own in a room of `height`: its titles stay. */
export function noticeRoom({ table }: Pick<Notice, 'table'>, height: number): number {
  return height - (table ? 3 : 2);
}

/** The offset at which the end is in view. */
export function noticeEnd(notice: Notice, columns: number, height: number): number {
  const count = (notice.table?.rows.length ?? 0) + noticeLines(notice, noticeWidth(columns)).length;
  return Math.max(0, count - noticeRoom(notice, height));
}
