/**
 * A data folder that others can write to, or that belongs to another user, is not used; no link in it makes a
 * desk write or open anything elsewhere.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateKeyFile } from '../../src/access/key-files.ts';
import { prepareDataFolder } from '../../src/store/data-folder.ts';
import { runMain, startDesk, temporaryFolder } from '../e2e/support/desk-process.ts';
import { attacked } from '../support/attacks.ts';
import { setup } from '../support/build-once.ts';

const CLASS = 'data folder: shared, linked, foreign, taken';
const NOBODY = 65_534;
const posix = process.platform !== 'win32';

beforeAll(setup, 120_000);

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Whether the folder is refused as another user's, without any change in it. */
function isRefused(dir: string): boolean {
  const mode = modeOf(dir);
  try {
    prepareDataFolder(dir);
    return false;
  } catch (error) {
    return /NOT_OURS|NOT_A_FOLDER/.test((error as { code: string }).code) && modeOf(dir) === mode;
  }
}

/** A folder of this user, with a file elsewhere to which a link may lead. */
function folderWith(mode = 0o700): { dir: string; important: string } {
  const parent = temporaryFolder();
  const dir = join(parent, 'data');
  mkdirSync(dir);
  chmodSync(dir, mode);
  const important = join(parent, 'important');
  writeFileSync(important, 'important', { mode: 0o644 });
  return { dir, important };
}

describe.skipIf(!posix)('a data folder', () => {
  it('that others can write to is refused, whatever of ours it holds', () => {
    let tries = 0;
    let held = 0;
    for (const mode of [0o777, 0o775, 0o757, 0o1777, 0o720])
      for (const name of ['config.toml', 'outcry.db', 'outcry.lock', 'other.txt']) {
        const { dir } = folderWith(mode);
        writeFileSync(join(dir, name), '');
        tries += 1;
        if (isRefused(dir)) held += 1;
      }
    attacked(CLASS, tries, held);
  });

  it('that is empty and open is made private, and said to have been open', () => {
    for (const mode of [0o777, 0o755]) {
      const { dir } = folderWith(mode);
      expect(prepareDataFolder(dir)).toEqual([expect.stringContaining(`mode 0${mode.toString(8)}`)]);
      expect(modeOf(dir)).toBe(0o700);
    }
  });

  it.skipIf(process.getuid?.() !== 0)(
    'that belongs to somebody else is refused, and so are folders in it',
    () => {
      const whole = folderWith();
      chownSync(whole.dir, NOBODY, NOBODY);
      const inner = folderWith();
      mkdirSync(join(inner.dir, 'keys'), { mode: 0o755 });
      chownSync(join(inner.dir, 'keys'), NOBODY, NOBODY);
      const held = [whole, inner].filter(({ dir }) => isRefused(dir)).length;
      expect(modeOf(join(inner.dir, 'keys'))).toBe(0o755);
      attacked(CLASS, 2, held);
    },
  );

  it('whose inner folders are links is refused, and what they lead to keeps its rights', () => {
    const held = ['log', 'keys'].filter((name) => {
      const { dir } = folderWith();
      const elsewhere = temporaryFolder();
      chmodSync(elsewhere, 0o755);
      symlinkSync(elsewhere, join(dir, name));
      return isRefused(dir) && modeOf(elsewhere) === 0o755;
    });
    attacked(CLASS, 2, held.length);
  });

  it('may itself be a link to a folder of ours', () => {
    const { dir } = folderWith();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(dir, link);
    expect(prepareDataFolder(link)).toEqual([]);
  });

  it('takes no key file through a link that came later', () => {
    const { dir } = folderWith();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(dir, 'keys'));
    expect(() => generateKeyFile({ dir, label: 'a', randomBytes: (size) => Buffer.alloc(size, 1) })).toThrow(
      'not a folder',
    );
    expect(existsSync(join(elsewhere, 'a.pem'))).toBe(false);
  });
});

describe.skipIf(!posix)('a desk that starts', () => {
  it('follows no link in the place of a file it makes', { timeout: 60_000 }, async () => {
    const { dir, important } = folderWith();
    const names = ['outcry.pid.new', 'outcry.pid', 'outcry.sock.path'];
    for (const name of names) symlinkSync(important, join(dir, name));
    const desk = await startDesk(dir);
    const held = names.filter(
      (name) => !lstatSync(join(dir, name), { throwIfNoEntry: false })?.isSymbolicLink(),
    ).length;
    expect(readFileSync(join(dir, 'outcry.pid'), 'utf8')).toBe(`${desk.pid}\n`);
    await desk.kill('SIGTERM');
    expect([readFileSync(important, 'utf8'), modeOf(important)]).toEqual(['important', 0o644]);
    attacked(CLASS, names.length, held);
  });

  it('refuses a link or a foreign socket in the place of its own', { timeout: 60_000 }, async () => {
    const linked = folderWith();
    symlinkSync(linked.important, join(linked.dir, 'outcry.sock'));
    const foreign = folderWith();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(foreign.dir, 'outcry.sock'), resolve));
    const ends = await Promise.all(
      [linked, foreign].map(({ dir }) => runMain(['serve', '--data-dir', dir, '--port', '0'])),
    );
    server.close();
    const held = ends.filter(({ code, stderr }) => code === 1 && /^outcry: [^\n]+\n$/.test(stderr)).length;
    expect([readFileSync(linked.important, 'utf8'), modeOf(linked.important)]).toEqual(['important', 0o644]);
    attacked(CLASS, 2, held);
  });

  it('refuses a folder that another desk has, and works on a path too long for a socket', {
    timeout: 60_000,
  }, async () => {
    const dir = join(temporaryFolder(), 'd'.repeat(120));
    const desk = await startDesk(dir);
    const second = await runMain(['serve', '--data-dir', dir, '--port', '0']);
    expect(second.stderr).toContain(`process ${desk.pid}`);
    const path = readFileSync(join(dir, 'outcry.sock.path'), 'utf8').trim();
    const held =
      Number(second.code === 1) + Number(modeOf(path) === 0o600 && modeOf(join(path, '..')) === 0o700);
    await desk.kill('SIGTERM');
    attacked(CLASS, 2, held);
  });
});
