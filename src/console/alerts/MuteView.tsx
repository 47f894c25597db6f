/** Which bots and targets are muted: each is switched at once, and switched back as easily. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { DialogFrame } from '../dialogs/DialogFrame.tsx';
import { windowStart } from '../lists/cursor.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type MuteForm, muteRows } from './alert-mutes.ts';

export function MuteView({ dialog, room }: { dialog: MuteForm; room: Room }): ReactNode {
  const state = useDesk((desk) => desk);
  const rows = muteRows(state);
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === dialog.focus),
  );
  const most = Math.max(1, room.height - 6);
  const start = windowStart(at, rows.length, most);
  const lines = rows.slice(start, start + most).map(({ kind, name, muted }, index): Line => {
    const here = start + index === at;
    return [
      span(here ? '▸ ' : '  ', 'focus'),
      span(muted ? '[x] ' : '[ ] ', here ? 'focus' : muted ? 'warn' : 'muted'),
      span(kind.padEnd(8), 'muted'),
      span(name, muted ? 'warn' : 'text'),
    ];
  });
  const none: Line = [span('no bot tells of anything, no target is named', 'muted')];
  const width = Math.min(room.width - 4, 64);
  return (
    <DialogFrame
      title="Mute"
      rows={[
        ...(lines.length === 0 ? [none] : lines),
        [],
        [span('Alerts of a muted one are kept and shown, but not sent.', 'muted')],
      ]}
      width={width}
      room={room}
      tone="focus"
      foot={[
        keyed('choice.next', 'space'),
        span(' mutes or not   ', 'muted'),
        keyed('dialog.close', 'esc'),
        span(' close', 'muted'),
      ]}
    />
  );
}
