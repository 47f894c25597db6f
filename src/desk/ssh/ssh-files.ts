/**
 * The files of the desk's own sshd, in `ssh/` of the data folder (0700): host keys, `authorized_keys`,
 * `sshd_config` (0600 each). A file is replaced as a whole or not at all; a host key is made once and never
 * written over another, even a damaged one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type HostKey, hostKeyFile, readHostKey } from '../../access/host-key.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';

const FOLDER = 'ssh';
const KEY_BYTES_MAX = 16_384;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

export interface HostKeys {
  /** The key that logins are answered with. */
  readonly now: HostKey;
  /** The key after the next rotation; clients are told of it already. Null: none is made. */
  readonly next: HostKey | null;
}

export class SshFiles {
  readonly #folder: string;
  readonly #randomBytes: (size: number) => Uint8Array;

  constructor(dataDir: string, randomBytes: (size: number) => Uint8Array) {
    this.#folder = join(dataDir, FOLDER);
    this.#randomBytes = randomBytes;
  }

  get config(): string {
    return join(this.#folder, 'sshd_config');
  }

  get authorizedKeys(): string {
    return join(this.#folder, 'authorized_keys');
  }

  get hostKey(): string {
    return join(this.#folder, 'host_ed25519');
  }

  get nextHostKey(): string {
    return join(this.#folder, 'host_ed25519.next');
  }

  /**
   * Makes the folder and the first host key where there is none; refuses with a sentence when the existing
   * files cannot be used.
   */
  open(): Outcome<HostKeys> {
    try {
      const stat = lstatSync(this.#folder, { throwIfNoEntry: false });
      if (!stat) mkdirSync(this.#folder, { mode: 0o700 });
      else if (!stat.isDirectory()) return bad(`${this.#folder} is no folder; move it away`);
      else if ((stat.mode & OTHERS_WRITE) !== 0 || isForeign(stat.uid))
        return bad(
          `others on this machine can write to ${this.#folder}; look at what is in it, then run chmod 700 on it`,
        );
      if (!exists(this.hostKey)) this.#makeKey(this.hostKey);
    } catch (error) {
      return bad(`the folder ${this.#folder} cannot be used: ${codeOf(error)}`);
    }
    return this.hostKeys();
  }

  hostKeys(): Outcome<HostKeys> {
    const now = keyAt(this.hostKey);
    if (!now.ok) return now;
    if (!exists(this.nextHostKey)) return ok({ now: now.data, next: null });
    const next = keyAt(this.nextHostKey);
    return next.ok ? ok({ now: now.data, next: next.data }) : next;
  }

  /** Makes the key of the next rotation, unless there is one. */
  prepareNext(): Outcome<HostKeys> {
    try {
      if (!exists(this.nextHostKey)) this.#makeKey(this.nextHostKey);
    } catch (error) {
      return bad(`no host key could be made: ${codeOf(error)}`);
    }
    return this.hostKeys();
  }

  /**
   * Makes the next key the present one; the old one is kept beside it under its fingerprint. After
   * `prepareNext`.
   */
  rotate(): Outcome<HostKeys> {
    const keys = this.prepareNext();
    if (!keys.ok) return keys;
    const tail = keys.data.now.fingerprint
      .replace(/^SHA256:/, '')
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, 12);
    try {
      renameSync(this.hostKey, `${this.hostKey}.old-${tail}`);
      renameSync(this.nextHostKey, this.hostKey);
      syncFolder(this.#folder);
    } catch (error) {
      return bad(`the host keys could not be renamed: ${codeOf(error)}`);
    }
    return this.hostKeys();
  }

  writeConfig(text: string): Outcome<null> {
    return this.#replace(this.config, text);
  }

  writeAuthorizedKeys(lines: readonly string[]): Outcome<null> {
    const head = '# Written by the desk from its operators; a change here is lost.';
    return this.#replace(this.authorizedKeys, `${[head, ...lines].join('\n')}\n`);
  }

  #makeKey(path: string): void {
    writeNew(path, hostKeyFile(this.#randomBytes(36)));
    syncFolder(this.#folder);
  }

  #replace(path: string, text: string): Outcome<null> {
    const fresh = `${path}.new`;
    try {
      rmSync(fresh, { force: true });
      writeNew(fresh, text);
      renameSync(fresh, path);
      syncFolder(this.#folder);
      return ok(null);
    } catch (error) {
      return bad(`${path} could not be written: ${codeOf(error)}`);
    }
  }
}

/** Writes a new file. Never follows a link, never writes over an existing file. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function keyAt(path: string): Outcome<HostKey> {
  const remedy = 'put it right, or move it away and a new one is made';
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return bad(`the host key ${path} cannot be read (${codeOf(error)}); ${remedy}`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > KEY_BYTES_MAX) return bad(`${path} is no host key; ${remedy}`);
    if ((stat.mode & OTHERS) !== 0 || isForeign(stat.uid))
      return bad(
        `others on this machine can read the host key ${path}; it is theirs, too, by now: move it away and a new one is made`,
      );
    const key = readHostKey(readFileSync(file, 'utf8'));
    return 'problem' in key ? bad(`the host key ${path} ${key.problem}; ${remedy}`) : ok(key);
  } catch (error) {
    return bad(`the host key ${path} cannot be read (${codeOf(error)}); ${remedy}`);
  } finally {
    closeSync(file);
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isForeign(uid: number): boolean {
  const user = process.getuid?.();
  return user !== undefined && uid !== user;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function bad(message: string): Outcome<never> {
  return refuse('CONFLICT', message);
}
