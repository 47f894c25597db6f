/** Positions of all futures accounts, what protects them, and their sum; Enter opens a detail pane. */

import type { ReactNode } from 'react';
import { useDesk, useUi } from '../app/context.ts';
import { ListAndDetail, type Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { isUsualOrder } from '../lists/list-views.ts';
import { useModeColumn } from '../lists/mode-column.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { openPositions, positionTotals } from '../trading/positions.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { PositionDetailPane } from './PositionDetailPane.tsx';
import { positionColumns, subtotalLines, totalsLine } from './position-columns.ts';
import { POSITION_SORTS, type PositionSort, shownPositions } from './position-list.ts';

export function PositionsScreen({ width, height }: Size): ReactNode {
  const wanted = useUi((ui) => ui.positions.detailOpen);
  const open = useDesk((state) => wanted && openPositions(state).length > 0);
  const rows = Math.ceil(height * 0.65);
  return (
    <ListAndDetail
      List={List}
      Detail={PositionDetailPane}
      open={open}
      rows={rows}
      width={width}
      height={height}
    />
  );
}

/** The title of the column for each sort. */
const SORTED: Record<PositionSort, string> = {
  account: 'account',
  symbol: 'symbol',
  size: 'size USD',
  PnL: 'PnL',
  margin: 'margin',
  liquidation: 'to it',
};

function List({ width, height }: Size): ReactNode {
  const futures = useDesk((state) => state.futures);
  const accounts = useDesk((state) => state.accounts);
  const instruments = useDesk((state) => state.instruments);
  const view = useUi((ui) => ui.positions);
  const unread = accounts.filter(({ id, kind }) => kind === 'futures' && futures[id] === undefined);
  const all = openPositions({ futures }).length;
  const rows = shownPositions({ futures, instruments }, view);
  const sums = subtotalLines(rows, Math.floor(height / 6));
  const below = rows.length === 0 ? [] : [[], ...sums, totalsLine(positionTotals(rows), all)];
  const columns = useModeColumn(positionColumns(instruments), ({ exchange }) => exchange);
  const mark = sortMark(SORTED[view.sort], view.reverse);
  const first = isUsualOrder(POSITION_SORTS, view) ? '' : mark.title;
  return (
    <ListTable
      list="positions"
      title={listTitle('Positions', view.filter)}
      info={[span(modes(futures), 'muted')]}
      above={unread.map(({ id }): Line => [span(`  ${id}: its positions could not be read yet`, 'warn')])}
      focused={view.detailOpen && view.pane === 'list'}
      placed={usePlacedColumns('positions', columns, width, first)}
      mark={mark}
      rows={rows}
      empty={[[], emptyLine(all === 0 ? '' : view.filter, unread.length > 0)]}
      below={below}
      width={width}
      height={height}
    />
  );
}

/** The position mode of each account: `paper-futures one-way`. */
function modes(futures: Readonly<Record<string, { readonly hedgeMode: boolean }>>): string {
  return Object.entries(futures)
    .map(([id, { hedgeMode }]) => `${id} ${hedgeMode ? 'hedge mode' : 'one-way'}`)
    .join(' · ');
}

function emptyLine(filter: string, unread: boolean): Line {
  if (unread && filter === '') return [span('  asking the accounts …', 'muted')];
  if (filter !== '') return noMatch('no positions match', filter);
  return [span('  no open positions · ', 'muted'), keyed('ticket.open', 'n'), span(' new order', 'muted')];
}
