/** The form that turns maintenance on: the message that the API gives to refused callers. */
import type { ReactNode } from 'react';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { MaintenanceForm } from './maintenance-form.ts';

export function MaintenanceFormView({ dialog, room }: { dialog: MaintenanceForm; room: Room }): ReactNode {
  const width = Math.min(room.width - 4, 76);
  const focus = dialog.focus === 'review';
  const rows: DialogRow[] = [
    [span('The API answers 503 to everything signed; consoles and orders go on.')],
    [],
    {
      before: [span(`${focus ? ' ' : '▸'} message  `, focus ? 'muted' : 'focus')],
      field: { id: 'maintenance.message', value: dialog.message, width: width - 15, focus: !focus },
      after: [],
    },
    [span('           what callers are told; may be left empty', 'muted')],
    [],
    [
      span(focus ? '▸ ' : '  ', 'focus'),
      span(' Review ', focus ? 'focus' : 'muted', { inverse: focus }),
      keyed('form.review', focus ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
    ],
  ];
  return <DialogFrame title="Maintenance" rows={rows} width={width} room={room} tone="focus" />;
}
