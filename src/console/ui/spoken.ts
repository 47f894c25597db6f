/**
 * A line as a screen reader gets it: words instead of signs, no lines, boxes and charts, with commas between
 * the parts. Pure.
 */

import { withoutEnds } from '../../domain/text-ends.ts';
import { clean } from './clean.ts';
import type { Line } from './line.ts';

const WORDS: Readonly<Record<string, string>> = {
  '▲': 'up ',
  '▼': 'down ',
  '●': 'on',
  '○': 'off',
  '✓': 'good',
  '✗': 'wrong:',
  '–': 'none',
  '·': ', ',
  '→': 'to',
  '×': 'x',
  '…': '...',
  '↑': 'up',
  '↓': 'down',
  '←': 'left',
};
/** Lines, boxes, blocks, braille and triangles. */
const DRAWN = /[\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]/gu;
/** Glyphs that only charts use: lines with them contain nothing that can be read. */
const CHART = /[╷╵┃╽╿╹╻┊]|[\u2801-\u28ff]{2}/u;
/** The cursor of a list; in a choice it follows the value. */
const CURSOR = /^[\s│]*▸/u;
/** Blanks and commas; separators have two blanks in a row, or a comma with a blank. */
const BETWEEN = /[\s,]+/g;
const GAP = /\s\s|,\s/;
const ENDS = ' ,\t\n\u00a0';

/** Words and numbers that are read as they are written. */
const PLAIN = /^[\w.%+\-:/]+(?:[ ,][\w.%+\-:/]+)*$/;

/** The words of a line; empty when there is nothing to read. */
export function spokenLine(line: Line, selected = false): string {
  let text = '';
  for (const part of line) text += part.spoken ?? clean(part.text);
  if (CHART.test(text)) return '';
  const here = selected || CURSOR.test(text);
  const said = text
    .replace(/◂/gu, 'choice ')
    .replace(/[▲▼●○✓✗–·→×…↑↓←]/gu, (sign) => WORDS[sign] ?? sign)
    .replace(DRAWN, ' ')
    .replace(BETWEEN, (run) => (GAP.test(run) ? ', ' : run));
  const words = withoutEnds(said, ENDS)
    .replace(/:,/g, ':')
    .replace(/choice, /g, 'choice ');
  return here && words !== '' ? `selected: ${words}` : words;
}

/** A cell of a table with its column's title; empty for a blank cell, or one that is only a drawing. */
export function spokenCell(title: string, value: string): string {
  // Fast way for most cells: every table has hundreds per update.
  const said = PLAIN.test(value) ? value : spokenLine([{ text: value }]);
  if (said === '') return '';
  return title === '' ? `${said}, ` : `${title} ${said}, `;
}
