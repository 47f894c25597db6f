/** The form of a bot's tag, a name chosen by the person; it is saved without a confirmation. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { shortId, symbolOf } from '../trading/bots.ts';
import { keyed, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { BotTagForm } from './bot-forms.ts';

export function BotTagView({ dialog, room }: { dialog: BotTagForm; room: Room }): ReactNode {
  const bot = useDesk((state) => state.bots[dialog.id]);
  const width = Math.min(room.width - 4, 70);
  const here = dialog.focus === 'review';
  const rows: DialogRow[] = [
    [span(bot ? `${bot.type} ${symbolOf(bot)} ${shortId(bot.id)}` : 'the bot is gone', 'muted')],
    [],
    {
      before: [span(`${here ? ' ' : '▸'} tag  `, here ? 'muted' : 'focus')],
      field: { id: 'bot.tag', value: dialog.value, width: width - 11, focus: !here },
      after: [],
    },
    [span('       at most 50 characters; empty takes it off', 'muted')],
    dialog.refusal === null ? [] : [span(dialog.refusal, 'danger')],
    [
      span(here ? '▸ ' : '  ', 'focus'),
      span(' Save ', here ? 'focus' : 'muted', { inverse: here }),
      keyed('form.review', here ? '  enter saves it' : '  ctrl-r saves it', 'muted'),
    ],
  ];
  return <DialogFrame title="Tag" rows={rows} width={width} room={room} tone="focus" />;
}
