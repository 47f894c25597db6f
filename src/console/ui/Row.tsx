/**
 * One line of the terminal, or several below each other, as one text node: the output edge. Cuts and pads to
 * the width, so that no row ever wraps. Ink lays out and clips blanks of that width, which is cheap, and gets
 * the drawn lines at the end.
 */
import { Text, Transform, useIsScreenReaderEnabled } from 'ink';
import { memo, type ReactNode, useRef } from 'react';
import { useConsole, useUi } from '../app/context.ts';
import type { BoundBinding } from '../input/binding.ts';
import { withOwnKey } from '../input/overrides.ts';
import { drawLine } from './draw.ts';
import { toAscii } from './glyphs.ts';
import { BLANK, type Line, type Span } from './line.ts';
import { spokenLine } from './spoken.ts';
import type { Theme } from './theme.ts';

interface RowProps {
  readonly line: Line;
  readonly width: number;
  readonly selected?: boolean;
  /** Covers everything behind the row, also with blanks: for rows of dialogs. */
  readonly opaque?: boolean;
}

function sameRow(a: RowProps, b: RowProps): boolean {
  return (
    a.width === b.width && a.selected === b.selected && a.opaque === b.opaque && sameLine(a.line, b.line)
  );
}

function sameLine(a: Line, b: Line): boolean {
  return a === b || (a.length === b.length && a.every((part, index) => samePart(part, b[index])));
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
    // This terminal does not have the key; the text right after it, which says what it does, is skipped, too.
    else at++;
  }
  return own;
}

/** How lines are drawn on this terminal. `bindings`: null where all keys are the default ones. */
interface Drawing {
  readonly theme: Theme;
  readonly ascii: boolean;
  readonly bindings: readonly BoundBinding[] | null;
}

function useDrawing(): Drawing {
  const { bindings, ui } = useConsole().session;
  const theme = useUi((ui) => ui.theme);
  const ascii = useUi((ui) => ui.ascii);
  return { theme, ascii, bindings: bindings === ui.getState().parts.bindings ? null : bindings };
}

/** Draws one line. Redrawn only when the line changes: most rows stay the same from update to update. */
export const Row = memo(function Row({
  line: given,
  width,
  selected = false,
  opaque = false,
}: RowProps): ReactNode {
  const { theme, ascii, bindings } = useDrawing();
  const line = bindings ? withOwnKeys(given, bindings) : given;
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

interface RowsProps {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** Lines below each other, cut or padded to `height` rows. */
export function Rows(props: RowsProps): ReactNode {
  return useIsScreenReaderEnabled() ? <SpokenRows {...props} /> : <DrawnRows {...props} />;
}

function SpokenRows({ lines, width, height }: RowsProps): ReactNode {
  const rows: ReactNode[] = [];
  for (let at = 0; at < height; at++) rows.push(<Row key={at} line={lines[at] ?? BLANK} width={width} />);
  return rows;
}

/**
 * Draws all rows as one text node: Ink and React handle one element, and only changed lines are drawn again.
 */
function DrawnRows({ lines, width, height }: RowsProps): ReactNode {
  const drawing = useDrawing();
  const before = useRef<RowsDrawn | null>(null);
  if (width < 1 || height < 1) return null;
  before.current = drawnRows(before.current, { lines, width, height }, drawing);
  return before.current.element;
}

interface RowsDrawn {
  readonly drawing: Drawing;
  readonly width: number;
  /** One line per row; `texts` likewise. */
  readonly lines: readonly Line[];
  readonly texts: readonly string[];
  /** Blanks of the size of all rows. */
  readonly room: string;
  readonly element: ReactNode;
}

/** The drawn rows; the same object as before where nothing has changed, so that React stops there. */
function drawnRows(before: RowsDrawn | null, props: RowsProps, drawing: Drawing): RowsDrawn {
  const { width, height } = props;
  const { theme, ascii, bindings } = drawing;
  const options = { theme, ascii, selected: false, opaque: false };
  const isSameRoom = before?.width === width && before.lines.length === height;
  const known = isSameRoom && isSameDrawing(before.drawing, drawing) ? before : null;
  const lines = Array.from({ length: height }, (_, at) => props.lines[at] ?? BLANK);
  let changed = known === null;
  const texts = lines.map((line, at) => {
    const last = known?.lines[at];
    if (known && last && sameLine(last, line)) return known.texts[at] as string;
    changed = true;
    return drawLine(bindings ? withOwnKeys(line, bindings) : line, width, options);
  });
  if (known && !changed) return known;
  const room = isSameRoom ? before.room : new Array<string>(height).fill(' '.repeat(width)).join('\n');
  const transform = (blanks: string, row: number): string => {
    if (blanks.length >= width) return texts[row] ?? '';
    // As in `Row`: until the new layout arrives, each line is cut to the old room.
    return drawLine(lines[row] ?? BLANK, blanks.length, options);
  };
  const element = <Transform transform={transform}>{room}</Transform>;
  return { drawing, width, lines, texts, room, element };
}

function isSameDrawing(a: Drawing, b: Drawing): boolean {
  return a.theme === b.theme && a.ascii === b.ascii && a.bindings === b.bindings;
}
