/** The columns of a list: which are shown and in which order; the list behind follows at once. */
import type { ReactNode } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import { DialogFrame } from '../dialogs/DialogFrame.tsx';
import type { FormKind } from '../forms/form.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { columnsAt } from './column-commands.ts';
import { type ColumnsDialog, stateOf } from './columns.ts';
import { windowStart } from './cursor.ts';

const SIGNS = { 'by room': '[ ]', always: '[+]', never: '[-]' } as const;

function ColumnsView({ dialog, room }: { dialog: ColumnsDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  useUi((ui) => ui.columnChoices);
  const { choice, titles } = columnsAt(session, dialog);
  const at = titles.indexOf(dialog.focus);
  const most = Math.max(1, room.height - 6);
  const start = windowStart(at, titles.length, most);
  const lines = titles.slice(start, start + most).map((title): Line => {
    const here = title === dialog.focus;
    const state = stateOf(choice, title);
    return [
      span(here ? '▸ ' : '  ', 'focus'),
      span(`${SIGNS[state]} `, state === 'never' ? 'muted' : 'text'),
      span(title.padEnd(16), here ? 'focus' : state === 'never' ? 'muted' : 'text'),
      span(state, 'muted'),
    ];
  });
  const foot: Line = [
    keyed('columns.cycle', 'space'),
    span(' always, never  ', 'muted'),
    keyed('columns.lower', 'J'),
    span(' '),
    keyed('columns.raise', 'K'),
    span(' moves  ', 'muted'),
    keyed('columns.usual', '0'),
    span(' usual', 'muted'),
  ];
  const width = Math.min(room.width - 4, 52);
  return <DialogFrame title="Columns" rows={lines} width={width} room={room} tone="focus" foot={foot} />;
}

export const COLUMNS: FormKind<ColumnsDialog> = {
  kind: 'columns',
  View: ColumnsView,
  scopes: () => ['columns'],
};
