/**
 * A dialog that is a short list with a cursor: as many of its rows as there is room for, those around the cursor, and under them the
 * keys that do something with the row. What is chosen and what follows is the dialog's own.
 */
import type { ReactNode } from 'react';
import type { CommandId } from '../input/binding.ts';
import { windowStart } from '../lists/cursor.ts';
import { keyed, type Line, type Span, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { DialogFrame } from './DialogFrame.tsx';

/** Rows and columns of a frame. */
const FRAME = 2;

interface ShortListProps<T> {
  readonly title: string;
  readonly rows: readonly T[];
  /** Where the cursor is; -1: nowhere. */
  readonly at: number;
  /** A row without the sign of the cursor. */
  readonly line: (row: T, here: boolean) => Line;
  /** Under the rows, always in view; of a list without rows what stands in their place is the first of them. */
  readonly below?: readonly Line[];
  /** Cells at most. */
  readonly widest: number;
  readonly room: Room;
  /** @default no keys under it */
  readonly foot?: Line;
}

export function ShortList<T>(props: ShortListProps<T>): ReactNode {
  const { title, rows, at, line, below = [], widest, room, foot = [] } = props;
  const most = Math.max(1, room.height - FRAME - below.length);
  const start = windowStart(at, rows.length, most);
  const lines = rows.slice(start, start + most).map((row, index): Line => {
    const here = start + index === at;
    return [span(here ? '▸ ' : '  ', 'focus'), ...line(row, here)];
  });
  return (
    <DialogFrame
      title={title}
      rows={[...lines, ...below]}
      width={Math.min(room.width - FRAME, widest)}
      room={room}
      tone="focus"
      foot={foot}
    />
  );
}

/** Keys and what they do, for the foot of a dialog: `enter copies it   esc close`. Keys are named as usual. */
export function hints(...all: readonly (readonly [command: CommandId, key: string, does: string])[]): Line {
  return all.flatMap(([command, key, does], at): Span[] => [
    keyed(command, key),
    span(` ${does}${at < all.length - 1 ? '   ' : ''}`, 'muted'),
  ]);
}
