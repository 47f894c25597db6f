/**
 * Small tables that do not change by themselves (previews, results) as plain data, and their layout. Pure.
 */
import { cellWidth, clean } from '../ui/clean.ts';
import { type Span, span } from '../ui/line.ts';

export interface StillColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export interface StillTableData {
  readonly columns: readonly StillColumn[];
  /** One cell for each column. */
  readonly rows: readonly (readonly Span[])[];
}

/** Blanks before and after every cell; ink-table needs at least one. */
export const PADDING = 1;
/** Smallest width of a column when there is not room for all, in cells. */
const LEAST = 3;

/**
 * Width of each column in cells, without padding; padding included, the sum never exceeds `width`. The widest
 * columns shrink first, and columns at the end are left out where not even a few cells of each would fit.
 */
export function stillWidths({ columns, rows }: StillTableData, width: number): readonly number[] {
  const most = Math.floor(width / (LEAST + 2 * PADDING));
  const widths = columns.slice(0, Math.max(0, most)).map(({ title }, at) => {
    const texts = [title, ...rows.map((row) => row[at]?.text ?? '')];
    return Math.max(...texts.map((text) => cellWidth(clean(text))));
  });
  const room = width - widths.length * 2 * PADDING;
  while (sum(widths) > room) {
    const widest = Math.max(...widths);
    const next = Math.max(LEAST, ...widths.filter((cells) => cells < widest));
    widths[widths.lastIndexOf(widest)] = Math.max(Math.min(next, widest - 1), widest - (sum(widths) - room));
  }
  return widths;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Whether the table fits without cutting any text. */
export function stillFits(table: StillTableData, width: number): boolean {
  const widths = stillWidths(table, width);
  return table.rows.every((row) =>
    row.every(({ text }, column) => cellWidth(clean(text)) <= (widths[column] ?? 0)),
  );
}

/** Rows a table takes in a room of `most`: its title line and its rows, at most `most`. */
export function stillHeight({ rows }: StillTableData, most: number): number {
  return Math.max(0, Math.min(rows.length + 1, most));
}

/** The outcome for one item of several. */
export interface ItemResult {
  readonly id: string;
  readonly name: string;
  readonly good: boolean;
  readonly text: string;
}

/** A table of results, failures first, with the reasons in full where the table has to cut them. */
export function resultNotice(what: string, results: readonly ItemResult[]) {
  const sorted = [...results].sort((a, b) => Number(a.good) - Number(b.good));
  const table: StillTableData = {
    columns: [{ title: '' }, { title: 'id' }, { title: what }, { title: 'result' }],
    rows: sorted.map(({ id, name, good, text }) => {
      const tone = good ? 'ok' : 'danger';
      return [span(good ? '✓' : '✗', tone), span(id, 'muted'), span(name), span(text, tone)];
    }),
  };
  const failed = sorted.filter(({ good }) => !good);
  const told = failed.map(({ id, text }) => ({
    text: `${id}: ${text}`,
    tone: 'danger' as const,
    words: true,
  }));
  return { table, lines: told.length === 0 ? [] : [{ text: '' }, ...told] };
}
