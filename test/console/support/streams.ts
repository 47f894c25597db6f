/** The streams of a fake terminal: keys are written to one, and the console's output arrives at the other. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

/** Device status report. A terminal answers it once it has drawn everything before. */
export const QUESTION = '\x1b[5n';
export const ANSWER = '\x1b[0n';

export class FakeStdin extends PassThrough {
  readonly isTTY = true;
  setRawMode(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

export class FakeStdout extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  columns: number;
  rows: number;
  private readonly sink: (text: string) => void;

  /** `sink` receives every write. */
  constructor(columns: number, rows: number, sink: (text: string) => void) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.sink = sink;
  }

  write(text: string, ...rest: unknown[]): boolean {
    this.sink(text);
    const done = rest.findLast((entry) => typeof entry === 'function') as (() => void) | undefined;
    if (done) setImmediate(done);
    return true;
  }
}

/** Both streams with the types that a console expects. */
export function asTerminal(stdin: FakeStdin, stdout: FakeStdout) {
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
  };
}
