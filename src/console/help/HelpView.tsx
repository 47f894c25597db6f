/** The help on the screen below it, made from the table of keys. */
import type { ReactNode } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import { Scrolled } from '../dialogs/NoticeView.tsx';
import type { Dialog } from '../state/ui.ts';
import type { Room } from '../ui/room.ts';
import { helpOf } from './commands.ts';

export function HelpView({
  dialog,
  room,
}: {
  dialog: Extract<Dialog, { kind: 'help' }>;
  room: Room;
}): ReactNode {
  const { session } = useConsole();
  const { lines, width } = helpOf(
    session,
    useUi((ui) => ui),
  );
  return <Scrolled title="Help" lines={lines} offset={dialog.offset} width={width} room={room} />;
}
