/** The path of this program, as a line of `authorized_keys` names it. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AttachPlace } from '../../access/authorized-line.ts';

/**
 * Returns the place for the desk of an existing data folder. Throws when the program's own folder is not
 * found.
 */
export function attachPlace(dataDir: string): AttachPlace {
  const root = programRoot();
  return {
    node: realpathSync(process.execPath),
    root,
    main: join(root, 'dist/main.js'),
    dataDir: realpathSync(dataDir),
  };
}

/** Returns the folder of the program, bundled or not: that of its package.json. */
function programRoot(): string {
  let folder = realpathSync(import.meta.dirname);
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the folder of the program was not found');
    folder = above;
  }
  return folder;
}
