/** Trades by time: every execution of every account, newest first, read page by page as one moves down. */
import { type ReactNode, useEffect } from 'react';
import { refreshTrades } from '../commands/trades.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { FilterRow } from '../components/FilterRow.tsx';
import { type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';
import { noTrades, shownTrades, tradeColumns } from '../model/trade-list.ts';

export function TradesView({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const instruments = useDesk((state) => state.instruments);
  // Changes with every fill of an order that consoles see.
  const filled = useDesk((state) =>
    Object.values(state.orders).reduce(
      (newest, order) => (order.executedQty === '0' ? newest : Math.max(newest, order.updatedAt)),
      0,
    ),
  );
  const view = useUi((ui) => ui.trades);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a fill is the reason to look
  useEffect(() => void refreshTrades(session), [session, filled]);
  const rows = shownTrades(view);
  const placed = placeColumns(tradeColumns(instruments), width - 4);
  const at = selectedIndex(rows, view.selection);
  const filterRow = view.filtering || view.filter !== '' ? 1 : 0;
  const room = Math.max(0, height - 2 - filterRow);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const more = view.next === null ? '' : '+';
  const info: Line = [
    span(`${rows.length}${more} shown`, 'muted'),
    ...(view.loading ? [span(' · loading', 'warn')] : []),
    ...(view.failed && rows.length > 0 ? [span(' · the rest could not be read', 'danger')] : []),
  ];
  const title = view.filter === '' ? 'Trades' : `Trades matching "${view.filter}"`;
  const marker = { title: view.sort, sign: view.reverse ? '▲' : '▼' };
  return (
    <>
      <Row line={rule(title, info, width)} width={width} />
      {filterRow > 0 && (
        <FilterRow id="trades.filter" value={view.filter} focus={view.filtering} width={width} />
      )}
      <Row line={headLine(placed, marker)} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Row line={[]} width={width} />}
      {rows.length === 0 && <Row line={noTrades(view)} width={width} />}
      <Rows lines={[]} width={width} height={Math.max(0, room - (shown.length || 2))} />
    </>
  );
}
