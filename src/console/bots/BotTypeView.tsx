/** The choice of a new bot's type, with a sentence about each type; and the way to a bot as JSON. */
import type { ReactNode } from 'react';
import { DialogFrame } from '../dialogs/DialogFrame.tsx';
import { type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { BotTypeForm } from './bot-forms.ts';
import { NEW_BOT_WAYS } from './editor/types.ts';

const NAME = 11;

export function BotTypeView({ dialog, room }: { dialog: BotTypeForm; room: Room }): ReactNode {
  const width = Math.min(room.width - 2, 78);
  const rows: Line[] = NEW_BOT_WAYS.map(({ name, about }, at) => {
    const here = at === dialog.index;
    return [
      span(here ? '▸ ' : '  ', 'focus'),
      span(name.padEnd(NAME), here ? 'focus' : 'text', { bold: true }),
      span(about, 'muted'),
    ];
  });
  const last = rows.pop() ?? [];
  return <DialogFrame title="New bot" rows={[...rows, [], last]} width={width} room={room} tone="focus" />;
}
