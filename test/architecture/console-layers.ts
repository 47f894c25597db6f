/**
 * The rules of `src/console` as functions over source text: the shared folders import no feature, and
 * features import each other in one order only. Each function returns the violations, ready to be shown.
 */
import { dirname, join } from 'node:path/posix';
import type { SourceFile } from './layers.ts';
import { importsOf } from './source-text.ts';

const ROOT = 'console/';

/** Folders that all features share. */
const SHARED = ['app', 'state', 'input', 'forms', 'lists', 'dialogs', 'ui', 'terminal', 'trading'];

/** Features in the order in which they may import: each may import those before it. */
const FEATURES = [
  'entry',
  'orders',
  'market',
  'bots',
  'desk',
  'positions',
  'alerts',
  'log',
  'api-keys',
  'operators',
  'accounts',
  'panic',
  'lock',
  'pnl',
  'portfolio',
  'overview',
  'one-account',
  'help',
  'palette',
];

/** The only shared files that name features. */
const LISTS = ['console/app/features.ts', 'console/app/bindings.ts'];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

/** The name of the folder right under `src/console`. */
export function folderOf(path: string): string {
  return path.slice(ROOT.length).split('/', 1)[0] ?? '';
}

/** Imports from a file of the console to another console file. */
function edgesOf(files: readonly SourceFile[]): readonly Edge[] {
  return files
    .filter(({ path }) => path.startsWith(ROOT))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, line }) => ({
          from: path,
          to: join(dirname(path), specifier),
          line,
        }))
        .filter(({ to }) => to.startsWith(ROOT)),
    );
}

/** Folders without a place in the order, and imports against the order. */
export function consoleViolations(files: readonly SourceFile[]): string[] {
  const unknown = files
    .filter(({ path }) => path.startsWith(ROOT))
    .filter(({ path }) => ![...SHARED, ...FEATURES].includes(folderOf(path)))
    .map(({ path }) => `${path}: is in no shared folder and in none of a feature`);
  const crossed = edgesOf(files).flatMap(({ from, to, line }) => {
    const [own, other] = [folderOf(from), folderOf(to)];
    const mine = FEATURES.indexOf(own);
    const theirs = FEATURES.indexOf(other);
    if (theirs < 0 || own === other || LISTS.includes(from)) return [];
    if (mine < 0) return [`${from}:${line}: what all features share may not import ${to}`];
    return theirs > mine ? [`${from}:${line}: ${own} stands before ${other} and may not import ${to}`] : [];
  });
  return [...unknown, ...crossed];
}
