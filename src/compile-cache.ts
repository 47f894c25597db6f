/**
 * Lets Node keep what it has compiled of the built program, beside it in `dist`: the next start need not compile it
 * again. Not in the system's folder for temporary files, where somebody else could put code in its place. Where `dist`
 * cannot be written nothing is kept. From source, and where something chose a place already, it does nothing.
 */
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

/** `entry`: the bundle that runs, of which there is one in `dist` only. */
export function keepCompiled(entry: string): void {
  if (!entry.endsWith('.js') || getCompileCacheDir() !== undefined) return;
  enableCompileCache(fileURLToPath(new URL('.compile-cache', entry)));
}
