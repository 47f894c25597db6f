/**
 * Lines of the screen as data: spans with a semantic tone. Everything the console draws is made of these, so
 * that `clean()` and the cell widths are applied in one place (`Row`). Pure.
 */

import type { CommandId } from '../input/binding.ts';
import { cellWidth, clean, NARROW, padTo } from './clean.ts';
import type { Token } from './theme.ts';

export interface Span {
  readonly text: string;
  readonly tone?: Token;
  readonly bold?: boolean;
  readonly inverse?: boolean;
  /** The text names the usual key of this command; the user's own key is shown instead. */
  readonly command?: CommandId;
  /** Text read aloud instead; empty: nothing is read. */
  readonly spoken?: string;
}

export type Line = readonly Span[];

export function span(text: string, tone?: Token, more?: { bold?: boolean; inverse?: boolean }): Span {
  return { text, tone, ...more };
}

/**
 * A text that names the usual key of a command (`n`, `ctrl-r reviews`); where it is drawn, the user's own key
 * replaces it.
 */
export function keyed(command: CommandId, text: string, tone: Token = 'key'): Span {
  return { text, tone, command };
}

export const BLANK: Line = [];

export function lineWidth(line: Line): number {
  let sum = 0;
  for (const { text } of line) sum += cellWidth(clean(text));
  return sum;
}

/**
 * The line cut to `width` cells and padded with blanks to exactly that. Cleans every span and joins
 * neighbours of the same style.
 */
export function fitLine(line: Line, width: number): Line {
  const out: Span[] = [];
  let left = width;
  for (const part of line) {
    if (left <= 0) break;
    const fits = part.text.length <= left && NARROW.test(part.text);
    const text = fits ? part.text : clean(part.text, left);
    if (text === '') continue;
    const last = out.at(-1);
    if (last && last.tone === part.tone && last.bold === part.bold && last.inverse === part.inverse) {
      out[out.length - 1] = { ...last, text: last.text + text };
    } else out.push({ ...part, text });
    left -= fits ? text.length : cellWidth(text);
  }
  if (left > 0) out.push({ text: ' '.repeat(left) });
  return out;
}

/** Cells of a drawing, one per column; neighbours of the same style become one span. */
export function joined(columns: number, cellAt: (column: number) => Span): Span[] {
  const out: Span[] = [];
  let open: Span | null = null;
  let text = '';
  const close = (): void => {
    if (open) out.push(open.text === text ? open : { ...open, text });
  };
  for (let column = 0; column < columns; column++) {
    const part = cellAt(column);
    if (open && open.tone === part.tone && open.bold === part.bold) text += part.text;
    else {
      close();
      [open, text] = [part, part.text];
    }
  }
  close();
  return out;
}

/** `left` and `right` on one line of `width` cells; the left one is cut where both do not fit. */
export function spread(left: Line, right: Line, width: number): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth === 0) return fitLine(left, width);
  if (rightWidth + 1 >= width) return fitLine(right, width);
  return [...fitLine(left, width - rightWidth), ...right];
}

/** A horizontal rule with a title: `─ Orders ───────── 12 open ─`. */
export function rule(title: string, info: Line, width: number, focused = false): Line {
  const head: Span[] = [
    span('─ ', focused ? 'focus' : 'border'),
    span(clean(title), focused ? 'focus' : 'title'),
  ];
  const tail = info.length > 0 ? [span(' ', 'border'), ...info, span(' ─', 'border')] : [];
  const fill = width - lineWidth(head) - lineWidth(tail) - 1;
  if (fill < 1) return fitLine(head, width);
  return [...head, span(' ', 'border'), span('─'.repeat(fill), focused ? 'focus' : 'border'), ...tail];
}

export function cell(text: string, width: number, align: 'left' | 'right', tone?: Token): Span {
  return { text: padTo(clean(text), width, align), tone };
}

/** Wraps the words of a text into lines of at most `width` cells; a longer word is broken. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of clean(text).split(' ')) {
    if (line !== '' && cellWidth(line) + 1 + cellWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
    const parts = breakText(line, width);
    line = parts.pop() ?? '';
    lines.push(...parts);
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** A clean text in parts of at most `width` cells, each with at least one character. */
export function breakText(text: string, width: number): string[] {
  if (cellWidth(text) <= width) return [text];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const char of text) {
    const cells = cellWidth(char);
    if (part !== '' && used + cells > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += char;
    used += cells;
  }
  return [...parts, part];
}
