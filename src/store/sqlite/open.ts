/**
 * Opens a database file for the store: inspects before it writes, creates all of it or nothing, sets and
 * verifies the settings, migrates. The caller must hold the folder's lock (`data-folder.ts`).
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

/**
 * Opens a store. `file`: a path, or `:memory:`. Throws StoreError; a file that is refused stays unchanged.
 */
export function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(openDatabase(file), file, options);
}

/**
 * Returns a migrated connection with every setting verified. `steps` is for tests of the migration itself.
 */
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
    // SQLite falls back to read-only silently; taking the write lock once detects that now.
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    migrate(db, file, steps);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Creates the database under another name and renames it, so that a file of the final name always has the
 * application id and its tables in the main file, at whatever moment the machine fails.
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

/**
 * Empties the WAL: when the tables do not fit on the disk, `close` would silently leave them in the WAL, and
 * a rename would lose them.
 */
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
