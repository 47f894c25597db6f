/** The constants that docs/limits.md names exist and have the values that it states. */
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

/** The value that the code gives the constant, if it is a number. */
function givenValue(text: string, name: string): number | null {
  const [, given = ''] = new RegExp(`\\b${name}\\b\\s*[:=]\\s*([^;,\\n]+)`).exec(text) ?? [];
  const factors = (given.split('??').at(-1) ?? '').split('*').map((factor) => factor.trim());
  if (!factors.every((factor) => /^[\d_.]+$/.test(factor))) return null;
  return factors.reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

/** The forms in which the document may write a number; its times are in ms and its sizes in bytes. */
function formsOf(value: number): string[] {
  if (value === 0.5) return ['half'];
  const of = (unit: number, name: string) => (value % unit === 0 ? [`${say(value / unit)} ${name}`] : []);
  const say = (number: number) => number.toLocaleString('en-US');
  return [
    say(value),
    ...of(1_000, 's'),
    ...of(60_000, 'min'),
    ...of(3_600_000, 'h'),
    ...of(86_400_000, 'days'),
    ...of(1_024, 'KiB'),
    ...of(1_024 * 1_024, 'MiB'),
  ];
}

/** Whether the text has it as a whole number: 50 does not match 5. */
function says(text: string, form: string): boolean {
  return new RegExp(`(?<![\\d,.])${form.replaceAll('.', '\\.')}(?![\\d]|[,.]\\d)`).test(text);
}

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
      const value = givenValue(text, name);
      const said = value === null || formsOf(value).some((form) => says(row.bound, form));
      expect(said, `${name} is ${value} in ${file}; the document says: ${row.bound}`).toBe(true);
    }
  });
});
