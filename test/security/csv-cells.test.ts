/**
 * No cell of an export begins a formula, whichever separator a spreadsheet uses and whether or not it knows
 * quotes; numbers remain numbers and every other character remains.
 */
import { expect, it } from 'vitest';
import { csvCell, csvLine } from '../../src/domain/csv.ts';
import { attacked } from '../support/attacks.ts';

const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
const NUMBER = /^-?\d+(\.\d+)?$/;

const ATTACKS = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '\0=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '\u200b=1+1',
  '\ufeff=1+1',
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0d1+1',
  '\uff20SUM(A1)',
  'a;=1+1',
  'a; =1+1',
  'a\t=1+1',
  'a\n=1+1',
  'a|=1+1',
  'a","=1+1',
  '";=1+1',
  "'\n=cmd|' /C calc'!A0",
];

/** Reads cells like a spreadsheet that accepts quotes at the beginning of a cell (RFC 4180). */
function read(text: string, separator: string): string[] {
  const cells = [''];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const last = cells.length - 1;
    if (quoted) {
      if (char !== '"') cells[last] += char;
      else if (text[i + 1] === '"') {
        cells[last] += char;
        i++;
      } else quoted = false;
    } else if (char === '"' && cells[last] === '') quoted = true;
    else if (char === separator || char === '\n' || char === '\r') cells.push('');
    else cells[last] += char;
  }
  return cells;
}

it('begins no formula', () => {
  let held = 0;
  for (const attack of ATTACKS) {
    for (const line of [csvLine([attack]), csvLine(['a', attack, 'b']), csvLine([1, attack])]) {
      const cells = [
        ...[',', ';', '\t'].flatMap((separator) => read(line, separator)),
        ...line.split(/[;\t\r\n|]/),
      ];
      const begun = cells.filter((cell) => FORMULA.test(cell) && !NUMBER.test(cell));
      expect({ attack, begun }).toEqual({ attack, begun: [] });
    }
    expect(read(csvCell(attack), ',').join('').replaceAll("'", '')).toBe(attack.replaceAll("'", ''));
    held += 1;
  }
  attacked('CSV cells', ATTACKS.length, held);
});

it.each([
  ['-1.5', '-1.5'],
  [-2, '-2'],
  ['BTCUSDT', 'BTCUSDT'],
  ['a-b = c', 'a-b = c'],
  ['2026-01-05', '2026-01-05'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  [true, 'true'],
  ['', ''],
])('%j stays as it is: %s', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
