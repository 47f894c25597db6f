/** Orders: unresolved on top, then open, then ended; a detail pane with every event behind Enter. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Beside } from '../components/Beside.tsx';
import { useDesk, useUi } from '../components/context.ts';
import { FilterRow } from '../components/FilterRow.tsx';
import { keyed, type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { headLine, placeColumns, rowLine } from '../components/table.ts';
import { shownOrders } from '../model/lists.ts';
import { orderColumns } from '../model/order-columns.ts';
import { isOpen, selectedIndex, windowStart } from '../model/order-list.ts';
import type { UiState } from '../state/ui.ts';
import { OrderDetailPane } from './OrderDetailPane.tsx';
import { TradesView } from './TradesView.tsx';

/** From here on the detail stands beside the list. */
const WIDE = 150;

export function OrdersScreen({ width, height }: { width: number; height: number }): ReactNode {
  const detailOpen = useUi((ui) => ui.orders.detailOpen);
  const trades = useUi((ui) => ui.trades.open);
  const beside = width >= WIDE;
  if (trades) return <TradesView width={width} height={height} />;
  if (!detailOpen) return <List width={width} height={height} />;
  const detailWidth = beside ? Math.floor(width * 0.42) : width;
  const detailHeight = beside ? height : Math.ceil(height * 0.55);
  return (
    <Beside wide={beside}>
      <Box flexDirection="column" width={beside ? width - detailWidth - 2 : width} flexShrink={0}>
        <List
          width={beside ? width - detailWidth - 2 : width}
          height={beside ? height : height - detailHeight}
        />
      </Box>
      <Box flexDirection="column" marginLeft={beside ? 2 : 0} width={detailWidth} flexShrink={0}>
        <OrderDetailPane width={detailWidth} height={detailHeight} />
      </Box>
    </Beside>
  );
}

function List({ width, height }: { width: number; height: number }): ReactNode {
  const held = useDesk((state) => state.orders);
  const instruments = useDesk((state) => state.instruments);
  const prices = useDesk((state) => state.prices);
  const orders = useUi((ui) => ui.orders);
  const second = useUi((ui) => ui.second);
  const rows = shownOrders({ orders: held }, orders);
  const columns = orderColumns(instruments, prices, second * 1_000, orders.all);
  const placed = placeColumns(columns, width - 4);
  const at = selectedIndex(rows, orders.selection);
  const filterRow = orders.filtering || orders.filter !== '' ? 1 : 0;
  const room = Math.max(0, height - 2 - filterRow);
  const start = windowStart(at, rows.length, room);
  const shown = rows.slice(start, start + room);
  const open = rows.filter(isOpen).length;
  const info: Line = [
    span(`${open} open · ${rows.length}${orders.all && orders.next !== null ? '+' : ''} shown`, 'muted'),
    ...(orders.loading ? [span(' · loading', 'warn')] : []),
  ];
  const focused = orders.detailOpen && orders.pane === 'list';
  return (
    <>
      <Row line={rule(title(orders), info, width, focused)} width={width} />
      {filterRow > 0 && (
        <FilterRow id="filter" value={orders.filter} focus={orders.filtering} width={width} />
      )}
      <Row line={headLine(placed, { title: orders.sort, sign: orders.reverse ? '▲' : '▼' })} width={width} />
      {shown.map((row, index) => (
        <Row
          key={row.id}
          line={rowLine(placed, row, start + index === at)}
          width={width}
          selected={start + index === at}
        />
      ))}
      {rows.length === 0 && <Row line={[]} width={width} />}
      {rows.length === 0 && <Row line={emptyLine(orders.filter)} width={width} />}
      <Rows lines={[]} width={width} height={Math.max(0, room - (shown.length || 2))} />
    </>
  );
}

function title({ all, filter }: UiState['orders']): string {
  const name = all ? 'Orders, all ever' : 'Orders';
  return filter === '' ? name : `${name} matching "${filter}"`;
}

function emptyLine(filter: string): Line {
  return filter === ''
    ? [span('  no orders · ', 'muted'), keyed('ticket.open', 'n'), span(' new', 'muted')]
    : [
        span(`  no orders match "${filter}" · `, 'muted'),
        keyed('list.back', 'esc'),
        span(' clears the filter', 'muted'),
      ];
}
