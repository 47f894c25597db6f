/**
 * One line of the terminal as one text node: the output edge. Cuts and pads to the width, so no row ever wraps. Ink lays
 * out and clips blanks of that width, which is cheap, and gets the drawn line at the end.
 */
import { Text, Transform, useIsScreenReaderEnabled } from 'ink';
import { memo, type ReactNode } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import type { BoundBinding } from '../input/binding.ts';
import { withOwnKey } from '../input/overrides.ts';
import { drawLine } from './draw.ts';
import { toAscii } from './glyphs.ts';
import type { Line, Span } from './line.ts';
import { spokenLine } from './spoken.ts';

interface RowProps {
  readonly line: Line;
  readonly width: number;
  readonly selected?: boolean;
  /** Covers what is behind it, blanks too: rows of dialogs. */
  readonly opaque?: boolean;
}

function sameRow(a: RowProps, b: RowProps): boolean {
  return (
    a.width === b.width &&
    a.selected === b.selected &&
    a.opaque === b.opaque &&
    a.line.length === b.line.length &&
    a.line.every((part, index) => samePart(part, b.line[index]))
  );
}

function samePart(a: Span, b: Span | undefined): boolean {
  return (
    a.text === b?.text &&
    a.tone === b.tone &&
    a.bold === b.bold &&
    a.inverse === b.inverse &&
    a.spoken === b.spoken &&
    a.command === b.command
  );
}

function withOwnKeys(line: Line, bindings: readonly BoundBinding[]): Line {
  if (!line.some(({ command }) => command !== undefined)) return line;
  const own: Span[] = [];
  for (let at = 0; at < line.length; at++) {
    const part = line[at] as Span;
    const { command } = part;
    if (command === undefined) own.push(part);
    else if (bindings.some((binding) => binding.command === command))
      own.push({ ...part, text: withOwnKey(bindings, command, part.text) });
    // A key that this terminal does not have; what it is for stands right behind it.
    else at++;
  }
  return own;
}

/** Drawn again only when its line says something else: most rows of a tick do not. */
export const Row = memo(function Row({
  line: given,
  width,
  selected = false,
  opaque = false,
}: RowProps): ReactNode {
  const { bindings, ui } = useConsole().session;
  const line = bindings === ui.getState().parts.bindings ? given : withOwnKeys(given, bindings);
  const theme = useUi((ui) => ui.theme);
  const ascii = useUi((ui) => ui.ascii);
  const spoken = useIsScreenReaderEnabled();
  if (spoken) {
    const words = spokenLine(line, selected);
    return words === '' ? null : <Text>{ascii ? toAscii(words) : words}</Text>;
  }
  const options = { theme, ascii, selected, opaque };
  const drawn = drawLine(line, width, options);
  // `room` is shorter than the row, and wrapped, only in the frame between a resize and its new layout.
  const transform = (room: string, index: number): string => {
    if (room.length >= width) return drawn;
    return index > 0 ? '' : drawLine(line, room.length, options);
  };
  return <Transform transform={transform}>{' '.repeat(width)}</Transform>;
}, sameRow);

/** Lines under each other, cut or padded to `height` rows. */
export function Rows({
  lines,
  width,
  height,
}: {
  lines: readonly Line[];
  width: number;
  height: number;
}): ReactNode {
  const rows: ReactNode[] = [];
  for (let at = 0; at < height; at++) rows.push(<Row key={at} line={lines[at] ?? []} width={width} />);
  return rows;
}
