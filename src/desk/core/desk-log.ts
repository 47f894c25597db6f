/**
 * The desk's log: each line goes to the file, to the store with the next commit, to a ring in memory, and to
 * the consoles.
 */
import type { LogLine } from '../../domain/rows.ts';
import { LOG_LINES } from '../console/protocol.ts';

export interface DeskLogOptions {
  readonly wall: () => number;
  /** `now`: with a commit of its own, if needed. */
  readonly store: (line: LogLine, now: boolean) => void;
  readonly file: (line: LogLine) => void;
  readonly tell: (line: LogLine) => void;
}

export class DeskLog {
  /** The last lines, newest last. */
  readonly lines: LogLine[] = [];
  readonly #options: DeskLogOptions;

  constructor(options: DeskLogOptions) {
    this.#options = options;
  }

  /** Writes a line. `now`: the line does not wait for a later commit. */
  write(said: Omit<LogLine, 'at'>, now: boolean): void {
    const { wall, store, file, tell } = this.#options;
    const line: LogLine = { at: wall(), ...said };
    this.lines.push(line);
    if (this.lines.length > LOG_LINES) this.lines.shift();
    store(line, now);
    file(line);
    tell(line);
  }
}
