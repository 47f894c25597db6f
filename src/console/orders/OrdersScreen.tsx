/** Orders: unresolved on top, then open, then ended; Enter opens a detail pane with every event. */
import type { ReactNode } from 'react';
import { useDesk, useUi } from '../app/context.ts';
import { timeNote } from '../app/header.ts';
import { ListAndDetail, type Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { isUsualOrder } from '../lists/list-views.ts';
import { useModeColumn } from '../lists/mode-column.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { isOpen } from '../trading/orders.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { OrderDetailPane } from './OrderDetailPane.tsx';
import { orderColumns } from './order-columns.ts';
import { shownOrders } from './order-list.ts';
import { SORT_KEYS } from './orders-view.ts';
import { TradesView } from './trades/TradesView.tsx';

export function OrdersScreen({ width, height }: Size): ReactNode {
  const open = useUi((ui) => ui.orders.detailOpen);
  const trades = useUi((ui) => ui.trades.open);
  if (trades) return <TradesView width={width} height={height} />;
  const rows = Math.ceil(height * 0.55);
  return (
    <ListAndDetail
      List={List}
      Detail={OrderDetailPane}
      open={open}
      rows={rows}
      width={width}
      height={height}
    />
  );
}

function List({ width, height }: Size): ReactNode {
  const held = useDesk((state) => state.orders);
  const instruments = useDesk((state) => state.instruments);
  const accounts = useDesk((state) => state.accounts);
  const prices = useDesk((state) => state.prices);
  const live = useDesk((state) => state.clock.live);
  const orders = useUi((ui) => ui.orders);
  const second = useUi((ui) => ui.second);
  const bots = useDesk((state) => state.bots);
  const rows = shownOrders({ orders: held, instruments, bots }, orders);
  const usual = orderColumns({ instruments, accounts, prices }, second * 1_000, { dated: orders.all, live });
  const columns = useModeColumn(usual, ({ exchange }) => exchange);
  const open = rows.filter((row) => isOpen(row) && row.part?.kind !== 'exit').length;
  const info: Line = [
    span(`${open} open · ${rows.length}${orders.all && orders.next !== null ? '+' : ''} shown`, 'muted'),
    ...timeNote({ live }, 'market'),
    ...(orders.loading ? [span(' · loading', 'warn')] : []),
  ];
  const mark = sortMark(orders.sort, orders.reverse);
  return (
    <ListTable
      list="orders"
      title={listTitle(orders.all ? 'Orders, all ever' : 'Orders', orders.filter)}
      info={info}
      focused={orders.detailOpen && orders.pane === 'list'}
      placed={usePlacedColumns('orders', columns, width, isUsualOrder(SORT_KEYS, orders) ? '' : mark.title)}
      mark={mark}
      rows={rows}
      empty={[[], emptyLine(orders.filter)]}
      width={width}
      height={height}
    />
  );
}

function emptyLine(filter: string): Line {
  if (filter !== '') return noMatch('no orders match', filter);
  return [span('  no orders · ', 'muted'), keyed('ticket.open', 'n'), span(' new', 'muted')];
}
