/** Runs a piece of a test as a user whom file permissions bind: as root, as in a container, as `nobody`. POSIX only. */
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

const NOBODY = 65_534;

/**
 * Runs `script` in a process of its own and gives what it prints. `source` is a source file, from the package's folder, whose
 * exports the script finds in `source`; it is loaded before the rights are given up. `owned` belongs to that user meanwhile.
 */
export function asOrdinaryUser(owned: readonly string[], source: string, script: string): string {
  const root = process.getuid?.() === 0;
  const url = new URL(`../../${source}`, import.meta.url).href;
  const program = `import * as source from '${url}';
    if (process.getuid() === 0) { process.setgid(${NOBODY}); process.setuid(${NOBODY}); }
    ${script}`;
  if (root) for (const path of owned) chownSync(path, NOBODY, NOBODY);
  try {
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  } finally {
    if (root) for (const path of owned) chownSync(path, 0, 0);
  }
}
