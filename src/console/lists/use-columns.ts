/** The columns of a list as its operator wants them and as they fit. */
import { useEffect } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import type { ListId } from '../state/ui.ts';
import { chosenColumns } from './columns.ts';
import { type Column, type PlacedColumn, placeColumns } from './table.ts';

/** `width`: that of the list. `first`: title of a column that is shown in any case. */
export function usePlacedColumns<T>(
  list: ListId,
  columns: readonly Column<T>[],
  width: number,
  first = '',
): readonly PlacedColumn<T>[] {
  const { session } = useConsole();
  const choice = useUi((ui) => ui.columnChoices[list]);
  // Read by the dialog that chooses among them.
  useEffect(() => {
    session.tables.set(
      list,
      columns.map(({ title }) => title),
    );
  });
  return placeColumns(chosenColumns(columns, choice), width - 4, first);
}
