/** The scanner and the documents on small texts: what they find and what they report. */
import { describe, expect, it } from 'vitest';
import {
  type CoverageDocument,
  doubledIds,
  renderDocument,
  staleWords,
  unknownIds,
  unproven,
} from './document.ts';
import { prefixed, section } from './item.ts';
import { type Proof, scanFile } from './scan.ts';

const scan = (...lines: string[]) => scanFile({ path: 'test/a.test.ts', text: lines.join('\n') });
const found = (...lines: string[]) => scan(...lines).proofs.map(({ id, titles }) => [id, ...titles]);

describe('the scanner', () => {
  it('takes every id of a marker, with the titles around the test', () => {
    expect(
      found(
        "describe('orders', () => {",
        "  describe('placing', () => {",
        '    // proves: endpoint POST /orders, S23',
        "    it('names the field', () => {});",
        '  });',
        '});',
      ),
    ).toEqual([
      ['endpoint POST /orders', 'orders', 'placing', 'names the field'],
      ['S23', 'orders', 'placing', 'names the field'],
    ]);
  });

  it('knows the groups that begin with a table', () => {
    expect(
      found(
        "describe('all', () => {",
        '  describe.each([',
        '    [1],',
        "  ])('of %i', (n) => {",
        '    it.each([',
        '      [2],',
        "    ])('other', () => {});",
        '    // proves: a',
        "    it('x', () => {});",
        '  });',
        '});',
      ),
    ).toEqual([['a', 'all', 'of %i', 'x']]);
  });

  it('takes several marker lines and other comments between marker and test', () => {
    expect(found('// proves: a', '// proves: b', '// and why', "test('x', () => {});")).toEqual([
      ['a', 'x'],
      ['b', 'x'],
    ]);
  });

  it('takes the case of a table that an id names in brackets, in the place of %s', () => {
    const table = ["it.each(['A', 'B'])('gives %s back', (code) => {});"];
    expect(found('// proves: x [A], y [B], z', ...table)).toEqual([
      ['x', 'gives A back'],
      ['y', 'gives B back'],
      ['z', 'gives %s back'],
    ]);
    expect(scan('// proves: x [C]', ...table).problems).toEqual([
      'test/a.test.ts:1: the case C stands nowhere in the file',
    ]);
    expect(scan('// proves: x [A]', "it('A', () => {});").problems).toEqual([
      'test/a.test.ts:1: a case needs a title with %s',
    ]);
  });

  it('takes a marked group as one proof', () => {
    expect(found('// proves: a', "describe('group', () => {", "  it('x', () => {});", '});')).toEqual([
      ['a', 'group'],
    ]);
  });

  it.each([
    ['a table', ['it.each([', "  ['(', 1 < 2],", '  [`)]`, () => 3],', "])('of %s', () => {});"], 'of %s'],
    ['a typed table', ["it.each<[string, Map<string, 'a'>]>([['x', m]])('typed', () => {});"], 'typed'],
    ['a tagged table', ['it.each`a | b', 'one | two', "`('tagged', () => {});"], 'tagged'],
    ['a condition', ['it.skipIf(a && !b)(', "  'on some',", '  () => {},', ');'], 'on some'],
    ['a condition and a table', ["it.skipIf(!a).each([1])('some of %i', () => {});"], 'some of %i'],
    ['options', ["it('slow', { timeout: 5 }, () => {});"], 'slow'],
    ['a title on its own line', ['it(', "  'further down',", '  withShared(1),', ');'], 'further down'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source text of a test
    ['a template', ['it(`of ${name}`, () => {});'], 'of ${name}'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source text of a test
    ['templates in a template', ['it(`a${b ? ` ${c}` : `d`} e`, () => {});'], 'a${b ? ` ${c}` : `d`} e'],
    ['quotes inside', ["it('the desk\\'s \"own\"', () => {});"], 'the desk\'s "own"'],
  ])('reads the title behind %s', (_what, lines, title) => {
    expect(found('// proves: a', ...lines)).toEqual([['a', title]]);
  });

  it.each([
    ['nothing below', ['// proves: a'], 'must stand right above'],
    ['something else below', ['// proves: a', 'const x = 1;'], 'must stand right above'],
    ['an empty line between', ['// proves: a', '', "it('x', () => {});"], 'must stand right above'],
    ['no ids', ['// proves:', "it('x', () => {});"], 'an empty id'],
    ['a comma too many', ['// proves: a,', "it('x', () => {});"], 'an empty id'],
    ['a title that is no string', ['// proves: a', 'it(name, () => {});'], 'no title in quotes'],
  ])('complains about %s', (_what, lines, words) => {
    expect(scan(...lines).problems).toEqual([expect.stringContaining(words)]);
    expect(scan(...lines).problems[0]).toMatch(/^test\/a\.test\.ts:1: /);
  });
});

describe('a document', () => {
  const document: CoverageDocument = {
    path: 'docs/x.md',
    title: 'X',
    intro: 'What X is.',
    items: [
      ...section('One', prefixed('error', { A: 'a | b', B: 'b' })),
      ...section('Two', { other: '(1) One of its own.' }),
    ],
  };
  const proof = (id: string, ...titles: string[]): Proof => ({ file: 'test/x.test.ts', line: 7, titles, id });

  it('misses what no test proves', () => {
    expect(unproven(document, [])).toEqual(['error A', 'error B', 'other']);
    expect(unproven(document, [proof('error A', 't')])).toEqual(['error B', 'other']);
  });

  it('does not know an id that no document has, nor one twice', () => {
    const other = { ...document, items: section('Three', { S1: 's', 'error A': 'again' }) };
    expect(unknownIds([document, other], [proof('S1', 't'), proof('S2', 't')])).toEqual([
      'test/x.test.ts:7: no document has the item "S2"',
    ]);
    expect(doubledIds([document, other])).toEqual(['error A']);
  });

  it('shows each item with the tests that prove it, once each', () => {
    const text = renderDocument(document, [
      proof('error A', 'group', 'a <b>'),
      proof('error A', 'group', 'a <b>'),
      proof('other', 'z'),
    ]);
    expect(text).toContain('3 points, 2 of them proved.');
    expect(text).toContain('| `error A` | a \\| b | `x.test.ts` › group › a &lt;b&gt; |\n');
    expect(text).toContain('| `error B` | b |  |\n');
    expect(text).toContain('## Two\n\n| item | what it says | proved by |');
    expect(renderDocument(document, [])).toContain('| `other` | (1) One of its own. |  |');
  });

  it('that is stale says how it is written', () => {
    expect(staleWords('docs/x.md')).toContain('node test/coverage/write.ts');
  });
});
