/** LIVE, TESTNET or PAPER in each row of a table, where the accounts of the desk have different modes. */
import { useWholeDesk } from '../app/context.ts';
import { type Modes, mixedModes, modeSpan } from '../dialogs/mode.ts';
import { MODE_TITLE } from './columns.ts';
import type { Column } from './table.ts';

/**
 * The columns with the mode column before them; unchanged where all modes are the same. `of`: the account of
 * a row.
 */
export function useModeColumn<T>(
  columns: readonly Column<T>[],
  of: (row: T) => string,
): readonly Column<T>[] {
  return withModes(columns, useWholeDesk(mixedModes), of);
}

/** Does what `useModeColumn` does, for given modes by account. Pure. */
export function withModes<T>(
  columns: readonly Column<T>[],
  modes: Modes,
  of: (row: T) => string,
): readonly Column<T>[] {
  if (!modes) return columns;
  const width = Math.max(...[...modes.values()].map(({ length }) => length));
  // Placed first: it is shown however little room there is.
  return [{ title: MODE_TITLE, width, priority: 0, cell: (row) => modeSpan(modes.get(of(row))) }, ...columns];
}
