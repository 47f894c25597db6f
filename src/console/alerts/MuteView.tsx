/** The dialog that mutes bots and targets: each switches at once, because it is easily switched back. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { hints, ShortList } from '../dialogs/ShortList.tsx';
import { type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type MuteForm, type MuteRow, muteRows } from './alert-mutes.ts';

export function MuteView({ dialog, room }: { dialog: MuteForm; room: Room }): ReactNode {
  const rows = muteRows(useDesk((desk) => desk));
  const none: Line = [span('no bot tells of anything, no target is named', 'muted')];
  return (
    <ShortList
      title="Mute"
      rows={rows}
      at={Math.max(
        0,
        rows.findIndex(({ key }) => key === dialog.focus),
      )}
      line={muteLine}
      below={[
        ...(rows.length === 0 ? [none] : []),
        [],
        [span('Alerts of a muted one are kept and shown, but not sent.', 'muted')],
      ]}
      widest={64}
      room={room}
      foot={hints(['choice.next', 'space', 'mutes or not'], ['dialog.close', 'esc', 'close'])}
    />
  );
}

function muteLine({ kind, name, muted }: MuteRow, here: boolean): Line {
  return [
    span(muted ? '[x] ' : '[ ] ', here ? 'focus' : muted ? 'warn' : 'muted'),
    span(kind.padEnd(8), 'muted'),
    span(name, muted ? 'warn' : 'text'),
  ];
}
