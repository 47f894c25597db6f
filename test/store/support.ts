/** A throw-away folder for tests that need real files. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEachTest } from '../support/after-each.ts';

const MEMORY_DISK = '/dev/shm';
const made: string[] = [];

afterEachTest(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/**
 * A new folder. `inMemory`: where possible, on a file system without a disk, for tests of many files whose
 * content alone matters.
 */
export function temporaryFolder(options: { inMemory?: boolean } = {}): string {
  const parent = options.inMemory && existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir();
  const dir = mkdtempSync(join(parent, 'outcry-store-'));
  made.push(dir);
  return dir;
}

/** Name and content of every file in `dir`, except the shared-memory index, which holds no data. */
export function snapshot(dir: string): Map<string, string> {
  const files = readdirSync(dir).filter(
    (name) => !name.endsWith('-shm') && statSync(join(dir, name)).isFile(),
  );
  return new Map(files.sort().map((name) => [name, readFileSync(join(dir, name), 'base64')]));
}
