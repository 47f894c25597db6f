/** A table in its room: the head line, the rows around the selected one, or what is said in place of rows. */
import type { ReactNode } from 'react';
import type { Selection } from '../state/ui.ts';
import type { Line } from '../ui/line.ts';
import { Row, Rows } from '../ui/Row.tsx';
import { selectedIndex, windowStart } from './cursor.ts';
import { headLine, type PlacedColumn, rowLine, type SortMark } from './table.ts';

export interface TableRowsProps<T extends { readonly id: string }> {
  readonly placed: readonly PlacedColumn<T>[];
  readonly mark: SortMark;
  readonly rows: readonly T[];
  readonly selection: Selection;
  /** Ids of those that are marked. @default none */
  readonly marked?: readonly string[];
  /** In place of rows. */
  readonly empty: readonly Line[];
  /** Right under the rows, whatever their number. */
  readonly below?: readonly Line[];
  readonly width: number;
  /** With the head line and what stands below. */
  readonly height: number;
}

export function TableRows<T extends { readonly id: string }>({
  placed,
  mark,
  rows,
  selection,
  marked = [],
  empty,
  below = [],
  width,
  height,
}: TableRowsProps<T>): ReactNode {
  const room = Math.max(0, height - 1 - below.length);
  const at = selectedIndex(rows, selection);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const marks = new Set(marked);
  const rest = rows.length === 0 ? [...empty, ...below] : below;
  return (
    <>
      <Row line={headLine(placed, mark)} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at, marks.has(row.id))}
          width={width}
          selected={start + index === at}
        />
      ))}
      <Rows lines={rest} width={width} height={Math.max(0, height - 1 - shown.length)} />
    </>
  );
}
