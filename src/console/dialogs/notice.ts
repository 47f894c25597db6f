/** The lines of a notice's text in its box, and how far they scroll. Pure. */

import { stillFits } from '../lists/still-table.ts';
import type { Dialog } from '../state/ui.ts';
import { clean } from '../ui/clean.ts';
import { breakText, type Line, span, wrapWords } from '../ui/line.ts';

type Notice = Pick<Extract<Dialog, { kind: 'notice' }>, 'lines' | 'table'>;

const WIDEST = 110;
/** Columns beside the text: the box and a blank on each side. */
const BESIDE = 4;

/** Width of the box if `columns` are available, in cells. */
export function noticeWidth(columns: number): number {
  return Math.min(columns - 4, WIDEST);
}

/** The lines of the text, without those that a table already shows in full. */
export function noticeLines({ lines, table }: Notice, width: number): readonly Line[] {
  const inner = width - BESIDE;
  if (table && stillFits(table, inner)) return [];
  return lines.flatMap(({ text, tone, words }) =>
    // Long values (keys, signatures) are wrapped, not cut: people read and copy them.
    (words ? wrapWords(text, inner) : breakText(clean(text), inner)).map((part) => [span(part, tone)]),
  );
}

/** Rows for the text and the table's rows in a room of `height`; the table's titles stay in place. */
export function noticeRoom({ table }: Pick<Notice, 'table'>, height: number): number {
  return height - (table ? 3 : 2);
}

/** The scroll offset at which the end is visible. */
export function noticeEnd(notice: Notice, columns: number, height: number): number {
  const count = (notice.table?.rows.length ?? 0) + noticeLines(notice, noticeWidth(columns)).length;
  return Math.max(0, count - noticeRoom(notice, height));
}
