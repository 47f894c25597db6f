/** The data folder: its place, its permissions, and one desk at a time, shown with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import {
  acquireFolderLock,
  DataFolderError,
  type FolderLock,
  prepareDataFolder,
  resolveDataFolder,
} from '../../src/store/data-folder.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';
import { temporaryFolder } from './support.ts';

const posix = process.platform !== 'win32';
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('resolveDataFolder', () => {
  const home = '/home/ann';
  const cases: [string, Parameters<typeof resolveDataFolder>[0], string][] = [
    ['--data-dir wins', { dataDir: '/d', env: { OUTCRY_HOME: '/o', XDG_DATA_HOME: '/x' } }, '/d'],
    ['--data-dir may be relative', { dataDir: 'desk', env: {} }, resolve('desk')],
    ['then OUTCRY_HOME', { env: { OUTCRY_HOME: '/o', XDG_DATA_HOME: '/x' } }, '/o'],
    ['then XDG_DATA_HOME', { env: { XDG_DATA_HOME: '/x' } }, '/x/outcry'],
    ['a relative XDG_DATA_HOME is ignored', { env: { XDG_DATA_HOME: 'x' } }, '/home/ann/.local/share/outcry'],
    [
      'empty is not given',
      { dataDir: '', env: { OUTCRY_HOME: '', XDG_DATA_HOME: '' } },
      '/home/ann/.local/share/outcry',
    ],
    ['else the home folder', { env: {} }, '/home/ann/.local/share/outcry'],
  ];
  it.skipIf(!posix).each(cases)('%s', (_name, options, wanted) => {
    expect(resolveDataFolder({ home, ...options })).toBe(wanted);
  });
});

describe('prepareDataFolder', () => {
  it.skipIf(!posix)('takes no link for a folder inside, and changes nothing where it leads', () => {
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o755 });
    for (const name of ['log', 'keys']) {
      const dir = join(temporaryFolder(), 'desk');
      mkdirSync(dir, { mode: 0o700 });
      symlinkSync(elsewhere, join(dir, name));
      expect(() => prepareDataFolder(dir)).toThrow(
        `${join(dir, name)} is a symbolic link; it has to be a folder`,
      );
    }
    expect(modeOf(elsewhere)).toBe(0o755);
  });

  it('makes the folder with log and keys, private', () => {
    const dir = join(temporaryFolder(), 'deep', 'desk');
    expect(prepareDataFolder(dir)).toEqual([]);
    if (posix)
      for (const path of [dir, join(dir, 'log'), join(dir, 'keys')]) expect(modeOf(path)).toBe(0o700);
    expect(prepareDataFolder(dir)).toEqual([]);
  });

  it.skipIf(!posix)('closes a folder that others can read, and says so', () => {
    const dir = join(temporaryFolder(), 'desk');
    mkdirSync(join(dir, 'keys'), { recursive: true });
    writeFileSync(join(dir, 'config.toml'), '');
    chmodSync(dir, 0o755);
    chmodSync(join(dir, 'keys'), 0o750);
    const warnings = prepareDataFolder(dir);
    expect(warnings.length).toBe(2);
    expect(warnings[0]).toContain('mode 0755');
    expect([modeOf(dir), modeOf(join(dir, 'keys'))]).toEqual([0o700, 0o700]);
    expect(prepareDataFolder(dir)).toEqual([]);
  });

  it.skipIf(!posix)('leaves a folder alone that others use for other things', () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'thesis.txt'), 'mine');
    chmodSync(dir, 0o755);
    expect(() => prepareDataFolder(dir)).toThrowError(expect.objectContaining({ code: 'NOT_OURS' }));
    expect([modeOf(dir), existsSync(join(dir, 'keys'))]).toEqual([0o755, false]);
  });

  it.skipIf(process.platform !== 'linux')('refuses in words a folder where the system takes none', () => {
    for (const folder of ['/proc/outcry', '/proc/outcry/below/it'])
      expect(() => prepareDataFolder(folder)).toThrow(
        /\/proc\/outcry.* cannot be created: .*; choose another folder with --data-dir$/,
      );
  });

  it('makes the folders above it, private too', () => {
    const top = join(temporaryFolder(), 'a');
    prepareDataFolder(join(top, 'b', 'c'));
    if (posix) expect([top, join(top, 'b')].map(modeOf)).toEqual([0o700, 0o700]);
  });

  it('refuses in one sentence what is not a folder', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'mine');
    for (const dir of [file, join(file, 'desk')]) {
      try {
        prepareDataFolder(dir);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(DataFolderError);
        expect(error).toMatchObject({ code: 'NOT_A_FOLDER', message: expect.stringContaining(dir) });
      }
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it.skipIf(!posix)('refuses a place it may not write to', () => {
    const parent = temporaryFolder();
    chmodSync(parent, 0o500);
    const script = `try { source.prepareDataFolder(${JSON.stringify(join(parent, 'desk'))}); }
      catch (e) { process.stdout.write(e.code); }`;
    expect(asOrdinaryUser([parent], 'src/store/data-folder.ts', script)).toBe('NO_ACCESS');
    chmodSync(parent, 0o700);
  });
});

describe('the folder lock', () => {
  const children: ChildProcess[] = [];
  const locks: FolderLock[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const lock of locks.splice(0)) lock.release();
  });

  function acquire(dir: string): FolderLock {
    const result = acquireFolderLock(dir);
    if ('heldBy' in result) throw new Error(`held by ${result.heldBy}`);
    locks.push(result);
    return result;
  }

  /** Starts a process that tries the lock; resolves with its message. */
  async function contender(dir: string, mode: 'stay' | 'release' = 'stay') {
    const script = join(import.meta.dirname, 'lock-holder.ts');
    const child = spawn(process.execPath, [script, dir, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const exited = once(child, 'exit');
    const [said] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, exited, said };
  }

  it('refuses a second desk and names the first, in this process and in another', async () => {
    const dir = temporaryFolder();
    acquire(dir);
    expect(acquireFolderLock(dir)).toEqual({ heldBy: process.pid });
    expect((await contender(dir)).said).toBe(`refused ${process.pid}`);
  });

  it('is free again after release, which may be repeated', () => {
    const dir = temporaryFolder();
    const lock = acquire(dir);
    lock.release();
    lock.release();
    expect(existsSync(join(dir, 'outcry.pid'))).toBe(false);
    acquire(dir);
  });

  it('is free again after the holder was killed with SIGKILL', async () => {
    const dir = temporaryFolder();
    const holder = await contender(dir);
    expect(holder.said).toBe('locked');
    expect(acquireFolderLock(dir)).toEqual({ heldBy: holder.child.pid });
    holder.child.kill('SIGKILL');
    await holder.exited;
    expect(readFileSync(join(dir, 'outcry.pid'), 'utf8').trim()).toBe(String(holder.child.pid));
    acquire(dir);
    expect(readFileSync(join(dir, 'outcry.pid'), 'utf8').trim()).toBe(String(process.pid));
  });

  it('is free again after the holder released it or just ended', async () => {
    const dir = temporaryFolder();
    for (const mode of ['release', 'stay'] as const) {
      const holder = await contender(dir, mode);
      expect(holder.said).toBe('locked');
      holder.child.stdin?.write('go\n');
      await holder.exited;
      acquire(dir).release();
    }
  });

  it('of a holder that nobody knows is held all the same, whatever stands in the place of its id', () => {
    const dir = temporaryFolder();
    acquire(dir);
    for (const text of [null, '-1']) {
      if (text === null) rmSync(join(dir, 'outcry.pid'));
      else writeFileSync(join(dir, 'outcry.pid'), text);
      expect(acquireFolderLock(dir)).toEqual({ heldBy: null });
    }
  });

  it('is not fooled by the id of a running process in a stale file', () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'outcry.pid'), `${process.ppid}\n`);
    acquire(dir);
  });

  it('goes to exactly one of many that start together', async () => {
    const dir = temporaryFolder();
    const all = await Promise.all(Array.from({ length: 6 }, () => contender(dir)));
    const winners = all.filter(({ said }) => said === 'locked');
    expect(winners.length).toBe(1);
    const others = all.filter(({ said }) => said !== 'locked');
    for (const { said } of others) expect(said).toBe(`refused ${winners[0]?.child.pid}`);
  });

  it('says so where the folder cannot hold a lock', () => {
    const dir = join(temporaryFolder(), 'missing');
    expect(() => acquireFolderLock(dir)).toThrowError(expect.objectContaining({ code: 'NO_LOCK' }));
  });
});
