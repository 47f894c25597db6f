/** The head of a table names its sort, however narrow the column; counts are in English. */
import { describe, expect, it } from 'vitest';
import { headLine, type PlacedColumn, sortMark } from '../../../src/console/lists/table.ts';
import { counted } from '../../../src/console/ui/format.ts';

function head(title: string, width: number, reverse: boolean): string {
  const column = { title, cell: () => ({ text: '' }) } as unknown as PlacedColumn<object>['column'];
  const line = headLine([{ column, width }], sortMark(title, reverse));
  return line.map(({ text }) => text).join('');
}

describe('the head of the column that a table is sorted by', () => {
  it.each([
    ['time', 8, '  time ▼    '],
    ['side', 6, '  side ▼  '],
    ['side', 5, '  side▼  '],
    ['side', 4, '  sid▼  '],
    ['quantity', 3, '  qu▼  '],
  ])('%s in %i columns has its mark', (title, width, shown) => {
    expect(head(title, width, false)).toBe(shown);
    expect(head(title, width, true)).toBe(shown.replace('▼', '▲'));
  });
});

it.each([
  [0, '0 orders'],
  [1, '1 order'],
  [2, '2 orders'],
])('%i is counted as %s', (count, text) => {
  expect(counted(count, 'order')).toBe(text);
});
