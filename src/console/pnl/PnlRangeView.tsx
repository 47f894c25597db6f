/** The form for the first and the last day of the PnL book. */
import type { ReactNode } from 'react';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { daysProblem } from './commands.ts';
import type { PnlRangeForm } from './pnl-page.ts';

const FIELD = 14;

export function PnlRangeView({ dialog, room }: { dialog: PnlRangeForm; room: Room }): ReactNode {
  const width = Math.min(room.width - 4, 64);
  const { focus } = dialog;
  const field = (name: 'first' | 'last', label: string, hint: string): DialogRow => ({
    before: [span(`${focus === name ? '▸' : ' '} ${label.padEnd(10)} `, focus === name ? 'focus' : 'muted')],
    field: { id: `pnl.${name}`, value: dialog[name], width: FIELD, focus: focus === name, placeholder: '…' },
    after: [span(hint, 'muted')],
  });
  const here = focus === 'review';
  const problem = daysProblem(dialog);
  const rows: DialogRow[] = [
    field('first', 'first day', 'such as 2026-11-01; empty: all'),
    field('last', 'last day', 'within the range; empty: until now'),
    problem === null ? [] : [span(`  ${problem}`, 'warn')],
    [
      span(here ? '▸ ' : '  ', 'focus'),
      span(' Show ', here ? 'focus' : 'muted', { inverse: here }),
      keyed('form.review', here ? '  enter shows it' : '  ctrl-r shows it', 'muted'),
    ],
  ];
  return <DialogFrame title="From day to day" rows={rows} width={width} room={room} tone="focus" keep={1} />;
}
