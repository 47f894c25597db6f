/** The row under the cursor, value by value: Enter copies what is chosen. */
import type { ReactNode } from 'react';
import { DialogFrame } from '../dialogs/DialogFrame.tsx';
import type { FormKind } from '../forms/form.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type CopyDialog, copyChoices } from './copy.ts';
import { copyChosen } from './copy-commands.ts';
import { windowStart } from './cursor.ts';

function CopyView({ dialog, room }: { dialog: CopyDialog; room: Room }): ReactNode {
  const choices = copyChoices(dialog.cells);
  const at = Number(dialog.focus);
  const most = Math.max(1, room.height - 4);
  const start = windowStart(at, choices.length, most);
  const lines = choices.slice(start, start + most).map(({ title, text }, index): Line => {
    const here = start + index === at;
    return [
      span(here ? '▸ ' : '  ', 'focus'),
      span(title.padEnd(14), 'muted'),
      span(text, here ? 'focus' : 'text'),
    ];
  });
  const foot: Line = [
    keyed('form.enter', 'enter'),
    span(' copies it   ', 'muted'),
    keyed('dialog.close', 'esc'),
    span(' close', 'muted'),
  ];
  return (
    <DialogFrame
      title="Copy"
      rows={lines}
      width={Math.min(room.width - 4, 76)}
      room={room}
      tone="focus"
      foot={foot}
    />
  );
}

export const COPY: FormKind<CopyDialog> = {
  kind: 'copy',
  View: CopyView,
  scopes: () => ['copy'],
  fields: ({ cells }) => copyChoices(cells).map((_, at) => String(at)),
  enter(session, dialog) {
    copyChosen(session, dialog);
    return true;
  },
};
