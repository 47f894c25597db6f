/**
 * The log on disk: JSON lines through pino, one file of bounded size and a few older ones. Never writes to
 * the terminal. No failure of its files ends the desk: a line that cannot be written is lost here, and that
 * is reported once elsewhere.
 */
import * as nodeFs from 'node:fs';
import { constants } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LogLine } from '../../domain/rows.ts';
import { visible } from '../../domain/visible.ts';

const FILE = 'outcry.log';
/** Most bytes of the newest file; then the next one is begun. */
export const LOG_FILE_BYTES = 10 * 1024 * 1024;
/** Older files kept beside the newest one. */
export const LOG_FILES_KEPT = 5;
/** Characters of one line's text; the rest is cut off. */
export const LOG_TEXT_LENGTH = 8_192;
/** How long a removed or replaced file may stay unnoticed, ms, by the time of the log's lines. */
export const LOG_LOOK_EVERY_MS = 10_000;
/** A rotation that failed is tried again after this many further bytes. */
export const LOG_RETRY_BYTES = 1024 * 1024;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;
const APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
const PRIVATE = 0o600;

/** The part of the file system that is used. */
export type LogFs = Pick<
  typeof nodeFs,
  'openSync' | 'closeSync' | 'writeSync' | 'fstatSync' | 'lstatSync' | 'renameSync' | 'rmSync'
>;

export interface LogFileOptions {
  readonly folder: string;
  /** Called once for a problem of the log until it is solved; one sentence. */
  readonly failed: (problem: string) => void;
  /** Gets every line as it is in the file. */
  readonly copy?: (text: string) => void;
  readonly fs?: LogFs;
}

export interface LogFile {
  write(line: LogLine): void;
  close(): void;
}

/** Opens the log file. Throws when it cannot be opened at all. */
export function openLogFile(options: LogFileOptions): LogFile {
  return new RotatingFile(options);
}

class RotatingFile implements LogFile {
  readonly #path: string;
  readonly #fs: LogFs;
  readonly #failed: LogFileOptions['failed'];
  readonly #logger: ReturnType<typeof pino>;
  #fd: number;
  /** A file descriptor reserved for the next file: all others may be in use by then. Null: there is none. */
  #spare: number | null = null;
  #written: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Problems that exist now and were reported. */
  readonly #told = new Set<'lines' | 'files'>();

  constructor({ folder, failed, copy, fs = nodeFs }: LogFileOptions) {
    this.#path = join(folder, FILE);
    this.#fs = fs;
    this.#failed = failed;
    this.#fd = fs.openSync(this.#path, APPEND, PRIVATE);
    this.#written = fs.fstatSync(this.#fd).size;
    this.#keepSpare();
    const write = (text: string) => {
      copy?.(text);
      this.#append(text);
    };
    this.#logger = pino({ base: null, timestamp: false }, { write });
  }

  write({ at, level, source, text, orderId }: LogLine): void {
    this.#look(at);
    if (this.#written >= LOG_FILE_BYTES) this.#rotate();
    const cut = text.length > LOG_TEXT_LENGTH ? `${text.slice(0, LOG_TEXT_LENGTH)}...` : text;
    this.#logger[level]({ at: new Date(at).toISOString(), source, orderId }, visible(cut));
  }

  close(): void {
    for (const fd of [this.#fd, this.#spare]) if (fd !== null) this.#quietly(() => this.#fs.closeSync(fd));
  }

  #append(text: string): void {
    const bytes = Buffer.from(text);
    this.#written += bytes.length;
    try {
      for (let done = 0; done < bytes.length; ) done += this.#fs.writeSync(this.#fd, bytes, done);
      this.#told.delete('lines');
    } catch (error) {
      this.#tell('lines', `${this.#path} cannot be written (${wordsOf(error)}): lines are missing from it`);
    }
  }

  /** Opens the file anew if it was removed or replaced; older lines stay where they are. */
  #look(at: number): void {
    if (Math.abs(at - this.#lookedAt) < LOG_LOOK_EVERY_MS) return;
    this.#lookedAt = at;
    if (this.#spare === null) this.#keepSpare();
    if (!this.#isOurs()) this.#reopen();
  }

  #isOurs(): boolean {
    try {
      const there = this.#fs.lstatSync(this.#path, { throwIfNoEntry: false });
      const ours = this.#fs.fstatSync(this.#fd);
      return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
    } catch {
      return false;
    }
  }

  #reopen(): void {
    const fd = this.#open(this.#path, APPEND);
    if (fd === null) return;
    this.#written = this.#fs.fstatSync(fd).size;
    this.#take(fd);
    this.#failed(`${this.#path} was removed or replaced while the desk ran; it is written anew`);
  }

  /** Begins a new file. It exists before anything is renamed, and nothing is renamed over the present one. */
  #rotate(): void {
    this.#written = LOG_FILE_BYTES - LOG_RETRY_BYTES;
    if (!this.#isOurs()) {
      this.#reopen();
      return;
    }
    const draft = `${this.#path}.new`;
    this.#quietly(() => this.#fs.rmSync(draft, { force: true }));
    const fd = this.#open(draft, APPEND | O_EXCL);
    if (fd === null) return;
    for (let n = LOG_FILES_KEPT - 1; n >= 1; n--) {
      this.#quietly(() => this.#fs.renameSync(`${this.#path}.${n}`, `${this.#path}.${n + 1}`));
    }
    try {
      this.#fs.renameSync(this.#path, `${this.#path}.1`);
      this.#fs.renameSync(draft, this.#path);
    } catch (error) {
      this.#quietly(() => this.#fs.closeSync(fd));
      this.#quietly(() => this.#fs.rmSync(draft, { force: true }));
      this.#keepSpare();
      this.#tell('files', `${this.#path} cannot be rotated (${wordsOf(error)}): the present file is kept`);
      return;
    }
    this.#written = 0;
    this.#take(fd);
  }

  /** Opens a file with the reserved descriptor; null, and reported, when it cannot. */
  #open(path: string, flags: number): number | null {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) this.#quietly(() => this.#fs.closeSync(spare));
    try {
      return this.#fs.openSync(path, flags, PRIVATE);
    } catch (error) {
      this.#keepSpare();
      this.#tell('files', `${path} cannot be opened (${wordsOf(error)}): the present file is kept`);
      return null;
    }
  }

  #take(fd: number): void {
    this.#told.delete('files');
    const before = this.#fd;
    this.#fd = fd;
    this.#quietly(() => this.#fs.closeSync(before));
    this.#keepSpare();
  }

  #keepSpare(): void {
    this.#quietly(() => {
      this.#spare = this.#fs.openSync(devNull, 'r');
    });
  }

  /** Runs something whose failure shows elsewhere if it matters. */
  #quietly(run: () => void): void {
    try {
      run();
    } catch {
      // Reported where it matters.
    }
  }

  /** Reports a problem once until it is solved: the report itself is logged, too. */
  #tell(what: 'lines' | 'files', problem: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#failed(problem);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
