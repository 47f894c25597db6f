/**
 * The data folder: its location, its privacy, and the lock by which one desk at a time uses it. Does not
 * interpret the files in it. Nothing else may open `outcry.lock`: closing any handle of it in this process
 * would drop the lock.
 */
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorText } from '../domain/errors.ts';

/**
 * The folder cannot be used: one sentence for a person. Waiting does not help; another folder or other
 * permissions do.
 */
export class DataFolderError extends Error {
  readonly code: 'NOT_A_FOLDER' | 'NOT_OURS' | 'NO_ACCESS' | 'NO_LOCK';
  readonly retryable = false;

  constructor(code: DataFolderError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DataFolderError';
    this.code = code;
  }
}

export interface DataFolderOptions {
  /** `--data-dir`; relative to the working folder. */
  readonly dataDir?: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the user's home folder. */
  readonly home?: string;
}

/**
 * Returns `--data-dir`, else `$OUTCRY_HOME`, else `$XDG_DATA_HOME/outcry`, else `~/.local/share/outcry`;
 * absolute. Empty means not given; a relative `XDG_DATA_HOME` is ignored, as the XDG Base Directory
 * Specification asks.
 */
export function resolveDataFolder(options: DataFolderOptions = {}): string {
  const env = options.env ?? process.env;
  if (options.dataDir) return resolve(options.dataDir);
  if (env.OUTCRY_HOME) return resolve(env.OUTCRY_HOME);
  const xdg = env.XDG_DATA_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'outcry');
  return join(options.home ?? homedir(), '.local', 'share', 'outcry');
}

const PRIVATE = 0o700;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** Folders inside the data folder (architecture.md, "Data folder"). */
const INNER_FOLDERS = ['log', 'keys'] as const;

/** A folder that contains one of these is a data folder already, or is meant to be one. */
const OUR_FILES: ReadonlySet<string> = new Set(['outcry.db', 'outcry.lock', 'config.toml']);

/**
 * Creates the folder and those inside it, all with mode 0700. Refuses a folder that others own or can write
 * to, since its content may be theirs. Returns warnings, one sentence each; throws DataFolderError.
 */
export function prepareDataFolder(dir: string): string[] {
  makeFolder(dir);
  const warnings = makePrivate(dir, refuseSharedFolder(dir));
  // From here on nobody else can put anything into the folder.
  for (const name of INNER_FOLDERS) {
    const folder = join(dir, name);
    refuseLink(folder);
    makeFolder(folder);
    refuseForeign(folder);
    warnings.push(...makePrivate(folder));
  }
  return warnings;
}

function makeFolder(folder: string): void {
  try {
    if (!statSync(folder, { throwIfNoEntry: false })) makePath(folder);
    if (!statSync(folder).isDirectory())
      throw new DataFolderError('NOT_A_FOLDER', `${folder} is not a folder; choose another with --data-dir`);
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    const inTheWay = ['ENOTDIR', 'EEXIST'].includes(errorCode(error) ?? '');
    if (inTheWay)
      throw new DataFolderError(
        'NOT_A_FOLDER',
        `${folder} cannot be a folder, because a file is in its way`,
        {
          cause: error,
        },
      );
    throw noAccess(folder, 'created', error);
  }
}

/**
 * Creates one folder after the other: Node's recursive mode never ends where a file system takes no folders
 * at all (/proc).
 */
function makePath(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && !statSync(parent, { throwIfNoEntry: false })) makePath(parent);
  try {
    mkdirSync(folder, { mode: PRIVATE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Refuses a shared folder: `--data-dir /tmp` or `.` must not lock out its other users; and where others can
 * write, the content may be theirs: a configuration, a link to somewhere else. Returns the permissions that
 * the folder had.
 */
function refuseSharedFolder(folder: string): number {
  const mode = statSync(folder).mode & 0o777;
  if (process.platform === 'win32') return mode;
  refuseForeign(folder);
  if ((mode & OTHERS) === 0) return mode;
  // An empty folder is made private first: nobody can put anything into it between the check and that.
  if ((mode & OTHERS_WRITE) !== 0 && entriesOf(folder).length === 0) closeFolder(folder);
  const entries = entriesOf(folder);
  if (entries.length === 0) return mode;
  if ((mode & OTHERS_WRITE) !== 0)
    throw new DataFolderError(
      'NOT_OURS',
      `other users of this machine can write to ${folder} (mode ${octal(mode)}); look whether all in it is yours, then run chmod 700 on it, or choose another with --data-dir`,
    );
  if (entries.some((name) => OUR_FILES.has(name))) return mode;
  throw new DataFolderError(
    'NOT_OURS',
    `${folder} holds other files and is open to other users; give the desk a folder of its own with --data-dir`,
  );
}

function refuseForeign(folder: string): void {
  const user = process.getuid?.();
  const { uid } = statSync(folder);
  if (user === undefined || uid === user) return;
  throw new DataFolderError(
    'NOT_OURS',
    `${folder} belongs to another user (id ${uid}); run the desk as that user, or choose another folder with --data-dir`,
  );
}

/** Refuses links: inner folders must be inside, since permissions are changed and files created there. */
function refuseLink(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new DataFolderError(
    'NOT_A_FOLDER',
    `${folder} is a symbolic link; it has to be a folder: put the folder there itself, or link the whole data folder`,
  );
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw noAccess(folder, 'read', error);
  }
}

function closeFolder(folder: string): void {
  try {
    chmodSync(folder, PRIVATE);
  } catch (error) {
    throw noAccess(folder, 'made private and writable', error);
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function makePrivate(folder: string, mode = statSync(folder).mode & 0o777): string[] {
  // Windows has no such modes; there the user's profile folder is private already.
  if (process.platform === 'win32') return [];
  try {
    if (mode !== PRIVATE) chmodSync(folder, PRIVATE);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw noAccess(folder, 'made private and writable', error);
  }
  if ((mode & OTHERS) === 0) return [];
  return [`${folder} was open to other users of this machine (mode ${octal(mode)}); it is 0700 now`];
}

/** Why a folder cannot be used, where the system's error name says less. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission there',
  EPERM: 'it is not yours',
  EROFS: 'the disk is read-only',
  ENOENT: 'the system takes no folders there',
};

function noAccess(folder: string, doing: string, cause: unknown): DataFolderError {
  const why = errorCode(cause) ?? String(cause);
  const text =
    why === 'ENOSPC' || why === 'EDQUOT'
      ? diskFull(folder)
      : `${folder} cannot be ${doing}: ${REASONS[why] ?? why}; choose another folder with --data-dir`;
  return new DataFolderError('NO_ACCESS', text, { cause });
}

function diskFull(path: string): string {
  return `The disk that holds ${path} is full; free some space and try again`;
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * The right to run a desk on this folder, until `release` or the end of the process, for whatever reason it
 * ends.
 */
export interface FolderLock {
  readonly dir: string;
  /** Releases the lock. Harmless when repeated. */
  release(): void;
}

const LOCK_FILE = 'outcry.lock';
const PID_FILE = 'outcry.pid';
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** How often, and how far apart, the lock is tried while its holder has not written its process id yet. */
const ATTEMPTS = 10;
const PAUSE_MS = 20;

/** Keeps the connections from the garbage collector, which would close them and drop the lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks the folder for one desk. The lock is SQLite's exclusive lock on an empty file: the operating system
 * drops it with the process, SIGKILL included, so a reused process id cannot deceive anyone. The id beside it
 * is only for messages to people; `heldBy` is null when it is not known. Throws DataFolderError where locks
 * do not work.
 */
export function acquireFolderLock(dir: string): FolderLock | { readonly heldBy: number | null } {
  for (let attempt = 1; ; attempt++) {
    const db = tryLock(join(dir, LOCK_FILE));
    if (db) return holdLock(dir, db);
    const pid = readPid(dir);
    if (pid !== null && isAlive(pid)) return { heldBy: pid };
    if (attempt === ATTEMPTS) return { heldBy: pid };
    // Two processes that start together can refuse each other: waits that depend on the process id differ.
    pause(PAUSE_MS + (process.pid % PAUSE_MS));
  }
}

function tryLock(file: string): DatabaseSync | null {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written: the file stays empty.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
    if (code === SQLITE_BUSY) return null;
    const why = errorText(error);
    const text =
      code === SQLITE_FULL
        ? diskFull(file)
        : `${file} cannot be locked (${why}); put the data folder on a local disk`;
    throw new DataFolderError('NO_LOCK', text, { cause: error });
  }
}

function holdLock(dir: string, db: DatabaseSync): FolderLock {
  held.add(db);
  const release = () => {
    if (!held.delete(db)) return;
    rmSync(join(dir, PID_FILE), { force: true });
    db.close();
  };
  try {
    const draft = join(dir, `${PID_FILE}.new`);
    // Created anew: a link in its place is removed, never followed.
    rmSync(draft, { force: true });
    writeFileSync(draft, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, join(dir, PID_FILE));
  } catch (error) {
    release();
    throw noAccess(dir, 'written to', error);
  }
  return { dir, release };
}

function readPid(dir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dir, PID_FILE), 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, as another user.
    return errorCode(error) === 'EPERM';
  }
}

/** Blocks this thread: only at a start, and for 400 ms at most. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
