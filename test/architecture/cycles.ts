/**
 * Finds import cycles among the files of `src`: groups of files each of which needs, directly or not, all the
 * others.
 */
import { dirname, join } from 'node:path/posix';
import type { SourceFile } from './layers.ts';
import { importsOf } from './source-text.ts';

/** The imports of each file among the others. `types`: imports that are gone at run time count as well. */
export function importGraph(files: readonly SourceFile[], types: boolean): Map<string, readonly string[]> {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && (types || !typeOnly))
        .map(({ specifier }) => join(dirname(path), specifier))
        .filter((target) => known.has(target)),
    ]),
  );
}

/** Every group of two or more, its files sorted (Tarjan's strongly connected components). */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    let low = own;
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? index.get(next) ?? low);
      lowest.set(file, low);
    }
    lowest.set(file, low);
    if (low !== own) return low;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(circle.sort());
    return low;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
}
