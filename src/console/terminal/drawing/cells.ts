/** Texts taken apart into cells and put together again. Pure but for what it remembers of odd texts. */
import { styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize';
import stringWidth from 'string-width';
import { isNarrow, sgrEnd } from './narrow.ts';
import { type Cell, type Pen, penOf, plainPen } from './pen.ts';
import { Recent } from './recent.ts';

/** Draws nothing and takes no place by itself. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}+$/u;
const LINE_FEED = 0x0a;

interface Known {
  readonly lines: readonly (readonly Cell[])[];
  /** Every cell is a character of one place (`narrow.ts`). */
  readonly isNarrow: boolean;
}

/** Texts known by their cells at a time: those of a frame and of the one before it. */
const MOST_KNOWN = 400;
const known = new Recent<string, Known>(MOST_KNOWN);
/** Of lines that are in a frame again as they were. */
const texts = new WeakMap<readonly Cell[], string>();

/** The cells of each line of a text, shared: never to be changed. Pens go on from line to line. */
export function cellLines(text: string): readonly (readonly Cell[])[] {
  return knownOf(text).lines;
}

/** The cells of a line, one a column; null when a character needs a closer look. */
export function narrowLine(text: string): readonly Cell[] | null {
  const { lines, isNarrow } = knownOf(text);
  return isNarrow && lines.length === 1 ? (lines[0] ?? null) : null;
}

function knownOf(text: string): Known {
  const found = known.get(text);
  if (found) return found;
  const narrow = narrowLines(text);
  const made = { lines: narrow ?? oddLines(text), isNarrow: narrow !== null };
  known.set(text, made);
  return made;
}

/** `line`: the cells of `text`, which is `whole` without blanks at its end: it never has to be taken apart. */
export function rememberCells(text: string, line: readonly Cell[], whole: string): void {
  const of = known.get(whole);
  if (of && !known.get(text)) known.set(text, { lines: [line], isNarrow: of.isNarrow });
}

/** What is drawn with one pen. */
export interface Stroke {
  readonly text: string;
  readonly pen: Pen;
}

/**
 * As `textOf`, of strokes one after the other. Where they are narrow, the text never has to be taken apart: its cells are
 * known from now on.
 */
export function textOfStrokes(strokes: readonly Stroke[]): string {
  let drawn = '';
  let pen = plainPen();
  for (const stroke of strokes) {
    if (stroke.text === '') continue;
    if (stroke.pen !== pen) drawn += pen.change(stroke.pen);
    drawn += stroke.text;
    pen = stroke.pen;
  }
  drawn += pen.close;
  const line = known.get(drawn) ? null : narrowCells(strokes);
  if (line) {
    known.set(drawn, { lines: [line], isNarrow: true });
    texts.set(line, drawn);
  }
  return drawn;
}

/** Null when a character needs a closer look. */
function narrowCells(strokes: readonly Stroke[]): readonly Cell[] | null {
  let width = 0;
  for (const { text } of strokes) width += text.length;
  const line = new Array<Cell>(width);
  let column = 0;
  for (const { text, pen } of strokes) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (!isNarrow(unit)) return null;
      line[column++] = pen.narrow(unit);
    }
  }
  return line;
}

/** Null when a character needs a closer look. */
function narrowLines(text: string): Cell[][] | null {
  let pen = plainPen();
  let line: Cell[] = [];
  const lines = [line];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isNarrow(unit)) line.push(pen.narrow(unit));
    else if (unit === LINE_FEED) {
      line = [];
      lines.push(line);
    } else {
      const end = sgrEnd(text, at);
      if (end < 0) return null;
      pen = pen.after(text.slice(at, end));
      at = end - 1;
    }
  }
  return lines;
}

/** By graphemes. Slow. */
function oddLines(text: string): Cell[][] {
  const lines: Cell[][] = [[]];
  for (const { value, styles } of styledCharsFromTokens(tokenize(text))) {
    if (value === '\n') lines.push([]);
    else if (!INVISIBLE.test(value))
      lines.at(-1)?.push({ value, width: stringWidth(value), pen: penOf(styles) });
  }
  return lines;
}

/** As `textOf`, of a line that never changes: found once. */
export function textOfLine(line: readonly Cell[]): string {
  let text = texts.get(line);
  if (text === undefined) {
    text = textOf(line);
    texts.set(line, text);
  }
  return text;
}

/** The text that draws the cells and leaves no style behind. Places without a cell are left out. */
export function textOf(cells: readonly (Cell | undefined)[]): string {
  let text = '';
  let pen = plainPen();
  for (const cell of cells) {
    if (!cell) continue;
    if (cell.pen !== pen) {
      text += pen.change(cell.pen);
      pen = cell.pen;
    }
    text += cell.value;
  }
  return text + pen.close;
}

/** The columns `from` to `to` of a line. A wide character of which only a part is in there is a blank of its pen. */
export function columnsOf(line: readonly Cell[], from: number, to: number): Cell[] {
  const kept: Cell[] = [];
  let end = 0;
  for (const cell of line) {
    const start = end;
    end += cell.width;
    if (end <= from) continue;
    if (start >= to) break;
    kept.push(cell.width > 1 && (start < from || end > to) ? blanked(cell) : cell);
  }
  return kept;
}

/** A blank with the cell's pen. */
export function blanked(cell: Cell): Cell {
  return { value: ' ', width: 1, pen: cell.pen };
}
