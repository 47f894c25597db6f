/**
 * CSV files that the desk writes for its operator: into `exports/` of the data folder, readable by the owner
 * alone, never over another file, synced before their path is returned. Page by page, so that the desk goes
 * on meanwhile.
 */
import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { csvLine } from '../../domain/csv.ts';
import type { ExportFile } from './protocol.ts';

/** A little less than what spreadsheets can open. */
export const MAX_EXPORT_ROWS = 1_000_000;
/** Most files of the same kind written in one second. */
const NAMES = 1_000;

export type CsvRow = readonly (string | number | boolean)[];

export interface ExportOptions {
  readonly dataDir: string;
  /** The kind: `portfolio`, `orders`, `trades`. */
  readonly what: string;
  readonly wall: number;
  readonly head: readonly string[];
  readonly pages: AsyncIterable<readonly CsvRow[]>;
}

/** Writes a file and returns what was written. Throws errors of the file system; no file is left then. */
export async function writeExport({ dataDir, what, wall, head, pages }: ExportOptions): Promise<ExportFile> {
  const folder = join(dataDir, 'exports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { path, file } = await createNew(folder, `${what}-${stamp(wall)}`);
  let rows = 0;
  let whole = true;
  try {
    await file.appendFile(csvLine(head));
    for await (const page of pages) {
      const room = MAX_EXPORT_ROWS - rows;
      const taken = page.slice(0, room);
      rows += taken.length;
      if (taken.length > 0) await file.appendFile(taken.map(csvLine).join(''));
      whole = taken.length === page.length;
      if (!whole) break;
    }
    await file.sync();
  } catch (error) {
    await file.close();
    await unlink(path);
    throw error;
  }
  await file.close();
  await syncFolder(folder);
  return { path, rows, whole };
}

/** Syncs the folder: a new file's name is stored there. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createNew(folder: string, name: string) {
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? `${name}.csv` : `${name}-${n}.csv`);
    try {
      return { path, file: await open(path, 'wx', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || n >= NAMES) throw error;
    }
  }
}

/** Returns a time as `20261120-194012`, UTC. */
function stamp(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
