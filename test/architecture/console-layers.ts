/**
 * The rules of `src/console` as functions over source text: what all features share imports none of them, features import
 * each other along one order only, and no files import each other in a circle. Each gives what breaks it, ready to be shown.
 */
import { dirname, join } from 'node:path/posix';
import type { SourceFile } from './layers.ts';
import { importsOf } from './source-text.ts';

const ROOT = 'console/';

/** Folders that all features share. */
const SHARED = ['app', 'state', 'input', 'forms', 'lists', 'dialogs', 'ui', 'terminal', 'trading'];

/** Features in the order in which they may import: each may import those before it. */
const FEATURES = [
  ...['orders', 'bots', 'desk', 'positions', 'alerts', 'log'],
  ...['api-keys', 'accounts', 'panic', 'portfolio', 'overview', 'help', 'palette'],
];

/** The only files of what is shared that name features. */
const LISTS = ['console/app/features.ts', 'console/app/bindings.ts'];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

/** The folder right under `src/console`. */
function folderOf(path: string): string {
  return path.slice(ROOT.length).split('/', 1)[0] ?? '';
}

/** Imports from a file of the console to another one. */
function edgesOf(files: readonly SourceFile[]): readonly Edge[] {
  return files
    .filter(({ path }) => path.startsWith(ROOT))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, line, typeOnly }) => ({
          from: path,
          to: join(dirname(path), specifier),
          line,
          typeOnly,
        }))
        .filter(({ to }) => to.startsWith(ROOT)),
    );
}

/** Folders that stand nowhere, and imports against the order. */
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

/** Circles of files at run time, and those through types that lead out of a folder. */
export function circles(files: readonly SourceFile[]): string[] {
  const edges = edgesOf(files);
  const atRunTime = knots(edges.filter(({ typeOnly }) => !typeOnly)).map(
    (paths) => `a circle at run time: ${paths.join(', ')}`,
  );
  const acrossFolders = knots(edges)
    .filter((paths) => new Set(paths.map(folderOf)).size > 1)
    .map((paths) => `a circle across folders: ${paths.join(', ')}`);
  return [...atRunTime, ...acrossFolders];
}

/** Files that lead to each other, more than one together (Tarjan's strongly connected components). */
function knots(edges: readonly Edge[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    const at = index.size;
    index.set(file, at);
    low.set(file, at);
    stack.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file) ?? at, low.get(to) ?? at));
    }
    if (low.get(file) !== at) return;
    const knot = stack.splice(stack.indexOf(file));
    if (knot.length > 1) found.push(knot.sort());
  };
  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return found;
}
