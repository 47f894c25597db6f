/**
 * Runs a part of a test as a user who is bound by file permissions: when the tests run as root, as in a
 * container, as `nobody`. POSIX only.
 */
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

const NOBODY = 65_534;

/**
 * Runs `script` in its own process and returns its output. `source` is a source file, relative to the
 * package's folder, whose exports the script finds in `source`; it is loaded before the privileges are
 * dropped. `owned` belongs to that user meanwhile.
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
