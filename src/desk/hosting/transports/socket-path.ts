/**
 * The place of a data folder's socket: `outcry.sock` in it, or, where that path is too long for a Unix socket
 * or the file system has no sockets, in a private short folder whose path is recorded in `outcry.sock.path`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

const SOCKET_NAME = 'outcry.sock';
const RECORD_NAME = 'outcry.sock.path';
/** `sun_path` holds 104 bytes on macOS and the BSDs, 108 on Linux, a closing zero included. */
export const MAX_SOCKET_PATH_BYTES = 103;

/** Returns every path at which the desk of `dataDir` may listen, the usual one first. */
export function socketPaths(dataDir: string): string[] {
  const paths = [usualSocketPath(dataDir)];
  const recorded = recordedPath(dataDir);
  if (recorded) paths.push(recorded);
  return paths.filter(fits);
}

/** Returns the path in the data folder itself; on Windows a named pipe, which is in no folder. */
export function usualSocketPath(dataDir: string): string {
  if (process.platform !== 'win32') return join(dataDir, SOCKET_NAME);
  const name = createHash('sha256').update(resolve(dataDir).toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\outcry-${name}`;
}

export function fits(path: string): boolean {
  return process.platform === 'win32' || Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
}

/**
 * Makes a short private folder (0700) for the socket and records it in the data folder. Throws when none is
 * short enough.
 */
export function makeShortSocketPath(dataDir: string): string {
  forgetShortSocketPath(dataDir);
  for (const root of new Set([tmpdir(), '/tmp'])) {
    if (!existsSync(root) || !fits(join(root, 'outcry-XXXXXX', SOCKET_NAME))) continue;
    const path = join(mkdtempSync(join(root, 'outcry-')), SOCKET_NAME);
    const record = join(dataDir, RECORD_NAME);
    // Removed above: a link in this place is not followed.
    writeFileSync(record, `${path}\n`, { mode: 0o600, flag: 'wx' });
    return path;
  }
  throw new Error(
    `The data folder's path is too long for a socket and no short temporary folder was found: choose a data folder whose path is under ${MAX_SOCKET_PATH_BYTES - SOCKET_NAME.length} bytes with --data-dir`,
  );
}

/** Removes the record, the socket it names and the folder made for it. */
export function forgetShortSocketPath(dataDir: string): void {
  const path = recordedPath(dataDir);
  rmSync(join(dataDir, RECORD_NAME), { force: true });
  if (!path) return;
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // It belongs to somebody else by now, or is gone: it is not ours to remove.
  }
}

/** Returns the recorded path if it has the exact form that this module makes; any other record is ignored. */
function recordedPath(dataDir: string): string | null {
  let path: string;
  try {
    path = readFileSync(join(dataDir, RECORD_NAME), 'utf8').trim();
  } catch {
    return null;
  }
  const ours = basename(path) === SOCKET_NAME && /^outcry-[A-Za-z0-9]{6}$/.test(basename(dirname(path)));
  return ours ? path : null;
}
