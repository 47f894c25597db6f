/** Two named values beside each other, as in the details of a row. */
import { type Line, lineWidth, span } from './line.ts';

/** Width of a name, in cells. */
export const NAME = 11;

/** One line with two named values. `width`: that of the whole line, in cells. */
export function two(width: number, left: [string, Line], right: [string, Line]): Line {
  const half = Math.floor(width / 2);
  return [
    span(`  ${left[0].padEnd(NAME)} `, 'muted'),
    ...left[1],
    span(' '.repeat(Math.max(2, half - NAME - 3 - lineWidth(left[1])))),
    span(`${right[0].padEnd(NAME)} `, 'muted'),
    ...right[1],
  ];
}
