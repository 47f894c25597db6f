/** All about one order: its fields, its fills and its "why", every event with its time. */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import { DetailPane } from '../lists/DetailPane.tsx';
import type { Size } from '../lists/ListAndDetail.tsx';
import { loadDetail } from './commands.ts';
import { detailLines } from './order-detail.ts';
import { selectedOrder } from './order-list.ts';

export function OrderDetailPane({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const state = useDesk((desk) => desk);
  const view = useUi((ui) => ui.orders);
  const second = useUi((ui) => ui.second);
  const order = selectedOrder(state, view);
  const { detail, detailOffset, pane } = view;
  const id = order?.id;
  const changed = order?.updatedAt;
  // The order changed or another row was selected: its events and fills are requested again.
  useEffect(() => {
    if (id !== undefined && changed !== undefined) void loadDetail(session);
  }, [session, id, changed]);
  const focused = pane === 'detail';
  const room = { focused, width, height };
  if (!order) return <DetailPane title="Order" lines={[]} offset={0} {...room} />;
  const mine = detail?.order.id === order.id ? detail : null;
  const lines = detailLines(order, mine, state, second * 1_000, width);
  return <DetailPane title={`Order ${order.id}`} lines={lines} offset={detailOffset} {...room} />;
}
