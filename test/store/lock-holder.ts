/**
 * Child process of `data-folder.test.ts`: takes the lock of the given folder, prints the result, stays until
 * told to end.
 */
import { acquireFolderLock } from '../../src/store/data-folder.ts';

const [dir = '', mode = 'stay'] = process.argv.slice(2);
const result = acquireFolderLock(dir);
process.stdout.write('heldBy' in result ? `refused ${result.heldBy}\n` : 'locked\n');
if ('heldBy' in result) process.exit(0);
process.stdin.on('data', () => {
  if (mode === 'release') result.release();
  process.exit(0);
});
