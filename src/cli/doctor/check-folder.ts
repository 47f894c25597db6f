/** The doctor's checks of the data folder: its owner, other users' rights, and the free space of its disk. */
import { accessSync, constants, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Case, type Check, type Finding, fail, fine, warn } from './finding.ts';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const MIB = 1_048_576;
/** With less free space than this, a commit may fail within the hour. */
const DISK_FAIL_BYTES = 64 * MIB;
const DISK_WARN_BYTES = 1_024 * MIB;
/** Largest number of files that are checked, and that are named. */
const ENTRIES_MAX = 2_000;
const NAMED = 3;
/** Files that hold no secrets. */
const EMPTY = /^outcry\.(lock|pid|sock)/;
const PRIVATE_FOLDERS = ['', 'keys', 'log', 'exports', 'ssh'];

export const checkFolder: Check = (one) => {
  const { dataDir, world } = one;
  const other = 'choose another folder with --data-dir, or run as the user that it belongs to';
  const found = statOf(dataDir);
  if (found === 'denied') return [fail('folder', `${dataDir}: you have no permission there`, other)];
  if (found === null) return [missing(one)];
  if (!found.isDirectory()) return [fail('folder', `${dataDir} is not a folder`, other)];
  if (world.platform === 'win32') return [fine('folder', dataDir)];
  if (world.user !== null && found.uid !== world.user)
    return [fail('folder', `${dataDir} belongs to another user (id ${found.uid})`, other)];
  const mode = found.mode & 0o777;
  const chmod = `chmod 700 ${dataDir}`;
  if (!mayUse(dataDir)) return [fail('folder', `${dataDir} cannot be read and written`, chmod)];
  if ((mode & OTHERS_WRITE) !== 0)
    return [
      fail(
        'folder',
        `other users can write to ${dataDir} (mode ${octal(mode)})`,
        `look whether all in it is yours, then ${chmod}`,
      ),
    ];
  const open = openFiles(dataDir);
  const findings: Finding[] = [];
  if ((mode & OTHERS) !== 0)
    findings.push(warn('folder', `other users can look into ${dataDir} (mode ${octal(mode)})`, chmod));
  else if (open.length > 0)
    findings.push(
      warn(
        'folder',
        `${open.length} of its files would be open to other users, were the folder: ${open.slice(0, NAMED).join(', ')}`,
        'chmod 600 on each of them',
      ),
    );
  return findings.length > 0 ? findings : [fine('folder', `${dataDir}, yours alone`)];
};

export const checkDisk: Check = ({ dataDir, world }) => {
  const folder = nearest(dataDir);
  const free = world.free(folder);
  if (free === null) return [warn('disk', `how much is free at ${folder} is not known`, 'look with df')];
  const text = `${free < 10 * 1_024 * MIB ? `${Math.floor(free / MIB)} MiB` : `${Math.floor(free / (1_024 * MIB))} GiB`} free`;
  const remedy = 'free some space: a desk that cannot store its orders stops sending any';
  if (free < DISK_FAIL_BYTES) return [fail('disk', `the disk of ${folder} is full: ${text}`, remedy)];
  return [free < DISK_WARN_BYTES ? warn('disk', `only ${text} at ${folder}`, remedy) : fine('disk', text)];
};

/** Returns the id of the process that claims the folder; null: none does. */
export function readPid(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8').slice(0, 20).trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function missing({ dataDir }: Case): Finding {
  const above = nearest(dataDir);
  return mayUse(above)
    ? fine('folder', `${dataDir} is not there yet; the first start makes it`)
    : fail(
        'folder',
        `${dataDir} is not there, and cannot be made in ${above}`,
        'choose another with --data-dir',
      );
}

/** Returns the folder, or the nearest folder above it that exists. */
function nearest(folder: string): string {
  let at = folder;
  while (statOf(at) === null && dirname(at) !== at) at = dirname(at);
  return at;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'EACCES' || code === 'EPERM' ? 'denied' : null;
  }
}

function mayUse(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the names of the folder's files to which other users have rights. */
function openFiles(dataDir: string): string[] {
  const open: string[] = [];
  let left = ENTRIES_MAX;
  for (const inner of PRIVATE_FOLDERS) {
    for (const name of entriesOf(join(dataDir, inner))) {
      if (left-- <= 0) return open;
      const path = join(inner, name);
      const stat = lstatSync(join(dataDir, path), { throwIfNoEntry: false });
      if (stat?.isFile() && !EMPTY.test(path) && (stat.mode & OTHERS) !== 0) open.push(path);
    }
  }
  return open;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
