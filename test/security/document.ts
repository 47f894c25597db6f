/** Makes docs/security-tests.md from the counts of the tests, and finds the test files that count. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Attacked } from '../support/attacks.ts';
import { ATTACK_CLASSES } from './classes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const DOCUMENT = join(ROOT, 'docs/security-tests.md');

/** A row of the document. */
export interface DocumentRow {
  readonly name: string;
  readonly tries: number;
  readonly held: number;
  readonly tests: readonly string[];
}

const HEAD = `# Attacks that the tests make, and what came of them

A test run (\`node bin/outcry.js @attacks\`) makes this page: each test counts its tries and how many of them were
held off. A try is one request, one message, one connection or one file, depending on the attack. The README says
under Security what protects from whom, and what does not; the bounds are in [limits.md](limits.md).

| attack | by | tries | held | what holds | tests in \`test/\` |
|---|---|---|---|---|---|
`;

export function renderSecurityTests(counted: readonly Attacked[]): string {
  const rows = ATTACK_CLASSES.map(({ name, who, holds }) => {
    const of = counted.filter((one) => one.name === name);
    const sum = (what: 'tries' | 'held') => of.reduce((all, one) => all + one[what], 0).toLocaleString('en');
    const tests = [...new Set(of.map((one) => `\`${one.test}\``))].sort().join('<br>');
    return `| ${name} | ${who} | ${sum('tries')} | ${sum('held')} | ${holds} | ${tests} |\n`;
  });
  return HEAD + rows.join('');
}

/** The rows of the present document. */
export function rowsOfDocument(): DocumentRow[] {
  const lines = readFileSync(DOCUMENT, 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('| ') && !line.startsWith('| attack '))
    .map((line) => {
      const [, name = '', , tries = '', held = '', , tests = ''] = line.split('|').map((cell) => cell.trim());
      const count = (text: string) => Number(text.replaceAll(',', ''));
      return { name, tries: count(tries), held: count(held), tests: tests.split('<br>').map(unquoted) };
    });
}

/** Test files that count attacks, with the classes they name, relative to `test`. */
export function countingTests(): { readonly file: string; readonly classes: readonly string[] }[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => path.split(sep).join('/'))
    .map((file) => ({ file, classes: classesIn(readFileSync(join(ROOT, 'test', file), 'utf8')) }))
    .filter(({ classes }) => classes.length > 0)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

function classesIn(text: string): string[] {
  if (!text.includes('support/attacks.ts')) return [];
  return ATTACK_CLASSES.map(({ name }) => name).filter((name) => text.includes(`'${name}'`));
}

function unquoted(cell: string): string {
  return cell.replaceAll('`', '');
}
