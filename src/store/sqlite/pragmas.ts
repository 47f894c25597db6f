/**
 * The settings of every connection: set on each open and read back, because a library's or a build's default
 * is not a promise (measured: better-sqlite3 reopens a WAL file with synchronous=NORMAL). A start is refused
 * when a setting does not take effect.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';

/** How long a statement waits for a lock held by another program, ms. */
export const BUSY_TIMEOUT_MS = 5_000;
const MIB = 1024 * 1024;

interface Pragma {
  readonly name: string;
  readonly value: string | number;
  /** The value on `:memory:` where it differs. */
  readonly inMemory?: string | number;
  /** The text that sets it, where it differs from the value. */
  readonly written?: string;
}

export const PRAGMAS: readonly Pragma[] = [
  { name: 'busy_timeout', value: BUSY_TIMEOUT_MS },
  { name: 'journal_mode', value: 'wal', inMemory: 'memory' },
  // 2 = FULL: the WAL is synced at every commit; NORMAL would lose acknowledged orders at a power cut.
  { name: 'synchronous', value: 2 },
  // macOS: fsync alone leaves data in the drive's cache. No effect elsewhere.
  { name: 'fullfsync', value: 1 },
  { name: 'checkpoint_fullfsync', value: 1 },
  { name: 'foreign_keys', value: 1 },
  { name: 'trusted_schema', value: 0 },
  { name: 'cell_size_check', value: 1 },
  { name: 'wal_autocheckpoint', value: 1_000 },
  // Deleted content is overwritten with zeros where its page is written anyway: for the vault that is always
  // so.
  { name: 'secure_delete', value: 2, written: 'FAST' },
  // Limits the WAL file after a checkpoint.
  { name: 'journal_size_limit', value: 16 * MIB },
];

/**
 * Sets all and reads all back; throws StoreError IO naming the first that differs. `db` must have been opened
 * with `defensive`.
 */
export function applyPragmas(db: DatabaseSync, file: string): void {
  for (const pragma of PRAGMAS) {
    const want = file === ':memory:' ? (pragma.inMemory ?? pragma.value) : pragma.value;
    db.exec(`PRAGMA ${pragma.name} = ${pragma.written ?? want}`);
    const got = readPragma(db, pragma.name);
    if (got !== want) throw refused(file, pragma.name, got, want);
  }
  // Defensive mode has no pragma to read, but its effect can be tested: writable_schema stays off.
  db.exec('PRAGMA writable_schema = ON');
  const writable = readPragma(db, 'writable_schema');
  if (writable !== 0) throw refused(file, 'defensive mode (writable_schema)', writable, 0);
}

export function readPragma(db: DatabaseSync, name: string): string | number | null {
  const row = db.prepare(`PRAGMA ${name}`).get();
  const value = row ? Object.values(row)[0] : null;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function refused(file: string, name: string, got: unknown, want: unknown): StoreError {
  return new StoreError(
    'IO',
    `${file} cannot be used safely: SQLite keeps ${name} at ${String(got)} instead of ${String(want)}; put the data folder on a local disk`,
  );
}
