/** Files, functions, pages and rules that documents and comments name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Pages of exchanges and of specifications that sources cite; they are not in this repository. */
const FOREIGN = new Set([
  'rest-api.md',
  'web-socket-api.md',
  'web-socket-streams.md',
  'user-data-stream.md',
  'errors.md',
  'filters.md',
  'enums.md',
  'trailing-stop-faq.md',
  'commission_faq.md',
  'order_count_decrement.md',
]);

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules'));
}

const pages = [...filesIn('docs', /\.md$/), 'README.md', 'CHANGELOG.md'];
const sources = ['src', 'test', 'bench', 'scripts', 'bin'].flatMap((folder) =>
  filesIn(folder, /\.(ts|tsx|js|mjs)$/),
);
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Whether `name` is a function, a method or a class of the file. */
function defines(source: string, name: string): boolean {
  return new RegExp(`(?:function |class |^ {2,4}(?:(?:async|static|private|get) )*)${name}[(<{ ]`, 'm').test(
    source,
  );
}

describe('the documents', () => {
  it('name files and folders that are there', () => {
    const missing = pages.flatMap((page) =>
      [...text(page).matchAll(/`((?:src|test|bench|scripts|bin|docs)(?:\/[\w.-]+)*\/?)`/g)]
        .map(([, path]) => path ?? '')
        // A folder of an exchange's documents.
        .filter((path) => path !== 'docs/v5' && !existsSync(join(ROOT, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('link to pages that are there', () => {
    const missing = pages.flatMap((page) =>
      [...text(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, path]) => path ?? '')
        .filter((path) => !existsSync(join(ROOT, dirname(page), path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('name functions that are there on the ways through the code', () => {
    const architecture = text('docs/architecture.md');
    const steps = [...architecture.matchAll(/^- `(src\/[\w./-]+)`: (.*)$/gm)];
    expect(steps.length).toBeGreaterThan(50);
    const missing = steps.flatMap(([, path = '', rest = '']) => {
      const source = text(path);
      return [...rest.matchAll(/`(#?\w+)`/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !defines(source, name))
        .map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('keep the map to two hundred lines', () => {
    expect(text('docs/architecture.md').split('\n').length).toBeLessThanOrEqual(200);
  });
});

describe('the comments', () => {
  const known = new Set([...pages, ...filesIn('test', /\.md$/)].map((path) => path.split('/').at(-1)));

  it('name pages that are there', () => {
    const missing = sources.flatMap((path) =>
      [...text(path).matchAll(/(?<![\w/$}-])(?:[\w-]+\/)*([a-z][\w-]*\.md)\b/g)]
        .map(([, page]) => page ?? '')
        .filter((page) => !known.has(page) && !FOREIGN.has(page) && page !== 'x.md')
        .map((page) => `${path}: ${page}`),
    );
    expect(missing).toEqual([]);
  });

  const rules = text('docs/rules/decisions.md') + text('docs/rules/strategies.md');
  const listed = new Set([...rules.matchAll(/^\| ([SDR]\d{1,2}) \|/gm)].map(([, code]) => code ?? ''));

  // D65 is a colour, not a rule.
  it('name rules that are there', () => {
    expect(listed.size).toBe(64 + 48 + 13);
    const missing = sources.flatMap((path) =>
      [...text(path).matchAll(/(?<![\w'"`.#/-])([SDR][1-9]\d?)(?=[,;:.) ]|$)(?!\.\d)/gm)]
        .map(([, code]) => code ?? '')
        .filter((code) => !listed.has(code) && code !== 'D65')
        .map((code) => `${path}: ${code}`),
    );
    expect(missing).toEqual([]);
  });

  it('of tests name every rule', () => {
    const tests = filesIn('test', /\.tsx?$/)
      .filter((path) => !path.startsWith('test/coverage/') && path !== 'test/docs/house.test.ts')
      .map(text)
      .join('\n');
    const unnamed = [...listed].filter((code) => !new RegExp(`\\b${code}\\b`).test(tests));
    expect(unnamed).toEqual([]);
  });
});
