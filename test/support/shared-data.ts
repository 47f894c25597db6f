/**
 * Access to the third-party test data that lives beside the checkout, in `../shared/data`, and is not part of it.
 *
 * Where that folder is missing, a test that needs it prints one line and passes, so a bare clone is green;
 * with `CI=true` set it fails instead, so CI never skips it unnoticed. Nothing here ever writes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY_ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** The place of the shared data: `shared/data` beside the checkout. */
export const SHARED_DATA_DIR = resolve(REPOSITORY_ROOT, '../shared/data');

/** The absolute path of a shared file or folder, or `null` where it is missing. */
export function sharedData(relativePath: string): string | null {
  const path = join(SHARED_DATA_DIR, relativePath);
  return existsSync(path) ? path : null;
}

/** The UTF-8 text of a shared file, or `null` where it is missing. The path is relative to `shared/data`. */
export function readShared(relativePath: string): string | null {
  const path = sharedData(relativePath);
  return path === null ? null : readFileSync(path, 'utf8');
}

/** The action for missing data: `fail` in CI, else `skip` with the line that is printed. */
export function onMissing(
  relativePath: string,
  cases: number,
  ci: string | undefined,
): { fail: boolean; line: string } {
  const line = `${cases} cases need shared/data`;
  return ci === 'true' ? { fail: true, line: `${line} (${relativePath} is missing)` } : { fail: false, line };
}

/**
 * A vitest test function over one shared file.
 *
 * @param relativePath path below `shared/data`, such as `security/rfc8032.json`
 * @param cases how many cases the file holds, for the line that is printed where it is missing
 * @param run gets the file's text
 * @example it('verifies the RFC 8032 vectors', withShared('security/rfc8032.json', 5, (text) => { ... }))
 */
export function withShared(
  relativePath: string,
  cases: number,
  run: (text: string) => void | Promise<void>,
): () => Promise<void> {
  return async () => {
    const text = readShared(relativePath);
    if (text !== null) {
      await run(text);
      return;
    }
    const missing = onMissing(relativePath, cases, process.env.CI);
    if (missing.fail) throw new Error(missing.line);
    process.stdout.write(`${missing.line}\n`);
  };
}
