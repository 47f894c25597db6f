/** No import cycles among the files of `src`: each can be read and understood without a cycle. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf, importGraph } from './cycles.ts';
import type { SourceFile } from './layers.ts';
import { sourceFiles } from './source-files.ts';

const sources = sourceFiles();

/** Files outside the console: the order of its features has its own test (`console-layers.test.ts`). */
const others = sources.filter(({ path }) => !path.startsWith('console/'));

describe('the sources', () => {
  it('know no circle at run time', () => {
    expect(circlesOf(importGraph(others, false))).toEqual([]);
  });

  it('know none across folders, types included', () => {
    const circles = circlesOf(importGraph(others, true));
    expect(circles.filter((circle) => new Set(circle.map((path) => dirname(path))).size > 1)).toEqual([]);
  });

  it('of bots know none at all', () => {
    const bots = sources.filter(({ path }) => path.startsWith('bots/'));
    expect(circlesOf(importGraph(bots, true))).toEqual([]);
  });
});

describe('a circle', () => {
  const files = (lines: Readonly<Record<string, string>>): SourceFile[] =>
    Object.entries(lines).map(([path, text]) => ({ path, text }));

  it('is found, whatever leads to it and away from it', () => {
    const found = circlesOf(
      importGraph(
        files({
          'a/one.ts': "import './two.ts';",
          'a/two.ts': "import '../b/three.ts'; import './leaf.ts';",
          'b/three.ts': "import '../a/one.ts';",
          'a/leaf.ts': '',
          'b/start.ts': "import '../a/one.ts';",
          'c/x.ts': "import './y.ts';",
          'c/y.ts': "import './x.ts';",
        }),
        false,
      ),
    );
    expect(found).toEqual([
      ['a/one.ts', 'a/two.ts', 'b/three.ts'],
      ['c/x.ts', 'c/y.ts'],
    ]);
  });

  it('of types alone is one where types count', () => {
    const typed = files({
      'a/one.ts': "import type { Two } from './two.ts';",
      'a/two.ts': "import { one } from './one.ts';",
    });
    expect(circlesOf(importGraph(typed, false))).toEqual([]);
    expect(circlesOf(importGraph(typed, true))).toEqual([['a/one.ts', 'a/two.ts']]);
  });
});
