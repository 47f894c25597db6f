/** docs/limits.md names constants that are there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const rows = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, what = '', bound = '', constant = '', beyond = '']) => ({ what, bound, constant, beyond }));

describe('docs/limits.md', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('$what: says its bound, its constant and what happens beyond it', (row) => {
    expect(row.bound).toMatch(/\d/);
    expect(row.beyond).not.toBe('');
    const [, file = '', names = ''] = /^`(src\/\S+)` (`.*`)$/.exec(row.constant) ?? [];
    expect(file === '' ? `no file in ${row.constant}` : existsSync(join(ROOT, file))).toBe(true);
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) {
      expect(new RegExp(`\\b${name}\\b`).test(text), `${name} in ${file}`).toBe(true);
    }
  });
});
