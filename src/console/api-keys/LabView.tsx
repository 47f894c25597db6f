/** The signing lab of a key: the parts of a request above, the verdicts of the API's rules below. */
import type { ReactNode } from 'react';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { LAB_FIELDS, type LabForm, reportLines } from './key-lab.ts';

const NAME = 10;

export function LabView({ dialog, room }: { dialog: LabForm; room: Room }): ReactNode {
  const width = Math.min(room.width - 4, 120);
  const inner = width - 4;
  const { draft, focus, label } = dialog;
  const rows: DialogRow[] = LAB_FIELDS.map((id): DialogRow => {
    const here = focus === id;
    const head = span(`${here ? '▸' : ' '} ${id.padEnd(NAME)} `, here ? 'focus' : 'muted');
    if (id === 'method') return [head, ...choice(draft.method, here)];
    const field = { id: `lab.${id}`, value: draft[id], width: inner - NAME - 3, focus: here };
    return { before: [head], field, after: [] };
  });
  rows.push([], ...reportLines(dialog, inner));
  return (
    <DialogFrame title={`Lab: requests of ${label}`} rows={rows} width={width} room={room} tone="focus" />
  );
}

function choice(value: string, focus: boolean): Line {
  return focus ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')] : [span(value)];
}
