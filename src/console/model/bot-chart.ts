/**
 * A candle chart of a few rows with horizontal lines for a bot's prices: one column a candle, the names of the lines on the
 * right. Lines too far away do not squeeze the candles; they are counted at the edge. Pure.
 */
import type { Candle } from '../../domain/rows.ts';
import { cell, type Line, type Span, span } from '../components/line.ts';
import type { Token } from '../theme.ts';

export interface ChartLine {
  readonly price: string;
  /** The price as it is written. */
  readonly text: string;
  readonly name: string;
  readonly tone: Token;
}

export interface ChartOptions {
  readonly candles: readonly Candle[];
  /** Most important first: where two share a row, the first is named. */
  readonly lines: readonly ChartLine[];
  readonly width: number;
  readonly height: number;
}

interface Placed {
  readonly line: ChartLine;
  readonly row: number;
}

interface Bar {
  readonly top: number;
  readonly bottom: number;
  readonly bodyTop: number;
  readonly bodyBottom: number;
  readonly up: boolean;
}

/** A line may lie this many times the candles' own span away and still be inside. */
const REACH = 1;
/** Cells after a label for ` +2`. */
const MORE = 4;
const FRAMES_MIN = [1, 3, 5, 15, 30, 60, 120, 240, 360, 480, 720, 1440];
const MINUTE_MS = 60_000;

/** The candle length at which a time of `spanMs` fits into `columns`. */
export function chartFrame(spanMs: number, columns: number): number {
  const fits = FRAMES_MIN.find((minutes) => minutes * MINUTE_MS * columns >= spanMs);
  return (fits ?? 1_440) * MINUTE_MS;
}

/** Longer frames to try when the feed has no candles of this one. */
export function longerFrames(frameMs: number): readonly number[] {
  return FRAMES_MIN.map((minutes) => minutes * MINUTE_MS).filter((ms) => ms >= frameMs);
}

/** `1 min`, `4 h`, `1 d`. */
export function frameName(frameMs: number): string {
  const minutes = Math.round(frameMs / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1_440 ? `${minutes / 60} h` : `${minutes / 1_440} d`;
}

export function chartLines({ candles, lines, width, height }: ChartOptions): readonly Line[] {
  const known = lines.filter(({ price }) => Number(price) > 0);
  const wanted = Math.max(12, ...known.map((line) => labelOf(line).length + MORE));
  const labels = Math.min(26, Math.floor(width / 2), wanted);
  const columns = Math.max(0, width - labels - 3);
  const shown = candles.slice(Math.max(0, candles.length - columns));
  const range = rangeOf(shown, known);
  if (!range || height < 2) return [];
  const { low, high } = range;
  const row = (price: number) => Math.round(((high - price) / (high - low)) * (height - 1));
  const inside = known.filter(({ price }) => Number(price) <= high && Number(price) >= low);
  const placed: Placed[] = inside.map((line) => ({ line, row: row(Number(line.price)) }));
  const bars = shown.map((candle) => barOf(candle, row));
  const above = known.filter(({ price }) => Number(price) > high);
  const below = known.filter(({ price }) => Number(price) < low);
  return Array.from({ length: height }, (_, at) => {
    const here = placed.filter((entry) => entry.row === at).map(({ line }) => line);
    const beyond = at === 0 ? ['▲', above] : at === height - 1 ? ['▼', below] : null;
    return [
      span('  '),
      ...plotRow(bars, here[0], at, columns),
      span(' '),
      labelSpan(here, beyond as readonly [string, readonly ChartLine[]] | null, labels),
    ];
  });
}

/** Of the candles and the last price, and of the lines that are near enough. */
function rangeOf(candles: readonly Candle[], lines: readonly ChartLine[]) {
  const own = candles.flatMap(({ high, low }) => [Number(high), Number(low)]);
  const base = own.length > 0 ? own : lines.map(({ price }) => Number(price));
  if (base.length === 0) return null;
  let low = Math.min(...base);
  let high = Math.max(...base);
  const reach = Math.max((high - low) * REACH, high * 0.002);
  const near = lines
    .map(({ price }) => Number(price))
    .filter((price) => price >= low - reach && price <= high + reach);
  low = Math.min(low, ...near);
  high = Math.max(high, ...near);
  if (high > low) return { low, high };
  const edge = high * 0.001 || 1;
  return { low: low - edge, high: high + edge };
}

function barOf({ open, high, low, close }: Candle, row: (price: number) => number): Bar {
  const from = row(Number(open));
  const to = row(Number(close));
  return {
    top: row(Number(high)),
    bottom: row(Number(low)),
    bodyTop: Math.min(from, to),
    bodyBottom: Math.max(from, to),
    up: Number(close) >= Number(open),
  };
}

function plotRow(bars: readonly Bar[], line: ChartLine | undefined, at: number, columns: number): Span[] {
  const rest: Span = line ? span('─', line.tone) : span(' ');
  const cells: Span[] = Array.from({ length: Math.max(0, columns - bars.length) }, () => rest);
  for (const bar of bars) {
    if (at < bar.top || at > bar.bottom) cells.push(rest);
    else {
      const body = at >= bar.bodyTop && at <= bar.bodyBottom;
      cells.push(span(body ? (bar.up ? '█' : '▒') : '│', bar.up ? 'up' : 'down'));
    }
  }
  return joined(cells);
}

/** Neighbours of one style as one span. */
function joined(cells: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const part of cells) {
    const before = out.at(-1);
    if (before && before.tone === part.tone)
      out[out.length - 1] = { ...before, text: before.text + part.text };
    else out.push(part);
  }
  return out;
}

function labelOf({ text, name }: ChartLine): string {
  return `${text} ${name}`;
}

function labelSpan(
  here: readonly ChartLine[],
  beyond: readonly [string, readonly ChartLine[]] | null,
  width: number,
): Span {
  const [first] = here;
  if (first) {
    const more = here.length > 1 ? ` +${here.length - 1}` : '';
    return cell(labelOf(first) + more, width, 'left', first.tone);
  }
  const [sign, lines] = beyond ?? ['', []];
  if (lines.length === 0) return cell('', width, 'left');
  const names = [...new Set(lines.map(({ name }) => name))];
  return cell(`${sign} ${lines.length} ${names.length === 1 ? names[0] : 'more'}`, width, 'left', 'muted');
}
