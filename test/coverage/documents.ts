/** The coverage documents there are, and the test files their proofs come from. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_ITEMS } from './api-items.ts';
import type { CoverageDocument } from './document.ts';
import type { TestFile } from './scan.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const DOCUMENTS: readonly CoverageDocument[] = [
  {
    path: 'docs/api-coverage.md',
    title: 'The API, point by point, and the tests that prove it',
    intro:
      'Each row is a point of the API’s specification or of what was decided where it is silent. The tests named beside it fail when that point does not hold; they carry a comment `// proves:` with the item.',
    items: API_ITEMS,
  },
];

/** How ids begin that a document still to come will have: that of the strategies of bots. */
export const AWAITED: readonly string[] = ['bot '];

/** Every test of the repository, in a fixed order. */
export function testFiles(): TestFile[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => `test/${path.split(sep).join('/')}`)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Absolute path of a file of the repository. */
export function inRepository(path: string): string {
  return join(ROOT, path);
}
