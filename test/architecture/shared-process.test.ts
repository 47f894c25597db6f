/**
 * Test files share a process and its modules (vitest.config.ts): a hook or global that one file sets would be
 * missing from the next file, or stay for it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const TEST = fileURLToPath(new URL('..', import.meta.url));
const IS_TEST = /\.test\.tsx?$/;
/** Files that run anew for every test file. */
const SETUP = new Set(['support/chance.ts', 'support/every-file.ts']);

function problems(path: string, text: string): string[] {
  const found: string[] = [];
  if (!IS_TEST.test(path) && !SETUP.has(path) && /^(?:before|after)(?:Each|All)\(/m.test(text))
    found.push(`${path}: a hook of a module is of the first file only that loads it: use afterEachTest`);
  if (/\bvi\.(?:mock|doMock)\(/.test(text))
    found.push(`${path}: a module that others have loaded is not replaced: spy on what it exports`);
  return found;
}

describe('the tests in memory', () => {
  it('leave nothing in the process for one another', () => {
    const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
      .map((path) => path.split(sep).join('/'))
      .filter((path) => /\.tsx?$/.test(path) && !import.meta.url.endsWith(path));
    expect(files).toContain('support/chance.ts');
    expect(files.flatMap((path) => problems(path, readFileSync(join(TEST, path), 'utf8')))).toEqual([]);
  });

  it.each([
    ['e2e/support/desk.ts', 'afterAll(close);\n'],
    ['support/rig.ts', 'const made = [];\nafterEach(() => made.splice(0));\n'],
    ['api/bench.ts', 'beforeAll(open);\n'],
    ['api/some.test.ts', "vi.mock('node:fs');\n"],
  ])('would be found out: %s', (path, text) => {
    expect(problems(path, text)).toHaveLength(1);
  });

  it.each([
    ['api/some.test.ts', 'afterEach(close);\n'],
    ['console/rig-per-test.ts', 'export function rigPerTest() {\n  afterEach(close);\n}\n'],
  ])('may do as %s does', (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });
});
