/**
 * Reads a secret from a file of its own, as secret managers provide them: one short line that no other user
 * can read. Never shows the content.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/** Longest file, bytes: a secret has one short line, so a larger file is something else. */
export const SECRET_FILE_BYTES = 4_096;
/**
 * The folder in which systemd puts a service's credentials: only its user can read it, whatever the modes of
 * the files.
 */
export const CREDENTIALS = '$CREDENTIALS_DIRECTORY';
const OTHERS = 0o077;

/**
 * The file's line without its line end, which the caller fills with zeros; or the problem, worded to follow
 * the name of the key or option. The path may begin with `$CREDENTIALS_DIRECTORY/`.
 */
export function readSecretBytes(
  given: string,
  credentials: string | undefined = process.env.CREDENTIALS_DIRECTORY,
): { readonly bytes: Buffer } | { readonly problem: string } {
  const path = expanded(given, credentials);
  if (path === null)
    return { problem: `${CREDENTIALS} is not set: ${given} is a file of a service of systemd` };
  let fd: number | null = null;
  try {
    // Without O_NONBLOCK a pipe without a writer would block the start.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const problem = fileProblem(fd, path, credentials);
    return problem === null ? { bytes: lineOf(fd) } : { problem };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: `${path} cannot be read (${code ?? 'not a file'})` };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function expanded(given: string, credentials: string | undefined): string | null {
  if (!given.startsWith(`${CREDENTIALS}/`)) return given;
  return credentials ? resolve(credentials, given.slice(CREDENTIALS.length + 1)) : null;
}

/** Checks the open file, so that it cannot be exchanged between check and read. */
function fileProblem(fd: number, path: string, credentials: string | undefined): string | null {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return `${path} is not a file`;
  if (stat.size > SECRET_FILE_BYTES) return `${path} is larger than ${SECRET_FILE_BYTES} bytes`;
  const user = process.getuid?.();
  if (user === undefined) return null;
  if (stat.uid !== user && stat.uid !== 0) return `${path} belongs to another user`;
  if ((stat.mode & OTHERS) === 0 || isCredential(path, credentials)) return null;
  return `others on this machine can read ${path}; run chmod 600 on it`;
}

function isCredential(path: string, credentials: string | undefined): boolean {
  return credentials ? realpathSync(path).startsWith(realpathSync(credentials) + sep) : false;
}

function lineOf(fd: number): Buffer {
  const read = Buffer.alloc(SECRET_FILE_BYTES);
  let length = 0;
  for (let more = -1; more !== 0 && length < read.length; length += more)
    more = readSync(fd, read, length, read.length - length, length);
  if (length > 0 && read[length - 1] === 0x0a) length -= 1;
  if (length > 0 && read[length - 1] === 0x0d) length -= 1;
  return read.subarray(0, length);
}
