/** Codes of an exchange as data: a code in no row proves nothing, and impossible rows are refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodeRow, CodeTable } from '../../../src/venues/kit/code-table.ts';

const ROWS: readonly CodeRow[] = [
  {
    code: '-2010',
    of: ['submit'],
    words: /insufficient balance/i,
    outcome: 'rejected',
    reason: 'BALANCE',
    source: 'a',
  },
  { code: '-2010', of: ['submit'], outcome: 'rejected', reason: 'OTHER', source: 'a' },
  { code: '-2011', of: ['cancel', 'amend'], outcome: 'gone', source: 'a' },
  { code: '-2013', of: ['query'], outcome: 'absent', source: 'a' },
  { code: '-1007', outcome: 'unknown', source: 'a' },
];
const table = new CodeTable(ROWS);

describe('a code', () => {
  it.each([
    [
      'submit',
      -2010,
      'Account has insufficient balance.',
      { kind: 'rejected', reason: 'BALANCE', code: '-2010' },
    ],
    ['submit', '-2010', 'no', { kind: 'rejected', reason: 'OTHER', message: 'no' }],
    ['cancel', -2011, 'Unknown order sent.', { kind: 'gone' }],
    ['query', -2013, 'x', { kind: 'absent' }],
    ['submit', -1007, 'timeout', { kind: 'unknown', cause: 'timeout (-1007)' }],
    // Rows of another request do not apply to this one.
    ['submit', -2013, 'x', { kind: 'unknown' }],
    ['submit', -2011, 'x', { kind: 'unknown' }],
    ['query', -2010, 'x', { kind: 'unknown' }],
  ] as const)('of a %s that is %s "%s"', (request, code, message, meaning) => {
    expect(table.meaning(request, { code, message })).toMatchObject(meaning);
  });

  it('that is in no row is unknown, never rejected, whatever its words say', () => {
    const known = new Set(ROWS.map(({ code }) => code));
    const requests = fc.constantFrom(
      'submit' as const,
      'cancel' as const,
      'amend' as const,
      'query' as const,
    );
    const codes = fc
      .oneof(fc.integer(), fc.string({ unit: 'binary' }))
      .filter((code) => !known.has(String(code)));
    fc.assert(
      fc.property(
        requests,
        codes,
        fc.string({ unit: 'binary', maxLength: 500 }),
        (request, code, message) => {
          const meaning = table.meaning(request, { code, message: `insufficient balance ${message}` });
          expect(meaning.kind).toBe('unknown');
          expect(/\p{Cc}/u.test(JSON.stringify(meaning))).toBe(false);
          expect(JSON.stringify(meaning).length).toBeLessThan(1_500);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    [{ code: '1', outcome: 'rejected', reason: 'OTHER', source: '' }, 'has no source'],
    [{ code: '1', of: ['submit'], outcome: 'gone', source: 'a' }, 'a submit cannot be gone'],
    [{ code: '1', of: ['submit'], outcome: 'absent', source: 'a' }, 'a submit cannot be absent'],
    [{ code: '1', of: ['cancel'], outcome: 'absent', source: 'a' }, 'a cancel cannot be absent'],
    [
      { code: '1', of: ['query'], outcome: 'rejected', reason: 'OTHER', source: 'a' },
      'a query cannot be rejected',
    ],
    [{ code: '1', of: ['submit'], outcome: 'rejected', source: 'a' }, 'a reason goes with rejected'],
    [{ code: '1', outcome: 'unknown', reason: 'OTHER', source: 'a' }, 'a reason goes with rejected'],
    [{ code: '-2011', of: ['cancel'], outcome: 'unknown', source: 'a' }, 'is in the table twice'],
  ] as const)('has no row that cannot be so: %j', (row, words) => {
    expect(() => new CodeTable([...ROWS, row as CodeRow])).toThrow(words);
  });
});
