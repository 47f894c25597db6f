/** One order from all sides: its fields, its fills and its "why", every event with its time. */
import { type ReactNode, useEffect } from 'react';
import { loadDetail } from '../commands/orders.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { selectedOrder } from '../model/lists.ts';
import { detailLines } from '../model/order-detail.ts';

export function OrderDetailPane({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const state = useDesk((desk) => desk);
  const view = useUi((ui) => ui.orders);
  const second = useUi((ui) => ui.second);
  const order = selectedOrder(state, view);
  const { detail, detailOffset, pane } = view;
  const id = order?.id;
  const changed = order?.updatedAt;
  // The order moved or another row is selected: its events and fills are asked for anew.
  useEffect(() => {
    if (id !== undefined && changed !== undefined) void loadDetail(session);
  }, [session, id, changed]);
  const focused = pane === 'detail';
  if (!order) return <Row line={rule('Order', [], width, focused)} width={width} />;
  const mine = detail?.order.id === order.id ? detail : null;
  const lines = detailLines(order, mine, state, second * 1_000, width);
  const room = height - 1;
  const offset = Math.min(detailOffset, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · tab, j`, 'muted')] : [];
  return (
    <>
      <Row line={rule(`Order ${order.id}`, info, width, focused)} width={width} />
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}
