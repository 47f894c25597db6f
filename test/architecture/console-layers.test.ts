/** Keeps the console divided by feature, and shows that the checks can fail. */
import { expect, it } from 'vitest';
import { circles, consoleViolations } from './console-layers.ts';
import type { SourceFile } from './layers.ts';
import { sourceFiles } from './source-files.ts';

const file = (path: string, ...imports: readonly string[]): SourceFile => ({
  path: `console/${path}`,
  text: imports.map((specifier) => `import { x } from '${specifier}';`).join('\n'),
});

it('the console is divided by feature, along one order, without circles', () => {
  const files = sourceFiles();
  expect(files.map(({ path }) => path)).toContain('console/app/features.ts');
  expect(consoleViolations(files)).toEqual([]);
  expect(circles(files)).toEqual([]);
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

it('circles are found: any at run time, and through types those that lead out of a folder', () => {
  const types = (path: string, specifier: string): SourceFile => ({
    path: `console/${path}`,
    text: `import type { X } from '${specifier}';`,
  });
  expect(circles([file('ui/a.ts', './b.ts'), file('ui/b.ts', './c.ts'), file('ui/c.ts', './a.ts')])).toEqual([
    'a circle at run time: console/ui/a.ts, console/ui/b.ts, console/ui/c.ts',
  ]);
  expect(circles([types('ui/a.ts', './b.ts'), file('ui/b.ts', './a.ts')])).toEqual([]);
  expect(circles([types('ui/a.ts', '../lists/b.ts'), file('lists/b.ts', '../ui/a.ts')])).toEqual([
    'a circle across folders: console/lists/b.ts, console/ui/a.ts',
  ]);
  expect(circles([file('ui/a.ts', './b.ts'), file('ui/b.ts', './c.ts'), file('ui/c.ts')])).toEqual([]);
});
