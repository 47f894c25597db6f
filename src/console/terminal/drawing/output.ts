/**
 * Collects the texts of a frame and joins them into one text. Takes the place of Ink's own class in the built
 * program (scripts/build.mjs), and draws the same frames at a fraction of the cost. A screen has thousands of
 * cells of a few kinds, most of them unchanged from frame to frame: here cells are shared, and pens are
 * looked up instead of computed.
 */
import { blanked, cellLines, columnsOf, rememberCells, textOf, textOfLine } from './cells.ts';
import { type Cell, plainPen } from './pen.ts';

/** Changes a line of a text, given its number in the text. */
type Transformer = (line: string, index: number) => string;

/** Half-open, in cells of the frame; a missing bound leaves that side open. */
interface Clip {
  readonly x1: number | undefined;
  readonly x2: number | undefined;
  readonly y1: number | undefined;
  readonly y2: number | undefined;
}

interface Write {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly transformers: readonly Transformer[];
  readonly clip: Clip | undefined;
}

/** Same interface as Ink's class of this name (ink/build/output.js). */
export class Output {
  readonly width: number;
  readonly height: number;
  readonly #writes: Write[] = [];
  readonly #clips: Clip[] = [];

  constructor({ width, height }: { width: number; height: number }) {
    this.width = width;
    this.height = height;
  }

  write(
    x: number,
    y: number,
    text: string,
    { transformers }: { transformers: readonly Transformer[] },
  ): void {
    if (text !== '') this.#writes.push({ x, y, text, transformers, clip: this.#clips.at(-1) });
  }

  /** Limits drawing until the matching `unclip`, within the clip around it. */
  clip(clip: Clip): void {
    const outer = this.#clips.at(-1);
    this.#clips.push(outer ? meet(outer, clip) : clip);
  }

  unclip(): void {
    this.#clips.pop();
  }

  /** The frame as a text of `height` lines, without the blanks at their ends. */
  get(): { output: string; height: number } {
    const rows = new Rows(this.width, this.height);
    for (const write of this.#writes) drawText(write, rows);
    return { output: rows.texts().join('\n'), height: this.height };
  }
}

/**
 * The rows of a frame. A row on which only one line was drawn is kept as that line: most rows are, and most
 * of them are unchanged.
 */
class Rows {
  readonly #width: number;
  readonly #height: number;
  readonly #blank = plainPen().narrow(0x20);
  readonly #rows: (Cell[] | undefined)[];
  readonly #whole: (readonly Cell[] | undefined)[];

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#rows = new Array(height).fill(undefined);
    this.#whole = new Array(height).fill(undefined);
  }

  /** Draws a line that never changes into a row. Lines above and below the frame are ignored. */
  draw(y: number, x: number, line: readonly Cell[]): void {
    if (!(y >= 0 && y < this.#height)) return;
    const [row, whole] = [this.#rows[y], this.#whole[y]];
    if (!row && !whole && x === 0) {
      this.#whole[y] = line;
      return;
    }
    const cells = row ?? new Array<Cell>(this.#width).fill(this.#blank);
    this.#rows[y] = cells;
    this.#whole[y] = undefined;
    if (whole) drawLine(cells, 0, whole);
    drawLine(cells, x, line);
  }

  texts(): string[] {
    return Array.from({ length: this.#height }, (_, y) => this.#text(y));
  }

  #text(y: number): string {
    const [row, whole] = [this.#rows[y], this.#whole[y]];
    if (whole) return frameLine(whole);
    return row ? textOf(row).trimEnd() : '';
  }
}

/** Cached texts of lines that appear again unchanged in later frames. */
const frameLines = new WeakMap<readonly Cell[], string>();

/** The text in the frame for a row that consists of this line. */
function frameLine(line: readonly Cell[]): string {
  let text = frameLines.get(line);
  if (text === undefined) {
    const all = textOfLine(line);
    text = all.trimEnd();
    frameLines.set(line, text);
    const blanks = all.length - text.length;
    // Comparing frames splits the lines into cells again.
    if (blanks > 0) rememberCells(text, line.slice(0, line.length - blanks), all);
  }
  return text;
}

function drawText(write: Write, rows: Rows): void {
  const { text, transformers, clip } = write;
  let { x, y } = write;
  let lines = cellLines(text);
  if (clip) {
    if (isEmpty(clip)) return;
    const { x1, x2, y1, y2 } = clip;
    if (x1 !== undefined && x2 !== undefined) {
      const widest = Math.max(...lines.map(widthOf));
      if (x + widest < x1 || x > x2) return;
      const from = Math.max(0, x1 - x);
      const to = x2 - x;
      if (from > 0 || widest > to) lines = lines.map((line) => columnsOf(line, from, to));
      x = Math.max(x, x1);
    }
    if (y1 !== undefined && y2 !== undefined) {
      const from = Math.max(0, y1 - y);
      lines = lines.slice(from, Math.max(from, y2 - y));
      y = Math.max(y, y1);
    }
  }
  for (const [index, line] of lines.entries())
    rows.draw(y + index, x, transformed(line, transformers, index + y - write.y));
}

function transformed(
  line: readonly Cell[],
  transformers: readonly Transformer[],
  index: number,
): readonly Cell[] {
  if (transformers.length === 0) return line;
  let text = textOfLine(line);
  for (const transform of transformers) text = transform(text, index);
  const lines = cellLines(text);
  return lines.length === 1 && lines[0] ? lines[0] : lines.flat();
}

/**
 * Draws the cells of a line into a row. Halves that remain of wide characters become blanks with their pen.
 */
function drawLine(row: Cell[], x: number, line: readonly Cell[]): void {
  if (line.length === 0) return;
  const before = row[x - 1];
  if (row[x]?.value === '' && before && before.width > 1) row[x - 1] = blanked(before);
  let at = x;
  for (const cell of line) {
    row[at] = cell;
    for (let next = 1; next < cell.width; next++) {
      // Where the first half is outside the frame, only the second one is visible.
      row[at + next] = { value: at < 0 ? ' ' : '', width: 1, pen: cell.pen };
    }
    at += Math.max(1, cell.width);
  }
  const after = row[at];
  if (after?.value === '') row[at] = blanked(after);
}

function widthOf(line: readonly Cell[]): number {
  let width = 0;
  for (const cell of line) width += cell.width;
  return width;
}

function meet(a: Clip, b: Clip): Clip {
  return {
    x1: bound(a.x1, b.x1, Math.max),
    x2: bound(a.x2, b.x2, Math.min),
    y1: bound(a.y1, b.y1, Math.max),
    y2: bound(a.y2, b.y2, Math.min),
  };
}

function bound(
  a: number | undefined,
  b: number | undefined,
  tighter: (a: number, b: number) => number,
): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : tighter(a, b);
}

function isEmpty({ x1, x2, y1, y2 }: Clip): boolean {
  return (
    (x1 !== undefined && x2 !== undefined && x1 >= x2) || (y1 !== undefined && y2 !== undefined && y1 >= y2)
  );
}
