/**
 * A desk's files: its data folder under a lock, the store and the log. Only one desk at a time can use a
 * folder.
 */
import { join } from 'node:path';
import type { Place } from '../domain/desk-id.ts';
import type { LogLine } from '../domain/rows.ts';
import { acquireFolderLock, prepareDataFolder } from '../store/data-folder.ts';
import { placeOf } from '../store/place.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import type { Store } from '../store/store.ts';
import { type LogFile, type LogFileOptions, openLogFile } from './core/log-file.ts';
import { DeskStartError } from './start-error.ts';

export interface DeskFiles {
  readonly store: Store;
  /** Machine and file of the store. */
  readonly place: Place;
  readonly writeLog: (line: LogLine) => void;
  /** What is unusual about the folder, one sentence each. */
  readonly warnings: readonly string[];
  /** Closes store and log and releases the folder; everything must be stored before. */
  close(): void;
}

export interface DeskFilesOptions {
  readonly dataDir: string;
  readonly openStore?: typeof openSqliteStore;
  /** Called when the store's maintenance failed. */
  readonly maintainFailed: (error: unknown) => void;
  readonly log: Omit<LogFileOptions, 'folder'>;
}

export function openFiles({
  dataDir,
  openStore = openSqliteStore,
  maintainFailed,
  log: logOptions,
}: DeskFilesOptions): DeskFiles {
  const warnings = prepareDataFolder(dataDir);
  const lock = acquireFolderLock(dataDir);
  if ('heldBy' in lock) {
    const by = lock.heldBy === null ? '' : ` (process ${lock.heldBy})`;
    throw new DeskStartError(`a desk already runs on ${dataDir}${by}; run outcry to attach to it`, 1);
  }
  let store: Store | null = null;
  try {
    const file = join(dataDir, 'outcry.db');
    const opened = openStore(file, { onMaintainError: maintainFailed });
    store = opened;
    const log: LogFile = openLogFile({ ...logOptions, folder: join(dataDir, 'log') });
    return {
      store: opened,
      place: placeOf(file),
      writeLog: (line) => log.write(line),
      warnings,
      close() {
        opened.close();
        log.close();
        lock.release();
      },
    };
  } catch (error) {
    store?.close();
    lock.release();
    throw error;
  }
}
