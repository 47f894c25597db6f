/** A line chart in text: eight Braille dots per cell, or one ASCII mark per cell. Pure. */

/** Bits of the dots of a Braille cell, by row and column. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;

export interface ChartSize {
  /** In cells. */
  readonly width: number;
  readonly height: number;
  readonly ascii: boolean;
}

/** Rows of the chart from top to bottom; the values are spread over the whole width. */
export function lineChart(values: readonly number[], { width, height, ascii }: ChartSize): string[] {
  const across = ascii ? 1 : 2;
  const down = ascii ? 1 : 4;
  const columns = width * across;
  const rows = height * down;
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  // A flat line is drawn in the middle.
  const rowOf = (value: number) =>
    span === 0 ? Math.floor(rows / 2) : Math.round(((rows - 1) * (low + span - value)) / span);
  const cells = Array.from({ length: height }, () => new Uint8Array(width));
  const set = (column: number, row: number) => {
    const line = cells[Math.floor(row / down)] as Uint8Array;
    const cell = Math.floor(column / across);
    line[cell] = (line[cell] as number) | (ascii ? 1 : (DOTS[row % 4]?.[column % 2] ?? 0));
  };
  let before = rowOf(values[0] ?? 0);
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns));
    const hit = values.slice(from, to).map(rowOf);
    const top = Math.min(before, ...hit);
    const bottom = Math.max(before, ...hit);
    for (let row = top; row <= bottom; row++) set(column, row);
    before = hit.at(-1) ?? before;
  }
  const draw = (bits: number) =>
    ascii ? (bits ? '*' : ' ') : bits ? String.fromCharCode(BRAILLE + bits) : ' ';
  return cells.map((line) => Array.from(line, draw).join('').trimEnd());
}
