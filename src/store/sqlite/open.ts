/**
 * Opens a database file for the store: looks before it writes, creates whole or not at all, sets and proves the
 * settings, migrates. Whoever calls this holds the folder's lock (`data-folder.ts`).
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Store, StoreError } from '../store.ts';
import { toStoreError } from './errors.ts';
import { APPLICATION_ID, inspectFile } from './inspect.ts';
import { MIGRATIONS, type Migration, migrate } from './migrations.ts';
import { applyPragmas, BUSY_TIMEOUT_MS } from './pragmas.ts';
import { SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';

/** `file`: a path, or `:memory:`. Throws StoreError; a file that is refused is left as it was. */
export function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(openDatabase(file), file, options);
}

/** A migrated connection with every setting proven. `steps` is for tests of the migration itself. */
export function openDatabase(file: string, steps: readonly Migration[] = MIGRATIONS): DatabaseSync {
  const latest = steps.at(-1)?.version ?? 0;
  try {
    if (file !== ':memory:' && inspectFile(file, latest) === 'new') createWhole(file, steps);
    return connect(file, steps);
  } catch (error) {
    throw toStoreError(error, file, 'opened');
  }
}

function connect(file: string, steps: readonly Migration[]): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, defensive: true });
  try {
    applyPragmas(db, file);
    // SQLite falls back to read-only without a word; taking the write lock once finds that out now.
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    migrate(db, file, steps);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Makes the database under another name and renames it, so that a file of the final name always has our application
 * id and its tables in the main file, whatever moment the machine dies in.
 */
function createWhole(file: string, steps: readonly Migration[]): void {
  const draft = `${file}.new`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  closeSync(openSync(draft, 'wx', 0o600));
  const bare = new DatabaseSync(draft);
  try {
    bare.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  } finally {
    bare.close();
  }
  const whole = connect(draft, steps);
  try {
    emptyWal(whole, draft);
  } finally {
    whole.close();
  }
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** `close` would leave the tables in the WAL without a word when they do not fit on the disk; a rename would lose them. */
function emptyWal(db: DatabaseSync, file: string): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const left = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (left > 0) throw new StoreError('IO', `${file} could not be written whole; try again`);
}

/** Makes a rename durable. Windows cannot open a folder, and does not need this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
