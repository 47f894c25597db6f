/**
 * A dialog that is a short list with a cursor: the rows around the cursor that fit, and under them the keys
 * that act on the row. The choice and its effects belong to each dialog.
 */
import type { ReactNode } from 'react';
import type { CommandId } from '../input/binding.ts';
import { windowStart } from '../lists/cursor.ts';
import { keyed, type Line, type Span, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { DialogFrame } from './DialogFrame.tsx';

/** Rows, and columns, that the frame takes. */
const FRAME = 2;

interface ShortListProps<T> {
  readonly title: string;
  readonly rows: readonly T[];
  /** Index of the row under the cursor; -1: none. */
  readonly at: number;
  /** Draws a row without the cursor's sign. */
  readonly line: (row: T, here: boolean) => Line;
  /** Lines under the rows that are always visible; if the list is empty, the first of them says so. */
  readonly below?: readonly Line[];
  /** Largest width, in cells. */
  readonly widest: number;
  readonly room: Room;
  /** The foot with the keys. @default none */
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

/** Writes keys and what they do, for the foot of a dialog: `enter copies it   esc close`. */
export function hints(...all: readonly (readonly [command: CommandId, key: string, does: string])[]): Line {
  return all.flatMap(([command, key, does], at): Span[] => [
    keyed(command, key),
    span(` ${does}${at < all.length - 1 ? '   ' : ''}`, 'muted'),
  ]);
}
