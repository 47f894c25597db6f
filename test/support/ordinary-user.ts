/** Runs a piece of a test as a user whom file permissions bind: as root, as in a container, in a process of `nobody`. POSIX only. */
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

const NOBODY = 65_534;

/** Runs the module text `script`, which may import sources by URL, and gives what it prints. `owned` belongs to that user meanwhile. */
export function asOrdinaryUser(owned: readonly string[], script: string): string {
  const root = process.getuid?.() === 0;
  if (root) for (const path of owned) chownSync(path, NOBODY, NOBODY);
  try {
    return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: '/',
      ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  } finally {
    if (root) for (const path of owned) chownSync(path, 0, 0);
  }
}

/** The URL of a source file, to import it in such a script; `path` from the package's folder. */
export function sourceUrl(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}
