/**
 * Panels below the candles of a chart, with one column per candle: bars from zero (volume) or a line in a
 * fixed range (an oscillator), with a name and the value of the candle under the crosshair, or of the newest.
 * Exactly as wide and high as asked. Pure.
 */
import { brailleRows } from './chart-line.ts';
import { type Range, rangeOf } from './chart-scale.ts';
import { cell, fitLine, joined, type Line, type Span, span } from './line.ts';
import type { Token } from './theme.ts';

export interface ChartPanel {
  readonly name: string;
  /** One value per candle; a value that is not finite leaves a gap. */
  readonly values: readonly number[];
  /** Height in rows. */
  readonly height: number;
  /** `columns`: bars from zero to the value. */
  readonly as: 'columns' | 'line';
  /** Range of a line. @default that of the values shown */
  readonly range?: Range;
  readonly tone?: Token;
  /** Formats a value. */
  readonly text: (value: number) => string;
}

/** A visible candle: its index among all, and whether it rose. */
export interface PanelColumn {
  readonly nth: number;
  readonly rises: boolean;
}

const LEVELS = [...' ▁▂▃▄▅▆▇█'];
const RISING = LEVELS.map((level) => span(level, 'up'));
const FALLING = LEVELS.map((level) => span(level, 'down'));
const NOTHING = span(' ');

/**
 * The rows of a panel. `columns`: width of the candles; `at`: index of the visible candle under the
 * crosshair.
 */
export function panelLines(
  panel: ChartPanel,
  window: readonly PanelColumn[],
  { columns, at, width }: { readonly columns: number; readonly at: number | null; readonly width: number },
): readonly Line[] {
  const shown = window.map(({ nth }) => panel.values[nth] ?? Number.NaN);
  const drawn = panel.as === 'columns' ? columnRows(panel, window, shown) : lineRows(panel, shown);
  const value = shown[at ?? shown.length - 1];
  const label = value === undefined || !Number.isFinite(value) ? '' : panel.text(value);
  const left = ' '.repeat(Math.max(0, columns - window.length));
  return drawn.map((spans, row) => {
    const gutter = width - columns - 1;
    const name: Line =
      row === 0 && gutter > 0
        ? [span(' '), cell(`${panel.name} ${label}`, gutter, 'left', panel.tone ?? 'muted')]
        : [];
    return fitLine([span(left), ...spans, ...name], width);
  });
}

function columnRows(
  { height }: ChartPanel,
  window: readonly PanelColumn[],
  shown: readonly number[],
): readonly (readonly Span[])[] {
  const most = shown.reduce((high, value) => (value > high ? value : high), 0);
  const eighths = shown.map((value) =>
    most > 0 && value > 0 ? Math.max(1, Math.round((value / most) * height * 8)) : 0,
  );
  return Array.from({ length: height }, (_, row) => {
    const ground = (height - 1 - row) * 8;
    return joined(shown.length, (index) => {
      const level = Math.min(8, Math.max(0, (eighths[index] ?? 0) - ground));
      return (window[index]?.rises ? RISING : FALLING)[level] ?? NOTHING;
    });
  });
}

function lineRows({ height, range, tone }: ChartPanel, shown: readonly number[]): readonly Line[] {
  const ends = range ?? rangeOf(shown);
  if (!ends || shown.length === 0)
    return Array.from({ length: height }, () => [span(' '.repeat(shown.length))]);
  return brailleRows(shown, ends, shown.length, height).map((text) => [span(text, tone ?? 'text')]);
}
