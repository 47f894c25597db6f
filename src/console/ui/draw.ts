/**
 * A line as the text a terminal draws: spans with their SGR codes, prebuilt so that a frame only copies them. Pure.
 */
import { toAscii } from './glyphs.ts';
import { fitLine, type Line, type Span } from './line.ts';
import type { Style, Theme } from './theme.ts';

export interface DrawOptions {
  readonly theme: Theme;
  readonly ascii: boolean;
  /** The row under the cursor; shown by a background, or inverse where there is no colour. */
  readonly selected: boolean;
  /** Blanks at the end cover what is behind the row; without, they are left out. */
  readonly opaque: boolean;
}

const NAMED = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Of the colours of a few themes. */
const foregrounds = new Map<string, string | null>();
const MOST_COLOURS = 1_000;

/** As `colourCode`, found once: every span of every frame asks. */
function foregroundCode(color: string): string | null {
  const known = foregrounds.get(color);
  if (known !== undefined) return known;
  const code = colourCode(color, false);
  if (foregrounds.size >= MOST_COLOURS) foregrounds.clear();
  foregrounds.set(color, code);
  return code;
}

/** The colour's SGR parameters as a foreground (`38` and its kind) or a background; null for one nobody knows. */
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

type RowStyle = { readonly background?: string; readonly inverse: boolean };

function codesOf(part: Span, style: Style, row: RowStyle): { open: string; close: string } {
  let open = '';
  let close = '';
  const add = (start: string | null, end: number): void => {
    if (start === null) return;
    open += `\x1b[${start}m`;
    close = `\x1b[${end}m${close}`;
  };
  if (row.background) add(colourCode(row.background, true), 49);
  // An inverse row is one bar, not a patchwork.
  if (style.color && !row.inverse) add(foregroundCode(style.color), 39);
  if (style.dim) add('2', 22);
  if (part.bold || style.bold) add('1', 22);
  if (part.inverse || row.inverse) add('7', 27);
  return { open, close };
}

/** The line in exactly `width` cells; shorter where the rest is blank and not `opaque`. */
export function drawLine(line: Line, width: number, options: DrawOptions): string {
  const { theme, ascii, selected } = options;
  const background = selected ? theme.styles.selected.color : undefined;
  const row = { background, inverse: selected && !background };
  const parts = fitLine(line, width);
  let out = '';
  let now = { open: '', close: '' };
  let inverse = false;
  for (const part of options.opaque || selected ? parts : withoutTail(parts)) {
    const text = ascii ? toAscii(part.text) : part.text;
    // A blank looks the same in every colour: gaps do not change it.
    const same = out !== '' && !part.inverse && !inverse && text.trim() === '';
    const codes = same ? now : codesOf(part, theme.styles[part.tone ?? 'text'], row);
    if (codes.open !== now.open) out += now.close + codes.open;
    out += text;
    now = codes;
    inverse = part.inverse === true;
  }
  return out + now.close;
}

/** Without the blanks at the end, which draw nothing unless they are inverse. */
function withoutTail(line: Line): Line {
  const kept = [...line];
  for (let last = kept.pop(); last; last = kept.pop()) {
    const text = last.inverse ? last.text : last.text.trimEnd();
    if (text !== '') return [...kept, { ...last, text }];
  }
  return kept;
}
