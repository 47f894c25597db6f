/**
 * The PnL book in place of the balances: figures and curve of a range, and below them its groups or its
 * closed trades.
 */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import type { Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { useModeColumn } from '../lists/mode-column.ts';
import { listTitle, noMatch, rowLine, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { newestFill } from '../trading/orders.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { followFills } from './commands.ts';
import { groupColumns, groupSortTitle, shownGroups, totalRow } from './pnl-groups.ts';
import { headLines, rangeText } from './pnl-head.ts';
import type { PnlPage } from './pnl-page.ts';
import { closedColumns, closedSortTitle, shownClosed } from './pnl-trades.ts';

function useFills(): void {
  const { session } = useConsole();
  const filled = useDesk(newestFill);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a fill is the reason to look
  useEffect(() => followFills(session), [session, filled]);
}

function titleOf(name: string, { account }: PnlPage, only: string | null): string {
  return account === null || account === only ? name : `${name} of ${account}`;
}

function infoLine({ book, loading, failed }: PnlPage): Line {
  return [
    ...(loading ? [span('reading · ', 'warn')] : []),
    ...(failed !== null && book ? [span('not read · ', 'danger')] : []),
    span(book ? rangeText(book) : '', 'muted'),
  ];
}

function emptyLine({ book, failed }: PnlPage, filter: string, none: string): Line {
  if (failed !== null)
    return [span(`  ${failed} · `, 'danger'), keyed('pnl.reload', 'r'), span(' tries again', 'muted')];
  if (!book) return [span('  reading the book …', 'muted')];
  if (filter !== '') return noMatch('nothing matches', filter);
  return [span(`  ${none} · `, 'muted'), keyed('pnl.range-after', '>'), span(' another range', 'muted')];
}

/** The result by day, symbol, bot and so on. */
export function PnlGroupsPage({ width, height }: Size): ReactNode {
  const page = useUi((ui) => ui.pnl);
  const only = useUi((ui) => ui.only);
  useFills();
  const { book, filter } = page;
  const by = book?.by ?? page.by;
  const placed = usePlacedColumns('pnl', groupColumns(by), width);
  const rows = shownGroups(page);
  return (
    <ListTable
      list="pnl"
      title={listTitle(titleOf('PnL', page, only), filter)}
      info={infoLine(page)}
      above={headLines(page, width, height)}
      placed={placed}
      mark={sortMark(groupSortTitle(page.sort, by), page.reverse)}
      rows={rows}
      empty={[emptyLine(page, filter, 'nothing has happened')]}
      below={book ? [rowLine(placed, totalRow(book), false)] : []}
      width={width}
      height={height}
    />
  );
}

/** Closed trades: futures positions from open to flat, and sales on spot. */
export function PnlTradesPage({ width, height }: Size): ReactNode {
  const page = useUi((ui) => ui.pnl);
  const only = useUi((ui) => ui.only);
  const view = useUi((ui) => ui['pnl-trades']);
  useFills();
  const { book } = page;
  const columns = useModeColumn(closedColumns(), ({ account }) => account);
  const more = book && book.stats.trades > book.trades.length;
  const below: Line[] = more
    ? [
        [
          span(
            `  the newest ${book.trades.length} of ${book.stats.trades}; the file has all of them`,
            'muted',
          ),
        ],
      ]
    : [];
  return (
    <ListTable
      list="pnl-trades"
      title={listTitle(titleOf('Closed trades', page, only), view.filter)}
      info={infoLine(page)}
      above={headLines(page, width, height)}
      placed={usePlacedColumns('pnl-trades', columns, width)}
      mark={sortMark(closedSortTitle(view.sort), view.reverse)}
      rows={shownClosed(page, view)}
      empty={[emptyLine(page, view.filter, 'no trade was closed')]}
      below={below}
      width={width}
      height={height}
    />
  );
}
