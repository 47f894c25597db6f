/**
 * Builds dist before the end-to-end tests if it is stale, under the launcher's lock. Runs only together with
 * such tests.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, withLock } from '../../bin/launcher-lib.js';
import { buildDist } from '../../scripts/build.mjs';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

export async function setup(): Promise<void> {
  if (isBuilt(ROOT)) return;
  await withLock(ROOT, async () => {
    if (!isBuilt(ROOT)) await buildDist(ROOT);
  });
}
