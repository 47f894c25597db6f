/** Splitting an order: prices as a list or a range, and the engine's preview of the resulting orders. */
import type { ReactNode } from 'react';
import type { SplitPreview } from '../../desk/console/protocol.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { type StillTableData, stillHeight } from '../lists/still-table.ts';
import type { Dialog } from '../state/ui.ts';
import { exact } from '../ui/format.ts';
import { keyed, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';

type SplitDialog = Extract<Dialog, { kind: 'split' }>;

export function SplitView({ dialog, room }: { dialog: SplitDialog; room: Room }): ReactNode {
  const { order, preview } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const focus = dialog.focus === 'review';
  const rows: DialogRow[] = [
    [
      span(order.side, order.side === 'BUY' ? 'buy' : 'sell'),
      span(` ${exact(order.origQty)} ${order.symbol} at ${exact(order.price)}`),
      span(`  ${order.exchange}`, 'muted'),
    ],
    [span('remaining ', 'muted'), span(exact(preview?.remaining))],
    [],
    {
      before: [span(`${focus ? ' ' : '▸'} prices  `, focus ? 'muted' : 'focus')],
      field: { id: 'split', value: dialog.text, width: inner - 10, focus: !focus },
      after: [],
    },
    [span('          a list, or from..to and how many: 61000..62000 5', 'muted')],
    [],
  ];
  const problem = dialog.problem ?? preview?.problems[0];
  if (problem) rows.push([span(problem, 'warn')]);
  if (preview && preview.parts.length > 0) {
    const table = partsTable(preview.parts);
    rows.push({ table, height: stillHeight(table, Math.max(3, room.height - rows.length - 4)) });
  }
  rows.push(
    [],
    [
      span(focus ? '▸ ' : '  ', 'focus'),
      span(' Review ', focus ? 'focus' : 'muted', { inverse: focus }),
      keyed('form.review', focus ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
    ],
  );
  return <DialogFrame title="Split order" rows={rows} width={width} room={room} tone="focus" keep={2} />;
}

function partsTable(parts: SplitPreview['parts']): StillTableData {
  return {
    columns: [
      { title: 'price', align: 'right' },
      { title: 'quantity', align: 'right' },
      { title: 'notional', align: 'right' },
    ],
    rows: parts.map(({ price, quantity, notional }) => [
      span(exact(price)),
      span(exact(quantity)),
      span(exact(notional)),
    ]),
  };
}
