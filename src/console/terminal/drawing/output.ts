/**
 * Where Ink puts the texts of a frame before they become one text: takes the place of Ink's own in the built program
 * (scripts/build.mjs), whose frames it draws the same at a fraction of the cost. What a screen shows is thousands of cells of
 * a few kinds, most as in the frame before: here cells are shared, and pens are looked up instead of worked out.
 */
import { blanked, cellLines, columnsOf, textOf } from './cells.ts';
import { type Cell, plainPen } from './pen.ts';

/** Changes a line of a text, given its number in the text. */
type Transformer = (line: string, index: number) => string;

/** Half-open, in cells of the frame; without a bound it is open on that side. */
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

/** As Ink's class of this name (ink/build/output.js). */
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

  /** Until the matching `unclip`; within the clip around it. */
  clip(clip: Clip): void {
    const outer = this.#clips.at(-1);
    this.#clips.push(outer ? meet(outer, clip) : clip);
  }

  unclip(): void {
    this.#clips.pop();
  }

  /** The frame: a text of `height` lines without the blanks at their ends. */
  get(): { output: string; height: number } {
    const blank = plainPen().narrow(0x20);
    const rows: (Cell[] | undefined)[] = new Array(this.height).fill(undefined);
    const rowAt = (y: number): Cell[] | null => {
      // Above and below the frame there is nothing to draw on.
      if (!(y >= 0 && y < this.height)) return null;
      const row = rows[y] ?? new Array<Cell>(this.width).fill(blank);
      rows[y] = row;
      return row;
    };
    for (const write of this.#writes) drawText(write, rowAt);
    return { output: rows.map((row) => (row ? textOf(row).trimEnd() : '')).join('\n'), height: this.height };
  }
}

function drawText(write: Write, rowAt: (y: number) => Cell[] | null): void {
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
  for (const [index, line] of lines.entries()) {
    const row = rowAt(y + index);
    if (row) drawLine(row, x, transformed(line, transformers, index + y - write.y));
  }
}

function transformed(
  line: readonly Cell[],
  transformers: readonly Transformer[],
  index: number,
): readonly Cell[] {
  if (transformers.length === 0) return line;
  let text = textOf(line);
  for (const transform of transformers) text = transform(text, index);
  return cellLines(text).flat();
}

/** Puts a line of cells into a row. Halves that are left of wide characters become blanks of their pen. */
function drawLine(row: Cell[], x: number, line: readonly Cell[]): void {
  if (line.length === 0) return;
  const before = row[x - 1];
  if (row[x]?.value === '' && before && before.width > 1) row[x - 1] = blanked(before);
  let at = x;
  for (const cell of line) {
    row[at] = cell;
    for (let next = 1; next < cell.width; next++) {
      // Where the first half is outside of the frame, the second is seen.
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
