/**
 * Builds the helper of the console's benches as one file, like the product: Node does not run TSX, and the
 * bundler selects React's production build.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { PLUGINS } from '../../scripts/build.mjs';
import { Helper, ROOT, temporaryFolder } from './children.ts';

const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Starts the helper. `execArgv`: Node options for it. */
export async function consoleHelper(execArgv: readonly string[] = []): Promise<Helper> {
  const outfile = join(temporaryFolder(), 'console-helper.mjs');
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['bench/support/console-helper.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    logLevel: 'silent',
    banner: { js: BANNER },
    define: { 'process.env.NODE_ENV': '"production"', __OUTCRY_VERSION__: '"bench"' },
    plugins: PLUGINS,
  });
  process.env.FORCE_COLOR ??= '3';
  return new Helper(pathToFileURL(outfile), execArgv);
}
