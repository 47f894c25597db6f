/**
 * Lets Node keep the compiled code of the built program in `dist`, so that the next start need not compile it
 * again. Not in the system's folder for temporary files, where somebody else could replace the code. Where
 * `dist` cannot be written, nothing is kept. Does nothing when run from source, or where a cache folder was
 * chosen already.
 */
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Switches the cache on. `entry`: URL of the running file; only a bundle in `dist` ends in `.js`. */
export function keepCompiled(entry: string): void {
  if (!entry.endsWith('.js') || getCompileCacheDir() !== undefined) return;
  enableCompileCache(fileURLToPath(new URL('.compile-cache', entry)));
}
