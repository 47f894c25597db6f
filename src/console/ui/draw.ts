/**
 * A line as the text that a terminal draws: spans with their SGR codes, prebuilt so that a frame only copies
 * them. Pure, apart from a cache of pens.
 */
import { type Stroke, textOfStrokes } from '../terminal/drawing/cells.ts';
import { type Pen, plainPen } from '../terminal/drawing/pen.ts';
import { toAscii } from './glyphs.ts';
import { fitLine, type Line, type Span } from './line.ts';
import type { Style, Theme } from './theme.ts';

export interface DrawOptions {
  readonly theme: Theme;
  readonly ascii: boolean;
  /** Whether this is the row under the cursor; shown by a background, or inverse where there is no colour. */
  readonly selected: boolean;
  /** Whether blanks at the end cover what is behind the row; else they are left out. */
  readonly opaque: boolean;
}

const NAMED = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * The SGR parameters of a colour as a foreground (`38` and related) or a background; null for an unknown
 * colour.
 */
export function colourCode(color: string, background: boolean): string | null {
  const wide = background ? 48 : 38;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (hex) return [wide, 2, ...hex.slice(1).map((part) => Number.parseInt(part, 16))].join(';');
  const indexed = /^ansi256\((\d+)\)$/.exec(color);
  if (indexed) return `${wide};5;${indexed[1]}`;
  if (color === 'gray') return String(background ? 100 : 90);
  const bright = color.endsWith('Bright');
  const index = NAMED.indexOf(bright ? color.slice(0, -6) : color);
  if (index < 0) return null;
  return String((bright ? 90 : 30) + (background ? 10 : 0) + index);
}

type RowStyle = { readonly background: string | undefined; readonly inverse: boolean };

const BOLD = '\x1b[1m';
const DIM = '\x1b[2m';
const INVERSE = '\x1b[7m';

/** Cached pens of a theme's style on rows that are not selected: plain, bold, inverse, both. */
const pens = new WeakMap<Style, (Pen | undefined)[]>();

function penOfSpan(part: Span, style: Style, row: RowStyle): Pen {
  if (row.background !== undefined || row.inverse) return newPen(part, style, row);
  let own = pens.get(style);
  if (!own) {
    own = [undefined, undefined, undefined, undefined];
    pens.set(style, own);
  }
  const at = (part.bold ? 1 : 0) + (part.inverse ? 2 : 0);
  const pen = own[at] ?? newPen(part, style, row);
  own[at] = pen;
  return pen;
}

function newPen(part: Span, style: Style, row: RowStyle): Pen {
  let pen = plainPen();
  if (row.background !== undefined) pen = withColour(pen, colourCode(row.background, true));
  // An inverse row is one bar without coloured parts.
  if (style.color && !row.inverse) pen = withColour(pen, colourCode(style.color, false));
  if (style.dim) pen = pen.after(DIM);
  if (part.bold || style.bold) pen = pen.after(BOLD);
  return part.inverse || row.inverse ? pen.after(INVERSE) : pen;
}

function withColour(pen: Pen, code: string | null): Pen {
  return code === null ? pen : pen.after(`\x1b[${code}m`);
}

/** The drawn line in exactly `width` cells; shorter where the rest is blank and not `opaque`. */
export function drawLine(line: Line, width: number, options: DrawOptions): string {
  const { theme, ascii, selected } = options;
  const background = selected ? theme.styles.selected.color : undefined;
  const row = { background, inverse: selected && !background };
  const parts = fitLine(line, width);
  const strokes: Stroke[] = [];
  let pen = plainPen();
  let inverse = false;
  for (const part of options.opaque || selected ? parts : withoutTail(parts)) {
    const text = ascii ? toAscii(part.text) : part.text;
    // A blank looks the same in every colour, so gaps keep the current pen.
    const same = strokes.length > 0 && !part.inverse && !inverse && text.trim() === '';
    if (!same) pen = penOfSpan(part, theme.styles[part.tone ?? 'text'], row);
    strokes.push({ text, pen });
    inverse = part.inverse === true;
  }
  return textOfStrokes(strokes);
}

/** The line without blanks at its end, which draw nothing unless they are inverse. */
function withoutTail(line: Line): Line {
  const kept = [...line];
  for (let last = kept.pop(); last; last = kept.pop()) {
    const text = last.inverse ? last.text : last.text.trimEnd();
    if (text !== '') return [...kept, { ...last, text }];
  }
  return kept;
}
