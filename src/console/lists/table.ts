/**
 * Table layout: columns by priority, one line a row. Columns that do not fit are left out, rows never wrap.
 * Pure.
 */
import { cell, keyed, type Line, type Span, span } from '../ui/line.ts';
import { spokenCell } from '../ui/spoken.ts';

export interface Column<T> {
  readonly title: string;
  readonly width: number;
  readonly align?: 'left' | 'right';
  /** Columns with 1 stay longest when there is little room. */
  readonly priority: number;
  /** Share of the spare cells; 0 = fixed. */
  readonly grow?: number;
  readonly cell: (row: T, width: number) => Span;
}

export interface PlacedColumn<T> {
  readonly column: Column<T>;
  readonly width: number;
}

const GAP = 2;

/**
 * The columns that fit into `width`, in their order, with their widths. `first`: title of a column that is
 * shown in any case.
 */
export function placeColumns<T>(
  columns: readonly Column<T>[],
  width: number,
  first = '',
): readonly PlacedColumn<T>[] {
  const rank = ({ title, priority }: Column<T>): number => (first !== '' && title === first ? 0 : priority);
  const kept = new Set<Column<T>>();
  let used = -GAP;
  for (const column of [...columns].sort((a, b) => rank(a) - rank(b))) {
    if (used + GAP + column.width > width) break;
    used += GAP + column.width;
    kept.add(column);
  }
  const shown = columns.filter((column) => kept.has(column));
  const growing = shown.reduce((sum, column) => sum + (column.grow ?? 0), 0);
  let left = Math.max(0, width - used);
  return shown.map((column) => {
    const share = growing === 0 ? 0 : Math.floor((Math.max(0, width - used) * (column.grow ?? 0)) / growing);
    const extra = Math.min(left, share);
    left -= extra;
    return { column, width: column.width + extra };
  });
}

/** The column by which a table is sorted, and which way. */
export interface SortMark {
  readonly title: string;
  readonly sign: string;
}

export function sortMark(title: string, reverse: boolean): SortMark {
  return { title, sign: reverse ? '▲' : '▼' };
}

export function headLine<T>(placed: readonly PlacedColumn<T>[], marker: SortMark): Line {
  const line: Span[] = [span('  ')];
  for (const { column, width } of placed) {
    const sorted = column.title !== '' && column.title === marker.title;
    const text = sorted ? marked(column.title, marker.sign, width) : column.title;
    const head = cell(text, width, column.align ?? 'left', sorted ? 'focus' : 'muted');
    // Read aloud, each cell says its title itself.
    line.push({ ...head, spoken: '' }, span('  '));
  }
  return line;
}

/** Keeps the sort sign where the title has to be cut. */
function marked(title: string, sign: string, width: number): string {
  return title.length + 2 <= width ? `${title} ${sign}` : `${title.slice(0, Math.max(0, width - 1))}${sign}`;
}

export function rowLine<T>(
  placed: readonly PlacedColumn<T>[],
  row: T,
  selected: boolean,
  marked = false,
): Line {
  const line: Span[] = marked
    ? [span(selected ? '▸' : ' ', 'focus'), { ...span('●', 'focus'), spoken: 'marked, ' }]
    : [selected ? span('▸ ', 'focus') : span('  ')];
  for (const { column, width } of placed) {
    const value = column.cell(row, width);
    const shown = cell(value.text, width, column.align ?? 'left', value.tone);
    line.push({ ...value, ...shown, spoken: spokenCell(column.title, value.text) }, span('  '));
  }
  return line;
}

/** Title of a list: `Orders`, `Orders matching "btc"`. */
export function listTitle(name: string, filter: string): string {
  return filter === '' ? name : `${name} matching "${filter}"`;
}

/** Line in place of rows that a filter hides: `no orders match`. */
export function noMatch(what: string, filter: string): Line {
  return [
    span(`  ${what} "${filter}" · `, 'muted'),
    keyed('list.back', 'esc'),
    span(' clears the filter', 'muted'),
  ];
}
