/**
 * The helper of the console's benches as one file, as the product is built: Node does not run TSX, and React's
 * production build is chosen by a bundler.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { PLUGINS } from '../../scripts/build.mjs';
import { Helper, ROOT, temporaryFolder } from './children.ts';

const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** `execArgv`: of Node, in the helper. */
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
