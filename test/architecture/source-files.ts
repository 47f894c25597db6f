/** The files of `src`, read once for every rule. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './layers.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

export function sourceFiles(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(SRC, path), 'utf8') }));
}
