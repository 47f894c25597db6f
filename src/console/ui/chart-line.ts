/**
 * A line over time in braille dots, two by four in a cell: equity, closes. Values are spread over the whole
 * width, the newest at the right end; a value that is not finite leaves a gap. Exactly as wide and high as
 * asked. Pure.
 */

import { placeOf, rangeOf } from './chart-scale.ts';
import { group } from './format.ts';
import { fitLine, type Line, span } from './line.ts';
import type { Token } from './theme.ts';

export interface LineChart {
  /** Oldest first. */
  readonly values: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly tone?: Token;
  /** Formats the highest and the lowest value for the right edge; left out: no labels. */
  readonly label?: (value: number) => string;
}

const EMPTY = 0x2800;
/** Bits of the dots from top to bottom, for the left and the right column. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

/** A number short enough for the edge of a chart: `201,482`, `61,234.1`, `0.0001234`. */
export function shortValue(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e12 || (size > 0 && size < 1e-6)) return value.toExponential(2);
  const places = size >= 1e4 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 6;
  return group(value.toFixed(places));
}

export function lineChart({ values, width, height, tone, label }: LineChart): readonly Line[] {
  if (width < 1 || height < 1) return [];
  const range = rangeOf(values);
  if (!range) return Array.from({ length: height }, () => fitLine([], width));
  const known = values.filter(Number.isFinite);
  const ends = [Math.max, Math.min].map((most) => known.reduce((a, b) => most(a, b)));
  const labels = label ? ends.map((value) => label(value)) : [];
  const gutter = width < 24 ? 0 : Math.max(0, ...labels.map((text) => text.length + 1));
  const columns = width - gutter;
  const rows = brailleRows(values, range, columns, height);
  // A flat line has one value, beside the line.
  const level = labels[0] === labels[1];
  return rows.map((text, at) => {
    const value = level
      ? at === Math.floor((height - 1) / 2)
        ? labels[0]
        : undefined
      : at === 0
        ? labels[0]
        : at === height - 1
          ? labels[1]
          : undefined;
    const side = gutter > 0 && value !== undefined ? [span(' '), span(value, 'muted')] : [];
    return fitLine([span(text, tone), ...side], width);
  });
}

/**
 * Values spread over `points` places: the last value of each part where there are more values, the value
 * before where there are fewer.
 */
function spreadOut(values: readonly number[], points: number): number[] {
  const count = values.length;
  return Array.from({ length: points }, (_, at) => {
    const index =
      count >= points ? Math.floor(((at + 1) * count) / points) - 1 : Math.floor((at * count) / points);
    return values[index] ?? Number.NaN;
  });
}

/** Values over the whole width as dots, top row first; a value that is not finite leaves a gap. */
export function brailleRows(
  values: readonly number[],
  range: { low: number; high: number },
  columns: number,
  height: number,
): string[] {
  const dots = height * 4;
  const cells = new Uint8Array(columns * height);
  let before: number | null = null;
  spreadOut(values, columns * 2).forEach((value, x) => {
    if (!Number.isFinite(value)) {
      before = null;
      return;
    }
    const y = placeOf(value, range, dots);
    // A step is joined within its own column, so that the line has no break.
    const from = before === null || before === y ? y : before < y ? before + 1 : before - 1;
    for (let at = Math.min(from, y); at <= Math.max(from, y); at++) {
      const index = (at >> 2) * columns + (x >> 1);
      cells[index] = (cells[index] ?? 0) | (DOTS[x & 1 ? 1 : 0][at & 3] ?? 0);
    }
    before = y;
  });
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: columns }, (_, x) => {
      const bits = cells[row * columns + x] ?? 0;
      return bits === 0 ? ' ' : String.fromCodePoint(EMPTY + bits);
    }).join(''),
  );
}
