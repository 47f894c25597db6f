/**
 * Inspects a database file before anything may write to it: is it an Outcry database, is its format known,
 * was the last stop clean and is it sound? Refuses with one sentence. Never changes the database or its WAL.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { damaged, toStoreError } from './errors.ts';
import { BUSY_TIMEOUT_MS, readPragma } from './pragmas.ts';

/**
 * `OUTC`, at offset 68 of the file's header. Written to the main file at its creation, never only to the WAL.
 */
export const APPLICATION_ID = 0x4f555443;

// https://sqlite.org/fileformat.html
const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const WAL_HEADER_BYTES = 32;

/**
 * Above this size the check after an unclean stop is left out: it reads the whole file (measured: 0.3 s for
 * this much, warm).
 */
export const CHECK_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Inspects the file. `latest`: highest format this program knows. Throws StoreError FOREIGN, NEWER, CORRUPT,
 * IO, BUSY.
 */
export function inspectFile(file: string, latest: number): 'new' | 'existing' {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    const hasWal = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > WAL_HEADER_BYTES;
    if (!stat || (stat.isFile() && stat.size === 0)) {
      // SQLite would delete the WAL and with it the last committed orders.
      if (hasWal) throw orphanedWal(file, stat ? 'empty' : 'missing');
      return 'new';
    }
    if (!stat.isFile()) throw foreign(file, 'it is not a file');
    accessSync(file, constants.R_OK | constants.W_OK);
    inspectHeader(file, latest);
    if (hasWal) inspectAfterUncleanStop(file, latest, stat.size);
    return 'existing';
  } catch (error) {
    throw toStoreError(error, file, 'opened');
  }
}

/** Returns the format of the file. Throws StoreError FOREIGN, NEWER, IO. */
export function inspectHeader(file: string, latest: number): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openSync(file, 'r');
  try {
    const read = readSync(fd, header, 0, HEADER_BYTES, 0);
    if (read < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw foreign(file, 'it is not a database, or its beginning is damaged');
  } finally {
    closeSync(fd);
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID)
    throw foreign(file, 'it belongs to another program');
  const version = header.readUInt32BE(USER_VERSION_AT);
  refuseNewer(file, version, latest);
  return version;
}

/**
 * Checks a file with a WAL, which a clean stop never leaves: the header may be older than the WAL, and a
 * power cut may have torn something.
 */
function inspectAfterUncleanStop(file: string, latest: number, size: number): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    refuseNewer(file, Number(readPragma(db, 'user_version')), latest);
    if (size > CHECK_LIMIT_BYTES) return;
    const verdict = readPragma(db, 'quick_check(1)');
    if (verdict !== 'ok') throw damaged(file, String(verdict).replaceAll('\n', ' '));
  } finally {
    db.close();
  }
}

function refuseNewer(file: string, version: number, latest: number): void {
  if (version <= latest) return;
  throw new StoreError(
    'NEWER',
    `${file} was written by a newer Outcry (format ${version}, this one knows up to ${latest}); start it with that version`,
  );
}

function foreign(file: string, why: string): StoreError {
  return new StoreError(
    'FOREIGN',
    `${file} is not an Outcry database (${why}); choose another data folder with --data-dir or move the file away`,
  );
}

function orphanedWal(file: string, state: 'empty' | 'missing'): StoreError {
  return new StoreError(
    'CORRUPT',
    `${file} is ${state} although ${file}-wal still holds data of it; put the database back, or move the -wal file away to start with an empty one`,
  );
}
