/**
 * Turns errors of SQLite, the file system or a row's encoding into a StoreError with one sentence on which a
 * person can act. Never retries and never decides what happens next.
 */

import { errorText } from '../../domain/errors.ts';
import { StoreError } from '../store.ts';

/** Primary result codes, https://sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
/** An extended code: the index of the WAL could not grow, which only a full disk causes. */
const SQLITE_IOERR_SHMSIZE = SQLITE_IOERR | (19 << 8);

/** SQLite's own words for a record that is not JSON; its code is the general one. */
const MALFORMED = 'malformed JSON';

/** Returns the primary result code of an error thrown by node:sqlite, null for any other error. */
export function sqliteCode(error: unknown): number | null {
  const code = error instanceof Error ? (error as { errcode?: unknown }).errcode : undefined;
  if (code === SQLITE_IOERR_SHMSIZE) return SQLITE_FULL;
  return typeof code === 'number' ? code & 0xff : null;
}

/**
 * Converts an error. `doing` completes "could not be ...": `opened`, `written`. A StoreError passes through
 * unchanged.
 */
export function toStoreError(error: unknown, file: string, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const detail = errorText(error);
  const options = { cause: error };
  if (error instanceof SyntaxError) return damaged(file, `a stored record is not JSON: ${detail}`, options);
  if (detail === MALFORMED) return damaged(file, 'a stored record is not JSON', options);
  switch (sqliteCode(error)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return new StoreError(
        'BUSY',
        `${file} is locked by another program; close that one and try again`,
        options,
      );
    case SQLITE_FULL:
      return new StoreError(
        'FULL',
        `The disk that holds ${file} is full; free some space and try again`,
        options,
      );
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return damaged(file, detail, options);
    default:
      return new StoreError('IO', `${file} could not be ${doing}: ${detail}`, options);
  }
}

export function damaged(file: string, detail: string, options?: { cause?: unknown }): StoreError {
  const advice = 'restore it from a backup, or move it away to start with an empty one';
  return new StoreError('CORRUPT', `${file} is damaged (${detail}); ${advice}`, options);
}

/**
 * Returns true when the device or the file itself failed, so that the content of the disk is unknown: after a
 * failed fsync the kernel may drop the pages and report the next fsync as a success (PostgreSQL's fsyncgate).
 */
export function isDeviceFault(error: StoreError): boolean {
  const code = sqliteCode(error.cause);
  if (code !== null) return code === SQLITE_IOERR || code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
  return error.cause === undefined && (error.code === 'IO' || error.code === 'CORRUPT');
}
