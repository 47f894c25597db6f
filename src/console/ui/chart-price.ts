/**
 * A candle chart: one column per candle, prices on the right, times below, horizontal lines for levels,
 * entries, exits and stops, marks where something was bought or sold, and a crosshair. The smallest step is
 * half a cell. A rising candle is drawn thin, a falling one full, so that no colour is needed to tell them
 * apart. Levels too far away do not squeeze the candles; they are counted at the edge. Curves computed from
 * the candles run behind them, and panels (`chart-panels.ts`) are below them. Exactly as wide and high as
 * asked, whatever the prices are. Pure.
 */
import type { Candle } from '../../domain/rows.ts';
import { numbersOf } from './candle-numbers.ts';
import { type ChartPanel, panelLines } from './chart-panels.ts';
import {
  axisText,
  axisTicks,
  momentText,
  placeOf,
  type Range,
  rangeOf,
  timeLabel,
  timeStep,
} from './chart-scale.ts';
import { cellWidth, clean } from './clean.ts';
import { exact, percent, percentChange } from './format.ts';
import { cell, fitLine, joined, type Line, lineWidth, type Span, span } from './line.ts';
import type { Token } from './theme.ts';
import { localMs } from './zone.ts';

export interface ChartLevel {
  readonly price: string;
  /** The formatted price. */
  readonly text: string;
  readonly name: string;
  readonly tone: Token;
}

/** A purchase or a sale. */
export interface ChartMark {
  readonly time: number;
  readonly price: string;
  readonly side: 'BUY' | 'SELL';
}

/** A curve with one value per candle, drawn behind the candles. It does not widen the range of prices. */
export interface ChartCurve {
  /** One value per candle; a value that is not finite leaves a gap. */
  readonly values: readonly number[];
  /** The glyph that draws it, one cell. */
  readonly glyph: string;
  readonly tone: Token;
}

export interface PriceChart {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  readonly frameMs: number;
  /** Where two curves share a cell, the first is drawn. */
  readonly curves?: readonly ChartCurve[];
  /**
   * Panels below the candles and above the times, from top to bottom; they reduce the height of the candles.
   * Not drawn in a chart without times.
   */
  readonly panels?: readonly ChartPanel[];
  /** Price of the crosshair's horizontal line; null or left out: no line. */
  readonly across?: { readonly price: string; readonly text: string } | null;
  /** Most important first: where two share a row, the first is named. */
  readonly levels?: readonly ChartLevel[];
  readonly marks?: readonly ChartMark[];
  /** A level may be this many times the candles' range away and still be inside the chart. @default 1 */
  readonly reach?: number;
  /** Open time of the candle under the crosshair, Unix ms; null or left out: no crosshair. */
  readonly cursor?: number | null;
  /** Formats a price of a candle. @default exact, with thousands separators */
  readonly price?: (price: string) => string;
  readonly width: number;
  readonly height: number;
}

/** A candle as consistent numbers: low <= open, close <= high. */
interface Bar {
  /** Index of its candle. */
  readonly nth: number;
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly candle: Candle;
}

const REACH = 1;
/** Cells kept for ` +2` after a label. */
const MORE = 4;
/** Charts narrower than this have no prices; lower ones have neither times nor the line of values. */
const GUTTER_FROM = 30;
const AXIS_FROM = 6;
/** Least number of columns between two times. */
const TIME_EVERY = 10;
/** Number of levels named with the crosshair. */
const NEAR = 2;

/** A candle as a bar; null where a price is not a number. */
function barOf(candle: Candle, nth: number): Bar | null {
  const { open, high, low, close } = numbersOf(candle);
  if (!(Number.isFinite(open) && Number.isFinite(high) && Number.isFinite(low) && Number.isFinite(close)))
    return null;
  const top = Math.max(high, low);
  const bottom = Math.min(high, low);
  const inside = (value: number) => Math.min(top, Math.max(bottom, value));
  return { nth, time: candle.time, open: inside(open), high: top, low: bottom, close: inside(close), candle };
}

/**
 * The newest bars that a chart with this many columns needs, plus one before them; with a crosshair counted
 * back from its candle.
 */
function barsOf(candles: readonly Candle[], cursor: number | null, columns: number): Bar[] {
  const bars: Bar[] = [];
  let missing = columns + 1;
  for (let nth = candles.length - 1; nth >= 0 && missing > 0; nth--) {
    const bar = barOf(candles[nth] as Candle, nth);
    if (!bar) continue;
    bars.push(bar);
    if (cursor === null || bar.time <= cursor) missing--;
  }
  return bars.reverse();
}

/** Range of the candles and of the levels near enough; without candles that of all levels. */
function chartRange(bars: readonly Bar[], levels: readonly ChartLevel[], times: number): Range | null {
  const own = rangeOf(bars.flatMap(({ low, high }) => [low, high]));
  const prices = levels.map(({ price }) => Number(price));
  if (!own) return rangeOf(prices);
  const reach = Math.max((own.high - own.low) * times, Math.abs(own.high) * 0.002);
  const near = prices.filter((price) => price >= own.low - reach && price <= own.high + reach);
  return rangeOf([own.low, own.high, ...near]);
}

/** Number of columns left for candles in a chart of this width. */
export function chartColumns(levels: readonly ChartLevel[], width: number): number {
  return Math.max(0, width - gutterWidth(levels, width));
}

function gutterWidth(levels: readonly ChartLevel[], width: number): number {
  if (width < GUTTER_FROM) return 0;
  const wanted = Math.max(11, ...levels.map((level) => cellWidth(clean(labelOf(level))) + MORE));
  return 1 + Math.min(26, Math.floor(width / 3), wanted);
}

/**
 * Open time of the candle under the crosshair after a step of `by` candles; without a crosshair that of the
 * newest; null without candles.
 */
export function movedCursor(candles: readonly Candle[], cursor: number | null, by: number): number | null {
  const bars = barsOf(candles, cursor, candles.length);
  if (bars.length === 0) return null;
  const now = cursor === null ? -1 : bars.findLastIndex(({ time }) => time <= cursor);
  const at = cursor === null ? bars.length - 1 : Math.max(0, now) + by;
  return bars[Math.min(bars.length - 1, Math.max(0, at))]?.time ?? null;
}

/** The lines of the chart; empty when there is nothing to show or no room for it. */
export function priceChart(chart: PriceChart): readonly Line[] {
  const made = plotOf(chart);
  if (!made) return [];
  const { plot, all, levels, around } = made;
  const { width } = chart;
  const { bars, columns, at } = plot;
  const body = plotLines(plot, chart.marks ?? [], width);
  if (!around) return body;
  const shown = bars[at ?? bars.length - 1];
  const before = shown ? all[all.indexOf(shown) - 1] : undefined;
  const values = valueLine(chart, levels, shown, before, at !== null);
  const window = bars.map(({ nth, open, close }) => ({ nth, rises: close >= open }));
  const panels = (chart.panels ?? []).flatMap((panel) => panelLines(panel, window, { columns, at, width }));
  return [fitLine(values, width), ...body, ...panels, fitLine(timeLine(plot), width)];
}

/**
 * The price range of the chart from bottom to top, and the number of its rows; null where nothing is drawn.
 */
export function chartGrid(chart: PriceChart): (Range & { readonly rows: number }) | null {
  const made = plotOf(chart);
  return made && { ...made.plot.range, rows: made.plot.rows };
}

/** The layout of the chart; null when there is nothing to show or no room for it. */
function plotOf(chart: PriceChart) {
  const { width, height, cursor = null } = chart;
  const levels = (chart.levels ?? []).filter(({ price }) => Number(price) > 0 && Number(price) < Infinity);
  const columns = chartColumns(levels, width);
  if (columns < 1 || height < 1) return null;
  const all = barsOf(chart.candles, cursor, columns);
  const chosen = cursor === null ? -1 : all.findLastIndex(({ time }) => time <= cursor);
  const end = chosen < 0 ? all.length : Math.max(chosen + 1, Math.min(all.length, chosen + columns));
  const bars = all.slice(Math.max(0, end - columns), end);
  const range = chartRange(bars, levels, chart.reach ?? REACH);
  if (!range) return null;
  const around = height >= AXIS_FROM;
  const below = around ? (chart.panels ?? []).reduce((sum, panel) => sum + panel.height, 0) : 0;
  const rows = Math.max(1, around ? height - 2 - below : height);
  const at = chosen < 0 ? null : bars.length - 1 - (end - 1 - chosen);
  const { frameMs, curves = [], across = null } = chart;
  const plot: Plot = { bars, levels, range, rows, columns, at, frameMs, curves, across };
  return { plot, all, levels, around };
}

interface Plot {
  readonly bars: readonly Bar[];
  readonly levels: readonly ChartLevel[];
  readonly range: Range;
  readonly rows: number;
  readonly columns: number;
  /** Index of the bar under the crosshair; null without a crosshair. */
  readonly at: number | null;
  readonly frameMs: number;
  readonly curves: readonly ChartCurve[];
  readonly across: PriceChart['across'];
}

/** The row of a price, 0 at the top. */
export function chartRow(price: number, range: Range, rows: number): number {
  return placeOf(price, range, rows * 2) >> 1;
}

function plotLines(plot: Plot, marks: readonly ChartMark[], width: number): Line[] {
  const { bars, levels, range, rows, columns } = plot;
  const row = (price: number) => chartRow(price, range, rows);
  const inside = (price: number) => price >= range.low && price <= range.high;
  const named = new Map<number, ChartLevel[]>();
  for (const level of levels) {
    const price = Number(level.price);
    if (inside(price)) named.set(row(price), [...(named.get(row(price)) ?? []), level]);
  }
  const above = levels.filter(({ price }) => Number(price) > range.high);
  const below = levels.filter(({ price }) => Number(price) < range.low);
  const prices = axisLabels(plot);
  const across = plot.across && inside(Number(plot.across.price)) ? row(Number(plot.across.price)) : -1;
  const cells = cellsOf(plot, marks, across);
  const left = columns - bars.length;
  const gutter = width - columns;
  return Array.from({ length: rows }, (_, at): Line => {
    const here = named.get(at) ?? [];
    const [first] = here;
    const line = at === across;
    const [blank, crossed] = [blankCell(first, false, line), blankCell(first, true, line)];
    const drawn = joined(columns, (column) => {
      const index = column - left;
      const empty = index === plot.at ? crossed : blank;
      return index < 0 ? empty : (cells[index * rows + at] ?? empty);
    });
    if (gutter === 0) return drawn;
    if (line) return [...drawn, span(' '), cell(plot.across?.text ?? '', gutter - 1, 'left', 'focus')];
    const beyond: readonly [string, readonly ChartLevel[]] =
      at === 0 ? ['▲', above] : at === rows - 1 ? ['▼', below] : ['', []];
    return [...drawn, span(' '), gutterSpan(here, beyond, prices.get(at), gutter - 1)];
  });
}

/**
 * The cells of curves, candles and marks, each drawn over those before, by `index * rows + row`; undefined
 * where nothing is drawn.
 */
function cellsOf(plot: Plot, marks: readonly ChartMark[], across: number): (Span | undefined)[] {
  const cells = new Array<Span | undefined>(plot.bars.length * plot.rows).fill(undefined);
  drawCurves(cells, plot, across);
  drawBars(cells, plot);
  drawMarks(cells, plot, marks);
  return cells;
}

/** Draws the parts of the curves inside the range; the lines of the crosshair cover them. */
function drawCurves(
  cells: (Span | undefined)[],
  { bars, range, rows, curves, at }: Plot,
  across: number,
): void {
  for (const { values, glyph, tone } of curves) {
    const part = span(glyph, tone);
    for (const [index, { nth }] of bars.entries()) {
      const value = values[nth] ?? Number.NaN;
      if (index === at || !(value >= range.low && value <= range.high)) continue;
      const row = chartRow(value, range, rows);
      if (row !== across) cells[index * rows + row] ??= part;
    }
  }
}

function blankCell(level: ChartLevel | undefined, crosshair: boolean, across: boolean): Span {
  if (crosshair) return span(across ? '┼' : '┊', 'focus');
  if (across) return span('┈', 'focus');
  return level ? span('─', level.tone) : span(' ');
}

/** Draws each bar in its column, from its high to its low. */
function drawBars(cells: (Span | undefined)[], { bars, range, rows }: Plot): void {
  const half = (price: number) => placeOf(price, range, rows * 2);
  for (const [index, { open, high, low, close }] of bars.entries()) {
    const [top, bottom] = [half(high), half(low)];
    const [bodyTop, bodyBottom] = [half(Math.max(open, close)), half(Math.min(open, close))];
    const part = (at: number) => (at < top || at > bottom ? 0 : at >= bodyTop && at <= bodyBottom ? 2 : 1);
    const glyphs = close >= open ? RISING : FALLING;
    for (let row = top >> 1; row <= bottom >> 1; row++)
      cells[index * rows + row] = glyphs[part(row * 2) * 3 + part(row * 2 + 1)];
  }
}

/** Glyphs by upper and lower half, each with nothing, wick or body. */
const RISING = [' ', '╷', '╻', '╵', '│', '╽', '╹', '╿', '┃'].map((glyph) => span(glyph, 'up'));
const FALLING = [' ', '╷', '▄', '╵', '│', '▄', '▀', '▀', '█'].map((glyph) => span(glyph, 'down'));

/** Draws the marks; a later one covers an earlier one. */
function drawMarks(
  cells: (Span | undefined)[],
  { bars, range, rows, frameMs }: Plot,
  marks: readonly ChartMark[],
): void {
  for (const { time, price, side } of marks) {
    const value = Number(price);
    const index = bars.findLastIndex((bar) => bar.time <= time);
    const bar = bars[index];
    if (!bar || time >= bar.time + Math.max(1, frameMs) || !(value >= range.low && value <= range.high))
      continue;
    const buy = side === 'BUY';
    const sign = span(buy ? '▲' : '▼', buy ? 'buy' : 'sell', { bold: true });
    cells[index * rows + chartRow(value, range, rows)] = sign;
  }
}

function axisLabels({ range, rows }: Plot): ReadonlyMap<number, string> {
  const { step, values } = axisTicks(range, rows);
  return new Map(values.map((value) => [chartRow(value, range, rows), axisText(value, step)]));
}

function labelOf({ text, name }: ChartLevel): string {
  return `${text} ${name}`;
}

function gutterSpan(
  here: readonly ChartLevel[],
  beyond: readonly [string, readonly ChartLevel[]],
  price: string | undefined,
  width: number,
): Span {
  const [first] = here;
  if (first) {
    const more = here.length > 1 ? ` +${here.length - 1}` : '';
    return cell(labelOf(first) + more, width, 'left', first.tone);
  }
  const [sign, levels] = beyond;
  if (levels.length === 0) return cell(price ?? '', width, 'left', 'muted');
  const names = [...new Set(levels.map(({ name }) => name))];
  return cell(`${sign} ${levels.length} ${names.length === 1 ? names[0] : 'more'}`, width, 'left', 'muted');
}

/** The line of times below their candles; the time of the crosshair covers them. */
function timeLine({ bars, columns, at, frameMs }: Plot): Line {
  const step = timeStep(Math.max(1, frameMs), TIME_EVERY);
  const left = columns - bars.length;
  const text = Array.from({ length: columns }, () => ' ');
  const bar = at === null ? undefined : bars[at];
  const own = bar ? momentText(bar.time) : '';
  const start = Math.max(0, Math.min(columns - own.length, left + (at ?? 0) - Math.floor(own.length / 2)));
  const end = start + own.length;
  let free = 0;
  let before: number | null = null;
  bars.forEach(({ time }, index) => {
    const previous = bars[index - 1]?.time;
    if (previous === undefined || Math.floor(localMs(previous) / step) === Math.floor(localMs(time) / step))
      return;
    const label = timeLabel(time, before, step);
    const from = left + index;
    if (from < free || from + label.length > columns) return;
    if (bar && from <= end && from + label.length >= start) return;
    for (const [offset, char] of [...label].entries()) text[from + offset] = char;
    free = from + label.length + 2;
    before = time;
  });
  const line = text.join('');
  if (!bar) return [span(line, 'muted')];
  return [span(line.slice(0, start), 'muted'), span(own, 'focus'), span(line.slice(end), 'muted')];
}

/**
 * The line of values: time, open, high, low, close, change since the close before, and the nearest levels;
 * parts that do not fit are left out.
 */
function valueLine(
  chart: PriceChart,
  levels: readonly ChartLevel[],
  bar: Bar | undefined,
  before: Bar | undefined,
  crosshair: boolean,
): Line {
  if (!bar) return [];
  const write = chart.price ?? exact;
  const { candle } = bar;
  const change = percentChange((before?.candle ?? candle).close, candle.close);
  const parts: Line[] = [
    [span(momentText(bar.time), crosshair ? 'focus' : 'muted')],
    ...(['open', 'high', 'low', 'close'] as const).map(
      (name): Line => [span(`  ${name[0]?.toUpperCase()} `, 'muted'), span(write(candle[name]))],
    ),
    [
      span('  '),
      span(percent(change), change === null || change === 0n ? 'muted' : change > 0n ? 'up' : 'down'),
    ],
    ...(crosshair ? nearLevels(levels, bar) : []).map(
      (level): Line => [
        span(`  ${level.name} `, level.tone),
        span(`${level.text} `),
        span(percent(percentChange(candle.close, level.price)), 'muted'),
      ],
    ),
  ];
  let left = chart.width;
  return parts.flatMap((part) => {
    left -= lineWidth(part);
    return left < 0 ? [] : part;
  });
}

/** The levels nearest to a candle's close, except `last`. */
function nearLevels(levels: readonly ChartLevel[], { close }: Bar): readonly ChartLevel[] {
  const away = ({ price }: ChartLevel) => Math.abs(Number(price) - close);
  return levels
    .filter(({ name }) => name !== 'last')
    .sort((a, b) => away(a) - away(b))
    .slice(0, NEAR);
}
