/**
 * Small tables without a cursor: one line per row, aligned by cells, exactly of the given width and height,
 * whatever they contain.
 */

import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { Box, renderToString, Text } from 'ink';
import { describe, expect, it } from 'vitest';
import { type ConsoleContext, SessionContext } from '../../../src/console/app/context.ts';
import { newUi } from '../../../src/console/app/features.ts';
import { StillTable } from '../../../src/console/lists/StillTable.tsx';
import { type StillTableData, stillWidths } from '../../../src/console/lists/still-table.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';

const { strings } = JSON.parse(
  readFileSync(new URL('../../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
) as { strings: { s: string }[] };

const BEHIND = 140;

/** The table over a field of `~`, as drawn, and without its colours. */
function drawn(table: StillTableData, width: number, height: number): string[] {
  const context = { session: { ui: newUi(200, 50) } } as unknown as ConsoleContext;
  const text = renderToString(
    <SessionContext value={context}>
      <Box flexDirection="column" height={14} width={BEHIND}>
        {Array.from({ length: 14 }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
          <Text key={at}>{'~'.repeat(BEHIND)}</Text>
        ))}
        <Box position="absolute">
          <StillTable {...table} width={width} height={height} />
        </Box>
      </Box>
    </SessionContext>,
    { columns: BEHIND },
  );
  return stripVTControlCharacters(text).split('\n');
}

const PARTS: StillTableData = {
  columns: [{ title: 'price', align: 'right' }, { title: 'quantity', align: 'right' }, { title: 'note' }],
  rows: [
    [{ text: '61,000.00' }, { text: '0.5' }, { text: 'first' }],
    [{ text: '999.5' }, { text: '12,345.678' }, { text: '報告 λ', tone: 'ok' }],
    [{ text: '–' }, { text: '' }, { text: 'bell\u0007 \u202eleft', tone: 'danger' }],
  ],
};

describe('a still table', () => {
  it('has a line a row, numbers to the right, and covers its whole room', () => {
    expect(
      drawn(PARTS, 48, 6)
        .slice(0, 7)
        .map((line) => line.replace(/~{80,}/, '~')),
    ).toMatchInlineSnapshot(`
      [
        "     price    quantity  note                    ~",
        " 61,000.00         0.5  first                   ~",
        "     999.5  12,345.678  報告 λ                  ~",
        "         –              bell␇ �left             ~",
        "                                                ~",
        "                                                ~",
        "~",
      ]
    `);
  });

  it('cuts the widest column where there is no room, and says how many rows are missing', () => {
    expect(
      drawn(PARTS, 26, 3)
        .slice(0, 4)
        .map((line) => line.replace(/~{80,}/, '~')),
    ).toMatchInlineSnapshot(`
      [
        "     price  quantity  no… ~",
        " 61,000.00       0.5  fi… ~",
        " 2 more                   ~",
        "~",
      ]
    `);
  });

  it('leaves out columns at the end where not even a few cells of each fit', () => {
    expect(stillWidths(PARTS, 12)).toHaveLength(2);
    expect(stillWidths(PARTS, 4)).toEqual([]);
    expect(drawn(PARTS, 4, 2)[0]).toMatch(/^ {4}~+$/);
  });

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.replaceAll('~', '-')),
    fc.constantFrom(...strings.map(({ s }) => s)),
  );
  const tables = fc.integer({ min: 1, max: 6 }).chain((count) =>
    fc.record({
      columns: fc.array(
        fc.record({ title: text, align: fc.constantFrom('left' as const, 'right' as const) }),
        { minLength: count, maxLength: count },
      ),
      rows: fc.array(fc.array(fc.record({ text }), { minLength: count, maxLength: count }), { maxLength: 8 }),
    }),
  );

  it('is exactly as wide and high as told, and safe, whatever is in it', () => {
    fc.assert(
      fc.property(
        tables,
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 12 }),
        (table, width, height) => {
          const lines = drawn(table, width, height);
          for (const [at, line] of lines.entries()) {
            expect(cellWidth(line)).toBe(BEHIND);
            expect(cellWidth(line.replace(/~*$/, ''))).toBe(at < height ? width : 0);
          }
          expect(lines.join('')).toMatch(/^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]*$/u);
        },
      ),
      { numRuns: 200 },
    );
  });
});
