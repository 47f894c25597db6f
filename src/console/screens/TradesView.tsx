/** Trades by time: every execution of every account, newest first, read page by page as one moves down. */
import { type ReactNode, useEffect } from 'react';
import { refreshTrades } from '../commands/trades.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import type { Size } from '../components/ListAndDetail.tsx';
import { ListTable } from '../components/ListTable.tsx';
import { type Line, span } from '../components/line.ts';
import { listTitle, placeColumns, sortMark } from '../components/table.ts';
import { timeNote } from '../model/header.ts';
import { noTrades, shownTrades, tradeColumns } from '../model/trade-list.ts';

export function TradesView({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const instruments = useDesk((state) => state.instruments);
  // Changes with every fill of an order that consoles see.
  const filled = useDesk((state) =>
    Object.values(state.orders).reduce(
      (newest, order) => (order.executedQty === '0' ? newest : Math.max(newest, order.updatedAt)),
      0,
    ),
  );
  const live = useDesk((state) => state.clock.live);
  const view = useUi((ui) => ui.trades);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a fill is the reason to look
  useEffect(() => void refreshTrades(session), [session, filled]);
  const rows = shownTrades(view, instruments);
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
      placed={placeColumns(tradeColumns(instruments), width - 4)}
      mark={sortMark(view.sort, view.reverse)}
      rows={rows}
      empty={[[], noTrades(view)]}
      width={width}
      height={height}
    />
  );
}
