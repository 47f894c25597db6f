/** The streams of a terminal that is none: keys are written to the one, and what the console draws arrives at the other. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

/** Asked how it is, a terminal answers that it is well: all before has been drawn. */
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

  /** `sink`: takes every write. */
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

/** Both as a console takes them. */
export function asTerminal(stdin: FakeStdin, stdout: FakeStdout) {
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
  };
}
