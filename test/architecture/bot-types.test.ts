/**
 * Adding a bot type means adding a folder: nothing else in the sources names a type, and no type imports
 * another.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BOT_TYPES } from '../../src/bots/types/index.ts';
import { importsOf } from './source-text.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const TYPES = 'bots/types/';
const NAMED = new RegExp(`(['"\`])(?:${BOT_TYPES.join('|')})\\1`, 'g');

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(SRC, path), 'utf8') }));

function namesOf({ path, text }: Source): string[] {
  return [...text.matchAll(NAMED)].map(([name]) => `${path}: ${name}`);
}

/** Imports of other types' folders by one type. */
function strangersOf({ path, text }: Source): string[] {
  if (!path.startsWith(TYPES) || dirname(path) === 'bots/types') return [];
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('../') && !specifier.startsWith('../../'))
    .map(({ specifier }) => `${path}: ${specifier}`);
}

it('no file but its own, and the two lists, names a bot type', () => {
  expect(sources.filter(({ path }) => !path.startsWith(TYPES)).flatMap(namesOf)).toEqual([]);
});

it('each list has a line for every type, and each type its folder', () => {
  const folders = readdirSync(join(SRC, TYPES), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name.toUpperCase()).sort()).toEqual([...BOT_TYPES].sort());
  for (const { name } of folders) {
    const files = readdirSync(join(SRC, TYPES, name));
    expect([name, files]).toEqual([
      name,
      expect.arrayContaining(['kind.ts', 'ladder.ts', 'schema.ts', 'settings.ts', 'strategy.ts', 'words.ts']),
    ]);
  }
});

it('no bot type knows another', () => {
  expect(sources.flatMap(strangersOf)).toEqual([]);
});

it('a name and a stranger are found', () => {
  expect(namesOf({ path: 'cli/x.ts', text: "if (type === 'SQUEEZE') {}" })).toEqual(["cli/x.ts: 'SQUEEZE'"]);
  const text = "import { fiboStrategy } from '../fibo/strategy.ts';";
  expect(strangersOf({ path: 'bots/types/squeeze/strategy.ts', text })).toHaveLength(1);
  expect(strangersOf({ path: 'bots/types/kinds.ts', text })).toEqual([]);
});
