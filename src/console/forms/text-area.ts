/** An editable text of several lines: its cursor, what keys do to it, and undo. Pure. */

export interface TextArea {
  readonly text: string;
  /** The cursor's index in `text`. */
  readonly at: number;
  /** The column to which up and down return after shorter lines. */
  readonly column: number | null;
  /** The last change was a typed character: a further one belongs to the same undo step. */
  readonly typing: boolean;
  /** Earlier texts for undo, newest last. */
  readonly undo: readonly { readonly text: string; readonly at: number }[];
}

export const MAX_AREA = 64 * 1024;
const MAX_UNDO = 100;
const TAB = '  ';

export function areaOf(text: string): TextArea {
  return { text: areaText(text), at: 0, column: null, typing: false, undo: [] };
}

/** Cleans text for an area: line ends are the only invisible characters that stay. */
export function areaText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll('\t', TAB)
    .replace(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .slice(0, MAX_AREA);
}

function changed(area: TextArea, text: string, at: number, typing = false): TextArea {
  if (text === area.text) return { ...area, at, column: null, typing: false };
  const step = { text: area.text, at: area.at };
  const undo = typing && area.typing ? area.undo : [...area.undo, step].slice(-MAX_UNDO);
  return { text, at, column: null, typing, undo };
}

/** Inserts typed or pasted text at the cursor; changes nothing if there is no room for it. */
export function insert(area: TextArea, raw: string): TextArea {
  const piece = areaText(raw);
  if (area.text.length + piece.length > MAX_AREA) return area;
  const text = area.text.slice(0, area.at) + piece + area.text.slice(area.at);
  return changed(area, text, area.at + piece.length, /^\S$/.test(piece));
}

/** Inserts a new line with the indent of the line before. */
export function breakLine(area: TextArea): TextArea {
  const start = lineStart(area.text, area.at);
  const indent = /^ */.exec(area.text.slice(start, area.at))?.[0] ?? '';
  return insert(area, `\n${indent}`);
}

/** Replaces the whole text; undo restores the old one. */
export function replace(area: TextArea, text: string): TextArea {
  return changed(area, areaText(text), 0);
}

export function eraseBefore(area: TextArea): TextArea {
  const from = before(area.text, area.at);
  return changed(area, area.text.slice(0, from) + area.text.slice(area.at), from);
}

export function eraseAfter(area: TextArea): TextArea {
  return changed(area, area.text.slice(0, area.at) + area.text.slice(after(area.text, area.at)), area.at);
}

export function undone(area: TextArea): TextArea {
  const last = area.undo.at(-1);
  return last ? { ...last, column: null, typing: false, undo: area.undo.slice(0, -1) } : area;
}

export type AreaMove = 'left' | 'right' | 'start' | 'end';

export function moved(area: TextArea, where: AreaMove): TextArea {
  const { text, at } = area;
  const to = {
    left: () => before(text, at),
    right: () => after(text, at),
    start: () => lineStart(text, at),
    end: () => lineEnd(text, at),
  }[where]();
  return { ...area, at: to, column: null, typing: false };
}

/** Moves the cursor up (negative) or down by lines, in the same column if the line is long enough. */
export function movedLines(area: TextArea, by: number): TextArea {
  const lines = area.text.split('\n');
  const { row, column } = cursorOf(area);
  const wanted = area.column ?? column;
  const to = Math.min(Math.max(row + by, 0), lines.length - 1);
  const start = lines.slice(0, to).reduce((sum, line) => sum + line.length + 1, 0);
  const line = [...(lines[to] ?? '')];
  return { ...area, at: start + line.slice(0, wanted).join('').length, column: wanted, typing: false };
}

/** Line and column (characters) of the cursor, from 0. */
export function cursorOf({ text, at }: TextArea): { row: number; column: number } {
  const rows = text.slice(0, at).split('\n');
  return { row: rows.length - 1, column: [...(rows.at(-1) ?? '')].length };
}

/** Moves the cursor to the beginning of a line, from 0. */
export function atLine(area: TextArea, row: number): TextArea {
  return { ...movedLines({ ...area, at: 0, column: 0 }, row), column: null };
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Returns the position before a character, which is never cut in two. */
function before(text: string, at: number): number {
  if (at === 0) return 0;
  return at - (isLow(text, at - 1) ? 2 : 1);
}

function after(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return at + (isLow(text, at + 1) ? 2 : 1);
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
