/** The program's own drawing gives the same result as Ink and its libraries. */
import { fileURLToPath } from 'node:url';
import { styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it, vi } from 'vitest';
import { narrowLineUpdate } from '../../../src/console/terminal/drawing/line-update.ts';
import { isNarrow, isPrintable, narrowWidth } from '../../../src/console/terminal/drawing/narrow.ts';
import { Output } from '../../../src/console/terminal/drawing/output.ts';
import { Recent } from '../../../src/console/terminal/drawing/recent.ts';
import { compactFrame } from '../../../src/console/terminal/frame-diff.ts';
import { linePair, narrowText, type Operation, oddText, operations } from './samples.ts';

const RUNS = { numRuns: 2_000 };

type Lines = { default: (previous: string, next: string, columns?: number) => string };
const inks = fileURLToPath(new URL('../../../node_modules/ink/build/', import.meta.url));
const { default: InksOutput } = (await import(`${inks}output.js`)) as { default: typeof Output };
const { default: inksLineUpdate } = (await import(`${inks}line-update.js`)) as Lines;
const { default: inksSanitized } = (await import(`${inks}sanitize-ansi.js`)) as {
  default: (text: string) => string;
};
const { default: inksWidth } = (await import(`${inks}../node_modules/string-width/index.js`)) as {
  default: (text: string) => number;
};

/**
 * A frame by the content and style of each cell; the order of its codes and the form of their sequences do
 * not count.
 */
function shown(frame: string): unknown {
  return frame
    .split('\n')
    .map((line) =>
      styledCharsFromTokens(tokenize(line)).map(({ value, styles }) => [
        value,
        styles.map(({ code }) => code).sort(),
      ]),
    );
}

function draw(Class: typeof Output, list: readonly Operation[]): string {
  const output = new Class({ width: 24, height: 5 });
  for (const operation of list) {
    if (operation.kind === 'clip') output.clip(operation.clip);
    else if (operation.kind === 'unclip') output.unclip();
    else {
      const { x, y, text, marked } = operation;
      output.write(x, y, text, { transformers: marked ? [(line, index) => `${index}\x1b[4m>${line}`] : [] });
    }
  }
  return output.get().output;
}

describe('a frame', () => {
  it('is as Ink draws it: overlapping, clipped and transformed texts, wide characters cut in two', () => {
    fc.assert(
      fc.property(operations, (list) => {
        expect(shown(draw(Output, list))).toEqual(shown(draw(InksOutput, list)));
      }),
      RUNS,
    );
  });

  it('is the same text when it is drawn again', () => {
    fc.assert(fc.property(operations, (list) => void expect(draw(Output, list)).toBe(draw(Output, list))));
  });
});

describe('the frames after it', () => {
  const rows = fc.array(linePair, { minLength: 3, maxLength: 3 });

  it('are drawn and told apart as frames of lines that nobody has seen before', async () => {
    const frameOf = (Class: typeof Output, lines: readonly string[]): string => {
      const output = new Class({ width: 60, height: 3 });
      for (const [y, line] of lines.entries())
        output.write(0, y, ' '.repeat(60), { transformers: [() => line] });
      return output.get().output;
    };
    await fc.assert(
      fc.asyncProperty(rows, async (pairs) => {
        const [before, after] = [
          frameOf(
            Output,
            pairs.map(([line]) => line),
          ),
          frameOf(
            Output,
            pairs.map(([, line]) => line),
          ),
        ];
        expect(shown(after)).toEqual(
          shown(
            frameOf(
              InksOutput,
              pairs.map(([, line]) => line),
            ),
          ),
        );
        const last = after.split('\n');
        for (const [row, line] of before.split('\n').entries()) {
          const next = last[row] ?? '';
          const update = narrowLineUpdate(line, next, 60);
          if (update !== null) expect(await onScreen(line, update)).toEqual(await onScreen(next));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('what was used lately', () => {
  it('is kept while it is asked for, and never more than twice the bound', () => {
    const recent = new Recent<number, string>(10);
    for (let key = 0; key < 1_000; key++) {
      recent.set(key, `${key}`);
      expect(recent.get(key)).toBe(`${key}`);
      expect(recent.get(0)).toBe('0');
    }
    const kept = Array.from({ length: 1_000 }, (_, key) => key).filter(
      (key) => recent.get(key) !== undefined,
    );
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toContain(999);
  });
});

describe('a text of blanks and ASCII', () => {
  it('is taken as it is where Ink would find nothing to take out of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), narrowText), (text) => {
        if (isPrintable(text)) expect(inksSanitized(text)).toBe(text);
      }),
      RUNS,
    );
    expect(isPrintable(' '.repeat(200))).toBe(true);
  });
});

describe('a narrow text', () => {
  it('is made of characters that take one cell each and join no other', () => {
    const narrow = Array.from({ length: 0x1_0000 }, (_, unit) => unit).filter(isNarrow);
    expect(narrow.length).toBeGreaterThan(400);
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    for (const unit of narrow) {
      const char = String.fromCharCode(unit);
      for (const text of [char, `a${char}`, `${char}─`, `⣿${char}${char}`]) {
        const cells = text.length;
        expect([text, stringWidth(text), inksWidth(text)]).toEqual([text, cells, cells]);
        expect([...segmenter.segment(text)]).toHaveLength(cells);
        expect(tokenize(text).every((token) => token.type === 'char' && !token.fullWidth)).toBe(true);
      }
    }
  });

  it('has the width that Unicode gives it; an odd one has none', () => {
    fc.assert(
      fc.property(fc.oneof(narrowText, oddText, fc.string({ unit: 'binary' })), (text) => {
        const width = narrowWidth(text);
        if (width >= 0) expect([width, width]).toEqual([stringWidth(text), inksWidth(text)]);
      }),
      RUNS,
    );
    fc.assert(fc.property(narrowText, (text) => void expect(narrowWidth(text)).toBe(stringWidth(text))));
  });
});

/** A line of an emulator after some texts: each cell with its style. */
async function onScreen(...texts: string[]): Promise<unknown> {
  const terminal = new xterm.Terminal({ cols: 60, rows: 2, allowProposedApi: true });
  for (const text of texts) await new Promise<void>((done) => terminal.write(text, done));
  const line = terminal.buffer.active.getLine(0);
  return Array.from({ length: 60 }, (_, at) => {
    const cell = line?.getCell(at);
    const drawn = [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isDim(), cell?.isInverse()];
    return [cell?.getChars() || ' ', ...drawn, cell?.isUnderline()];
  });
}

describe('a changed line', () => {
  it('is then as if it had been written on an empty screen', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(linePair, async ([previous, next]) => {
        const update = narrowLineUpdate(previous, next, 60);
        if (update === null) return;
        asked++;
        // The text after it is drawn without any style.
        const after = '\x1b[60Gx';
        expect(await onScreen(previous, compactFrame(update), after)).toEqual(await onScreen(next, after));
      }),
      { numRuns: 500 },
    );
    expect(asked).toBeGreaterThan(250);
  });

  it('takes no more bytes than Ink takes', () => {
    fc.assert(
      fc.property(linePair, ([previous, next]) => {
        const update = narrowLineUpdate(previous, next, 200);
        if (update !== null) expect(update.length).toBeLessThanOrEqual(inksLineUpdate('', next, 200).length);
      }),
    );
  });

  it('is written by the parts that differ, and by nothing between them', async () => {
    // Styles keep their identity in this test: the cache starts empty and holds none of other tests.
    vi.resetModules();
    const anew = await import('../../../src/console/terminal/drawing/line-update.ts');
    const row = (price: string, change: string) =>
      `▸ BTCUSDT  \x1b[32mBUY\x1b[39m  LIMIT   ${price}   0.50000000   \x1b[31m${change} %\x1b[39m   resting`;
    const update = anew.narrowLineUpdate(row('102,000.00', '-1.00'), row('102,001.00', '-1.02'), 200);
    expect(update).toBe('\x1b[31G1\x1b[55G\x1b[31m2\x1b[39m');
  });

  it('is left to Ink when it is odd or wider than the terminal', () => {
    expect(narrowLineUpdate('漢a', '漢b', 80)).toBeNull();
    expect(narrowLineUpdate('abc', 'abd', 2)).toBeNull();
    expect(narrowLineUpdate('abc', 'abd', undefined)).toBeNull();
  });
});
