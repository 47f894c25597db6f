/** The columns of a list as they are wanted and as there is room for them. */
import { useEffect } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import type { ListId } from '../state/ui.ts';
import { chosenColumns } from './columns.ts';
import { type Column, type PlacedColumn, placeColumns } from './table.ts';

/** `width`: of the list. `first`: the title of one that is shown in any case. */
export function usePlacedColumns<T>(
  list: ListId,
  columns: readonly Column<T>[],
  width: number,
  first = '',
): readonly PlacedColumn<T>[] {
  const { session } = useConsole();
  const choice = useUi((ui) => ui.columnChoices[list]);
  // For the dialog that chooses among them.
  useEffect(() => {
    session.tables.set(
      list,
      columns.map(({ title }) => title),
    );
  });
  return placeColumns(chosenColumns(columns, choice), width - 4, first);
}
