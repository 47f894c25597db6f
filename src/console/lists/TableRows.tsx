/** A table in its room: the head line, the rows around the selected one, or a text in place of rows. */
import { Box, type DOMElement } from 'ink';
import { type ReactNode, useEffect, useRef } from 'react';
import { useConsole } from '../app/context.ts';
import type { Selection } from '../state/ui.ts';
import type { Line } from '../ui/line.ts';
import { Row, Rows } from '../ui/Row.tsx';
import { type InView, NOTHING_IN_VIEW, type ShownCell } from './copy.ts';
import { selectedIndex, windowStart } from './cursor.ts';
import { headLine, type PlacedColumn, rowLine, type SortMark } from './table.ts';

export interface TableRowsProps<T extends { readonly id: string }> {
  readonly placed: readonly PlacedColumn<T>[];
  readonly mark: SortMark;
  readonly rows: readonly T[];
  readonly selection: Selection;
  /** Ids of the marked rows. @default none */
  readonly marked?: readonly string[];
  /** Shown when there are no rows. */
  readonly empty: readonly Line[];
  /** Lines right under the rows, whatever their number. */
  readonly below?: readonly Line[];
  readonly width: number;
  /** Rows including the head line and `below`. */
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
  const { session } = useConsole();
  const box = useRef<DOMElement | null>(null);
  useEffect(() => {
    const selected = rows[at];
    const inView: InView = {
      cells: () => (selected ? cellsOf(placed, selected) : []),
      rowAt(column, row) {
        const from = box.current ? placeOfBox(box.current) : null;
        if (!from || column <= from.left || column > from.left + width || row <= from.top) return null;
        return shown[row - from.top - 1]?.id ?? null;
      },
    };
    session.inView = inView;
    return () => {
      if (session.inView === inView) session.inView = NOTHING_IN_VIEW;
    };
  });
  return (
    <>
      <Row line={headLine(placed, mark)} width={width} />
      <Box ref={box} flexDirection="column" width={width} flexShrink={0}>
        {shown.map((row, index) => (
          <Row
            key={row.id}
            line={rowLine(placed, row, start + index === at, marks.has(row.id))}
            width={width}
            selected={start + index === at}
          />
        ))}
      </Box>
      <Rows lines={rest} width={width} height={Math.max(0, height - 1 - shown.length)} />
    </>
  );
}

/** Largest width of a column whose text is shown uncut, in cells. */
const UNCUT = 60;

function cellsOf<T>(placed: readonly PlacedColumn<T>[], row: T): readonly ShownCell[] {
  return placed.map(({ column }) => ({ title: column.title, text: column.cell(row, UNCUT).text.trim() }));
}

/** Cells of the terminal to the left of a box and above it. */
function placeOfBox(box: DOMElement): { readonly left: number; readonly top: number } {
  let [left, top] = [0, 0];
  for (let node: DOMElement | undefined = box; node; node = node.parentNode) {
    left += node.yogaNode?.getComputedLeft() ?? 0;
    top += node.yogaNode?.getComputedTop() ?? 0;
  }
  return { left, top };
}
