/** Splits texts into cells and joins cells into texts. Pure, apart from a cache for both. */
import { styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize';
import stringWidth from 'string-width';
import { isNarrow, sgrEnd } from './narrow.ts';
import { type Cell, type Pen, penOf, plainPen } from './pen.ts';
import { Recent } from './recent.ts';

/** Characters that draw nothing and take no cell by themselves. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}+$/u;
const LINE_FEED = 0x0a;

interface Known {
  readonly lines: readonly (readonly Cell[])[];
  /** Whether every character takes exactly one cell (`narrow.ts`). */
  readonly isNarrow: boolean;
}

/** Number of texts whose cells are cached: those of a frame and of the one before it. */
const MOST_KNOWN = 400;
const known = new Recent<string, Known>(MOST_KNOWN);
/** Cached texts of lines that appear again unchanged in later frames. */
const texts = new WeakMap<readonly Cell[], string>();

/**
 * The cells of each line of a text, shared between callers, which must never change them. Pens continue from
 * line to line.
 */
export function cellLines(text: string): readonly (readonly Cell[])[] {
  return knownOf(text).lines;
}

/** The cells of a line, one per column; null when the text is not narrow. */
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

/**
 * Caches the cells of a text, so that it need not be split. `line`: the cells of `text`, which is `whole`
 * without the blanks at its end.
 */
export function rememberCells(text: string, line: readonly Cell[], whole: string): void {
  const of = known.get(whole);
  if (of && !known.get(text)) known.set(text, { lines: [line], isNarrow: of.isNarrow });
}

/** A text drawn with one pen. */
export interface Stroke {
  readonly text: string;
  readonly pen: Pen;
}

/**
 * Does what `textOf` does, for consecutive strokes. If they are narrow, the cells of the text are cached, so
 * that it need not be split later.
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

/** The cells of the strokes; null when one is not narrow. */
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

/** The cells of each line; null when the text is not narrow. */
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

/** Splits a text into graphemes. Slow. */
function oddLines(text: string): Cell[][] {
  const lines: Cell[][] = [[]];
  for (const { value, styles } of styledCharsFromTokens(tokenize(text))) {
    if (value === '\n') lines.push([]);
    else if (!INVISIBLE.test(value))
      lines.at(-1)?.push({ value, width: stringWidth(value), pen: penOf(styles) });
  }
  return lines;
}

/** Does what `textOf` does, for a line that never changes: the text is cached. */
export function textOfLine(line: readonly Cell[]): string {
  let text = texts.get(line);
  if (text === undefined) {
    text = textOf(line);
    texts.set(line, text);
  }
  return text;
}

/** The text that draws the cells and resets the style at its end. Missing cells are left out. */
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

/**
 * The columns `from` to `to` of a line. A wide character that is only partly inside becomes a blank with its
 * pen.
 */
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
