/**
 * A text that is edited in the person's own editor lies in a folder and file that only they can read, under a
 * fixed name, and is gone afterwards.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { editExternally } from '../../src/console/app/external-editor.ts';
import { attacked } from '../support/attacks.ts';

it.each([
  ['ends well', async () => 0],
  ['fails', async () => 3],
  ['cannot be started', () => Promise.reject(new Error('no such program'))],
])('an editor that %s', async (_name, end) => {
  const seen: { path: string; folder: number; file: number; name: string; beside: string[] }[] = [];
  await editExternally('{"secret": 1}', 'bot.json', {
    env: { EDITOR: 'editor; rm -rf "$HOME"' },
    suspend: (run) => run(),
    run(_command, path) {
      const folder = dirname(path);
      seen.push({
        path,
        folder: statSync(folder).mode & 0o777,
        file: statSync(path).mode & 0o777,
        name: basename(path),
        beside: readdirSync(folder),
      });
      return end();
    },
  });
  const [one] = seen;
  expect(one).toMatchObject({ folder: 0o700, file: 0o600, name: 'bot.json', beside: ['bot.json'] });
  const gone = one !== undefined && !existsSync(dirname(one.path));
  attacked('$EDITOR and its file', 1, Number(gone));
});
