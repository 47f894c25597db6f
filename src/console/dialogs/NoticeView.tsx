/** Texts above the screen: notices, and the question when leaving. */
import type { ReactNode } from 'react';
import { useConsole } from '../app/context.ts';
import type { CommandId } from '../input/binding.ts';
import { keyOf } from '../input/overrides.ts';
import { shownKey } from '../input/shown-key.ts';
import type { StillTableData } from '../lists/still-table.ts';
import type { Dialog } from '../state/ui.ts';
import { type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import { noticeLines, noticeRoom, noticeWidth } from './notice.ts';

export function NoticeView({
  dialog,
  room,
}: {
  dialog: Extract<Dialog, { kind: 'notice' }>;
  room: Room;
}): ReactNode {
  const width = noticeWidth(room.width);
  const lines = noticeLines(dialog, width);
  const { title, offset, table } = dialog;
  if (!table) return <Scrolled title={title} lines={lines} offset={offset} width={width} room={room} />;
  return <TableNotice title={title} table={table} lines={lines} offset={offset} width={width} room={room} />;
}

interface ScrolledProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly offset: number;
  readonly width: number;
  readonly room: Room;
}

/** A table and the lines below it, from `offset` on; the table's titles stay in place. */
function TableNotice(props: ScrolledProps & { readonly table: StillTableData }): ReactNode {
  const { title, table, lines, offset, width, room } = props;
  const most = noticeRoom({ table }, room.height);
  const count = table.rows.length + lines.length;
  const start = Math.min(offset, Math.max(0, count - most));
  const rows = table.rows.slice(start, start + most);
  const below = lines.slice(Math.max(0, start - table.rows.length), start + most - table.rows.length);
  const foot = useFoot(count - start - most);
  const shown: DialogRow[] = [{ table: { columns: table.columns, rows }, height: rows.length + 1 }];
  if (start + most > table.rows.length) shown.push(...below);
  return <DialogFrame title={title} rows={shown} width={width} room={room} tone="focus" foot={foot} />;
}

/** Lines above the screen: from `offset` on, as many as fit. */
export function Scrolled({ title, lines, offset, width, room }: ScrolledProps): ReactNode {
  const most = room.height - 2;
  const start = Math.min(offset, Math.max(0, lines.length - most));
  const foot = useFoot(lines.length - start - most);
  const rows = lines.slice(start, start + most);
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" foot={foot} />;
}

/** The foot: how many lines are below, and the keys. */
function useFoot(more: number): Line {
  const { session } = useConsole();
  const key = (command: CommandId) => span(shownKey(keyOf(session.bindings, command, 'notice')), 'key');
  return [
    ...(more > 0 ? [span(`${more} more, `, 'muted'), key('notice.down'), span('   ')] : []),
    key('dialog.close'),
    span(' close', 'muted'),
  ];
}
