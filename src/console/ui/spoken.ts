/**
 * A line as a screen reader is given it: words instead of signs, no lines, boxes and charts, parts with commas between
 * them. Pure.
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
/** Only charts are drawn with these: their lines say nothing that can be read. */
const CHART = /[╷╵┃╽╿╹╻┊]|[\u2801-\u28ff]{2}/u;
/** The cursor of a list; in a choice it stands behind the value. */
const CURSOR = /^[\s│]*▸/u;
/** Blanks and commas; those that part something have blanks side by side, or a comma with a blank. */
const BETWEEN = /[\s,]+/g;
const GAP = /\s\s|,\s/;
const ENDS = ' ,\t\n\u00a0';

/** Words and numbers that are said as they are written. */
const PLAIN = /^[\w.%+\-:/]+(?:[ ,][\w.%+\-:/]+)*$/;

/** Empty when there is nothing to be said. */
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

/** A cell of a table with its column's title; nothing when the cell is drawn only, or blank. */
export function spokenCell(title: string, value: string): string {
  // Most cells are, and every table has hundreds a tick.
  const said = PLAIN.test(value) ? value : spokenLine([{ text: value }]);
  if (said === '') return '';
  return title === '' ? `${said}, ` : `${title} ${said}, `;
}
