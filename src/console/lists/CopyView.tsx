/** The row under the cursor, value by value: Enter copies the chosen one. */
import type { ReactNode } from 'react';
import { hints, ShortList } from '../dialogs/ShortList.tsx';
import type { FormKind } from '../forms/form.ts';
import { span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type CopyDialog, copyChoices } from './copy.ts';
import { copyChosen } from './copy-commands.ts';

function CopyView({ dialog, room }: { dialog: CopyDialog; room: Room }): ReactNode {
  return (
    <ShortList
      title="Copy"
      rows={copyChoices(dialog.cells)}
      at={Number(dialog.focus)}
      line={({ title, text }, here) => [span(title.padEnd(14), 'muted'), span(text, here ? 'focus' : 'text')]}
      widest={76}
      room={room}
      foot={hints(['form.enter', 'enter', 'copies it'], ['dialog.close', 'esc', 'close'])}
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
