/** A compacted frame draws the same as the whole frame, and is shorter. */
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactFrame } from '../../../src/console/terminal/frame-diff.ts';

/** So wide that no line wraps. */
const [COLUMNS, ROWS] = [320, 6];

/** Every cell with its colours, and the cursor's place. */
async function drawn(writes: readonly string[]): Promise<string> {
  const terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    allowProposedApi: true,
    convertEol: true,
  });
  for (const text of writes) await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const cells: string[] = [`${active.cursorX} ${active.cursorY}`];
  for (let y = 0; y < ROWS; y++) {
    for (let x = 0; x < COLUMNS; x++) {
      const cell = active.getLine(y)?.getCell(x);
      // A blank looks the same in any foreground colour.
      const blank = cell?.getChars().trim() === '' && !cell.isInverse() && !cell.isUnderline();
      const look = [cell?.getBgColorMode(), cell?.getBgColor(), cell?.isInverse(), cell?.isUnderline()];
      const ink = blank ? [] : [cell?.getChars(), cell?.getFgColorMode(), cell?.getFgColor(), cell?.isBold()];
      cells.push([...look, ...ink].join());
    }
  }
  terminal.dispose();
  return cells.join('|');
}

const PARTS = [
  '\x1b[E',
  '\x1b[E',
  '\x1b[E',
  '\x1b[K',
  '\x1b[1G',
  '\x1b[12G',
  '\x1b[2A',
  '\n',
  '\n',
  '\x1b[H',
  '\x1b[J',
  '\x1b[39m',
  '\x1b[31m',
  '\x1b[38;2;1;2;3m',
  '\x1b[38;5;9m',
  '\x1b[1m',
  '\x1b[2m',
  '\x1b[22m',
  '\x1b[0m',
  '\x1b[41m',
  '\x1b[48;2;9;9;9m',
  '\x1b[49m',
  '\x1b[7m',
  '\x1b[27m',
  '\x1b[4m',
  '\x1b[24m',
  '\x1b[?2026h',
  'word',
  'x',
  '報告',
  ' ',
  '      ',
  '        ',
  ' a       b',
  '\x1b[G',
];

describe('squeeze', () => {
  it('changes nothing that is seen, whatever is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }), async (parts) => {
        const before = 'background '.repeat(20);
        const frame = parts.join('');
        expect(compactFrame(frame).length).toBeLessThanOrEqual(frame.length);
        const same = (await drawn([before, compactFrame(frame)])) === (await drawn([before, frame]));
        expect(same, JSON.stringify(compactFrame(frame))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('makes one step of many, and drops colours that colour nothing', () => {
    const frame = `\x1b[49A${'\x1b[E'.repeat(9)}\x1b[64G\x1b[K\x1b[31m\x1b[39m\x1b[32m\x1b[39m20 %${' '.repeat(9)}end\n${'\x1b[E'.repeat(39)}`;
    expect(compactFrame(frame)).toBe('\x1b[49A\x1b[9E\x1b[64G\x1b[K\x1b[39m20 %\x1b[9Cend\n\x1b[39E');
  });

  it('leaves blanks that are seen', () => {
    const painted = '\x1b[K\x1b[41mred        bar\x1b[49m';
    expect(compactFrame(painted)).toBe(painted);
    const over = '\x1b[5Gover        what was there';
    expect(compactFrame(over)).toBe(over);
  });
});
