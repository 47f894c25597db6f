/** Text columns for any terminal: padded to the longest cell, two spaces between, nothing after the last. */
import { cellWidth, clean } from '../console/ui/clean.ts';

/** Writes the lines with their ends, the head first. Cells are made safe; `right`: right-aligned columns. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const all = [head, ...rows.map((row) => row.map((cell) => clean(cell)))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => cellWidth(row[column] ?? ''))));
  const cellOf = (cell: string, column: number): string => {
    const blank = ' '.repeat((widths[column] ?? 0) - cellWidth(cell));
    return right.includes(head[column] ?? '') ? blank + cell : cell + blank;
  };
  return all.map((row) => `${row.map(cellOf).join('  ').trimEnd()}\n`).join('');
}
