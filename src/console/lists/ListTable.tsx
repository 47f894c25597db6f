/** A list that is filtered and sorted: its title, the row of its filter while there is one, and the table. */
import type { ReactNode } from 'react';
import { useUi } from '../app/context.ts';
import type { ListId } from '../state/ui.ts';
import { type Line, rule } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { FilterRow } from './FilterRow.tsx';
import { filterRows } from './list-views.ts';
import { TableRows, type TableRowsProps } from './TableRows.tsx';

interface ListTableProps<T extends { readonly id: string }> extends Omit<TableRowsProps<T>, 'selection'> {
  readonly list: ListId;
  readonly title: string;
  readonly info: Line;
  /** The keyboard is here and not in the detail beside it. */
  readonly focused?: boolean;
  /** Between the filter and the head line. */
  readonly above?: readonly Line[];
}

export function ListTable<T extends { readonly id: string }>(props: ListTableProps<T>): ReactNode {
  const { list, title, info, focused = false, above = [], width, height, ...table } = props;
  const { filter, filtering, selection } = useUi((ui) => ui[list]);
  const taken = filterRows({ filter, filtering });
  return (
    <>
      <Row line={rule(title, info, width, focused)} width={width} />
      {taken > 0 && <FilterRow id={`filter.${list}`} value={filter} focus={filtering} width={width} />}
      {above.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        <Row key={at} line={line} width={width} />
      ))}
      <TableRows {...table} selection={selection} width={width} height={height - 1 - taken - above.length} />
    </>
  );
}
