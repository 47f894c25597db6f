/** No regular expression of the program can take more than linear time, and the check can fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { regexProblem } from './regex-cost.ts';
import { codeOf, lineAt, regexesOf } from './source-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = ['src', 'bin'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]sx?$/.test(path))
    .sort()
    .map((path) => ({
      path: join(folder, path),
      // A first line for the shell (`#!`) is not code.
      text: readFileSync(join(ROOT, folder, path), 'utf8').replace(/^#!.*/, ''),
    })),
);

/** Patterns that are built at run time: each is one of the schemas' texts, which are checked below. */
const MADE = ['DECIMAL_PATTERN', 'INTEGER_PATTERN', 'part.pattern'];

/** Every `pattern` of a description of the API, at any depth. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'pattern' && typeof inner === 'string' ? [inner] : patternsIn(inner),
  );
}

describe('the regular expressions of the program', () => {
  const literals = files.flatMap(({ path, text }) => regexesOf(text).map((regex) => ({ path, ...regex })));

  it('are found', () => {
    expect(literals.map(({ pattern }) => pattern)).toContain('^[1-9]\\d{0,15}$');
    expect(literals.length).toBeGreaterThan(200);
  });

  it('take linear time', () => {
    const problems = literals.flatMap(({ path, line, pattern, flags }) => {
      const problem = regexProblem(pattern, flags);
      return problem === null ? [] : [`${path}:${line} /${pattern}/${flags} is ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it('are made from no other text than a pattern of a schema', () => {
    const others = files.flatMap(({ path, text }) =>
      [...codeOf(text).matchAll(/\bRegExp\(([^)]*)\)/g)]
        .filter(([, argument = '']) => !MADE.includes(argument))
        .map(({ index }) => `${path}:${lineAt(text, index)}`),
    );
    expect(others).toEqual([]);
  });
});

it('the patterns of the schemas take linear time', () => {
  const described = patternsIn(JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')));
  const written = files.flatMap(({ text }) =>
    [...text.matchAll(/(?:pattern:|PATTERN =)\s*'([^'\n]*)'/g)].map(([, source = '']) =>
      source.replaceAll('\\\\', '\\'),
    ),
  );
  expect(written.length).toBeGreaterThan(5);
  expect(described.length).toBeGreaterThan(50);
  const all = new Set([...described, ...written]);
  expect([...all].filter((pattern) => regexProblem(pattern, 'u') !== null)).toEqual([]);
});

describe('a pattern', () => {
  it.each([
    // Once used to trim header values: at each blank, the second half looks at all that follow.
    ['^[ \\t]+|[ \\t]+$', 'polynomial'],
    ['0*$', 'polynomial'],
    ['\\.?0+$', 'polynomial'],
    ['a{2,}$', 'polynomial'],
    ['\\s*\\n\\s*', 'polynomial'],
    ['\\w+\\s*=', 'polynomial'],
    ['^\\s*(?:>=)?\\s*v', 'polynomial'],
    ['^(?:a|b)*a*c', 'polynomial'],
    ['x(?=.*y)', 'polynomial'],
    ['BEGIN [A-Z ]*KEY', 'polynomial'],
    ['^(a+)+$', 'exponential'],
    ['^(a|a)*b', 'exponential'],
    ['^(a*)*b', 'exponential'],
    ['^(\\w+\\s?)*$', 'exponential'],
    ['^([a-z]{0,60}[a-z])*!', 'exponential'],
  ])('/%s/ is %s', (pattern, problem) => {
    expect(regexProblem(pattern)).toBe(problem);
  });

  it.each([
    '^[ \\t]+',
    '\\s+',
    '^\\s+x',
    '^-?\\d+(?:\\.\\d+)?$',
    '^(.*)\\[\\d+\\]',
    '^"(?:[^"\\\\]|\\\\.)*"',
    '^([a-z]([a-z-]{0,61}[a-z])?\\.)*[a-z]+$',
    '[^\\x20-\\x7e]',
    '(?:^|[/\\\\])([A-Z0-9]{2,20})-x',
  ])('/%s/ is linear', (pattern) => {
    expect(regexProblem(pattern)).toBeNull();
  });

  it('that begins where it is asked to does not search', () => {
    expect(regexProblem('[ \\t]+x', 'g')).toBe('polynomial');
    expect(regexProblem('[ \\t]+x', 'y')).toBeNull();
  });

  it.each(['(a)\\1', '(?<=a+)b'])('/%s/ is not judged but refused', (pattern) => {
    expect(() => regexProblem(pattern)).toThrow('cannot be judged');
  });
});
