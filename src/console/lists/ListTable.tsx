/** A list that is filtered and sorted: its title, the filter's row while there is one, and the table. */
import type { ReactNode } from 'react';
import { useDesk, useUi } from '../app/context.ts';
import type { ListId } from '../state/ui.ts';
import { type Line, rule, span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { FilterRow } from './FilterRow.tsx';
import { filterRows } from './list-views.ts';
import type { ListView } from './rows.ts';
import { TableRows, type TableRowsProps } from './TableRows.tsx';
import type { PlacedColumn, SortMark } from './table.ts';

interface ListTableProps<T extends { readonly id: string }> extends Omit<TableRowsProps<T>, 'selection'> {
  readonly list: ListId;
  readonly title: string;
  readonly info: Line;
  /** The keyboard acts on the list, not on the detail beside it. */
  readonly focused?: boolean;
  /** Lines between the filter and the head line. */
  readonly above?: readonly Line[];
}

export function ListTable<T extends { readonly id: string }>(props: ListTableProps<T>): ReactNode {
  const { list, title, info, focused = false, above = [], width, height, ...table } = props;
  const view = useUi((ui) => ui[list]);
  const only = useUi((ui) => (ui.parts.places[list].whole ? null : ui.only));
  const { filter, filtering, selection, marked } = view;
  const kind = useUi((ui) => ui.parts.places[list].list);
  const there = useDesk((state) => (kind?.marks ? marked.filter((id) => kind.marks?.(state, id)).length : 0));
  const shown: Line = [...notes(view, there, table), ...info];
  const taken = filterRows({ filter, filtering });
  return (
    <>
      <Row line={rule(only === null ? title : `${title} @${only}`, shown, width, focused)} width={width} />
      {taken > 0 && <FilterRow id={`filter.${list}`} value={filter} focus={filtering} width={width} />}
      {above.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        <Row key={at} line={line} width={width} />
      ))}
      <TableRows
        {...table}
        selection={selection}
        marked={kind?.marks ? marked : []}
        width={width}
        height={height - 1 - taken - above.length}
      />
    </>
  );
}

/** How many rows are marked, and the sort order where no visible column shows its sign. */
function notes(
  { sort, reverse }: Pick<ListView<string>, 'sort' | 'reverse'>,
  marked: number,
  { placed, mark }: { readonly placed: readonly PlacedColumn<never>[]; readonly mark: SortMark },
): Line {
  const isShown = placed.some(({ column: { title } }) => title !== '' && title === mark.title);
  return [
    ...(marked > 0 ? [span(`${marked} marked`, 'focus', { bold: true }), span(' · ', 'muted')] : []),
    ...(isShown ? [] : [span(`by ${sort} ${reverse ? '▲' : '▼'}`, 'focus'), span(' · ', 'muted')]),
  ];
}
