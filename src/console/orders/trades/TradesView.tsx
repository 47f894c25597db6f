/**
 * Trades by time: every execution of every account, newest first, read page by page as the cursor moves down.
 */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useDesk, useUi } from '../../app/context.ts';
import { timeNote } from '../../app/header.ts';
import type { Size } from '../../lists/ListAndDetail.tsx';
import { ListTable } from '../../lists/ListTable.tsx';
import { useModeColumn } from '../../lists/mode-column.ts';
import { listTitle, sortMark } from '../../lists/table.ts';
import { usePlacedColumns } from '../../lists/use-columns.ts';
import { newestFill } from '../../trading/orders.ts';
import { type Line, span } from '../../ui/line.ts';
import { refreshTrades } from './commands.ts';
import { noTrades, shownTrades, tradeColumns } from './trade-list.ts';

export function TradesView({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const instruments = useDesk((state) => state.instruments);
  const filled = useDesk(newestFill);
  const live = useDesk((state) => state.clock.live);
  const view = useUi((ui) => ui.trades);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a fill is the reason to look
  useEffect(() => void refreshTrades(session), [session, filled]);
  const rows = shownTrades(view, instruments);
  const columns = useModeColumn(tradeColumns(instruments), ({ exchange }) => exchange);
  const more = view.next === null ? '' : '+';
  const info: Line = [
    span(`${rows.length}${more} shown`, 'muted'),
    ...timeNote({ live }, 'market'),
    ...(view.loading ? [span(' · loading', 'warn')] : []),
    ...(view.failed && rows.length > 0 ? [span(' · the rest could not be read', 'danger')] : []),
  ];
  return (
    <ListTable
      list="trades"
      title={listTitle('Trades', view.filter)}
      info={info}
      placed={usePlacedColumns('trades', columns, width)}
      mark={sortMark(view.sort, view.reverse)}
      rows={rows}
      empty={[[], noTrades(view)]}
      width={width}
      height={height}
    />
  );
}
