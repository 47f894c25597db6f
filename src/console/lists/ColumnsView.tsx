/**
 * The dialog for the columns of a list: which are shown and in which order; the list behind it changes at
 * once.
 */
import type { ReactNode } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import { ShortList } from '../dialogs/ShortList.tsx';
import type { FormKind } from '../forms/form.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { columnsAt } from './column-commands.ts';
import { type ColumnsDialog, stateOf } from './columns.ts';

const SIGNS = { 'by room': '[ ]', always: '[+]', never: '[-]' } as const;

const FOOT: Line = [
  keyed('columns.cycle', 'space'),
  span(' always, never  ', 'muted'),
  keyed('columns.lower', 'J'),
  span(' '),
  keyed('columns.raise', 'K'),
  span(' moves  ', 'muted'),
  keyed('columns.usual', '0'),
  span(' usual', 'muted'),
];

function ColumnsView({ dialog, room }: { dialog: ColumnsDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  useUi((ui) => ui.columnChoices);
  const { choice, titles } = columnsAt(session, dialog);
  const line = (title: string, here: boolean): Line => {
    const state = stateOf(choice, title);
    return [
      span(`${SIGNS[state]} `, state === 'never' ? 'muted' : 'text'),
      span(title.padEnd(16), here ? 'focus' : state === 'never' ? 'muted' : 'text'),
      span(state, 'muted'),
    ];
  };
  return (
    <ShortList
      title="Columns"
      rows={titles}
      at={titles.indexOf(dialog.focus)}
      line={line}
      widest={52}
      room={room}
      foot={FOOT}
    />
  );
}

export const COLUMNS: FormKind<ColumnsDialog> = {
  kind: 'columns',
  View: ColumnsView,
  scopes: () => ['columns'],
};
