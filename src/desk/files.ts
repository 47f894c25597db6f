/** What a desk has on disk: its data folder under a lock, the store and the log. One desk at a time has a folder. */
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
  /** Where it lies. */
  readonly place: Place;
  readonly writeLog: (line: LogLine) => void;
  /** What is odd about the folder, in words. */
  readonly warnings: readonly string[];
  /** Everything is stored before: closes store and log and gives the folder back. */
  close(): void;
}

export interface DeskFilesOptions {
  readonly dataDir: string;
  readonly openStore?: typeof openSqliteStore;
  /** Hears why the store could not be tidied. */
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
