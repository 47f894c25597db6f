/** Keeps the console divided by feature, and shows that the checks can fail. */
import { expect, it } from 'vitest';
import { consoleViolations, folderOf } from './console-layers.ts';
import { circlesOf, importGraph } from './cycles.ts';
import type { SourceFile } from './layers.ts';
import { sourceFiles } from './source-files.ts';

const file = (path: string, ...imports: readonly string[]): SourceFile => ({
  path: `console/${path}`,
  text: imports.map((specifier) => `import { x } from '${specifier}';`).join('\n'),
});

it('the console is divided by feature, along one order', () => {
  const files = sourceFiles();
  expect(files.map(({ path }) => path)).toContain('console/app/features.ts');
  expect(consoleViolations(files)).toEqual([]);
});

it('no files of the console need each other, but for types within a feature', () => {
  const files = sourceFiles().filter(({ path }) => path.startsWith('console/'));
  expect(circlesOf(importGraph(files, false))).toEqual([]);
  const withTypes = circlesOf(importGraph(files, true));
  expect(withTypes.filter((circle) => new Set(circle.map(folderOf)).size > 1)).toEqual([]);
});

it.each([
  ['lists/table.ts', '../orders/order-list.ts', 'share may not import console/orders/order-list.ts'],
  ['app/mount.tsx', '../bots/index.ts', 'share may not import console/bots/index.ts'],
  ['orders/forms.ts', '../palette/palette.ts', 'orders stands before palette'],
  ['bots/editor/rows.ts', '../../overview/summary.ts', 'bots stands before overview'],
])('%s may not import %s', (path, specifier, words) => {
  expect(consoleViolations([file(path, specifier)])).toEqual([expect.stringContaining(words)]);
});

it.each([
  ['app/features.ts', '../palette/index.ts'],
  ['palette/commands.ts', '../orders/commands.ts'],
  ['bots/editor/rows.ts', '../../lists/rows.ts'],
  ['bots/editor/rows.ts', '../bot-list.ts'],
  ['state/desk-mirror.ts', '../../desk/console/protocol.ts'],
])('%s may import %s', (path, specifier) => {
  expect(consoleViolations([file(path, specifier)])).toEqual([]);
});

it('a folder that is neither shared nor a feature is found', () => {
  expect(consoleViolations([file('model/words.ts')])).toEqual([
    'console/model/words.ts: is in no shared folder and in none of a feature',
  ]);
});
