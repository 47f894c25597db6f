/**
 * The process's own terminal, made safe to lose. Node's terminals write in blocking mode: a terminal that does not read
 * would stop this thread for good, signal handlers included, so that a SIGTERM would never stop the desk in order. Here
 * it is set to non-blocking; frames then wait in the stream (the console sends the next only after the last is out) and
 * signals are heard. Where Node does not offer that, a stalled terminal holds up SIGTERM until it reads again or hangs
 * up (a hang-up ends the blocked write with EIO); trading goes on in the worker all the same.
 */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { shown } from './shown.ts';

/** How long the last words to a terminal may take. */
const FLUSH_LIMIT_MS = 1_000;
/** Main screen, cursor, no bracketed paste, plain colours. */
const RESTORE = '\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m';

/** What is used of `process.stdin` and `process.stdout`. */
export type TerminalInput = Readable & { setRawMode?(raw: boolean): unknown };
export type TerminalOutput = Writable & { _handle?: { setBlocking?(blocking: boolean): void } };

export interface Terminal {
  /** Resolves when the terminal is gone: input has ended, or either way has failed. */
  readonly gone: Promise<void>;
  /** Writes a line; harmless once the terminal is gone or released. */
  say(line: string): void;
  /** Puts the terminal back into its usual state after a console that could not do it itself. */
  restore(): void;
  /** Waits until all is written, FLUSH_LIMIT_MS at most. */
  flush(): Promise<void>;
  /**
   * Lets go of the terminal for good: never read (a background process would be stopped by it) or written again. Its
   * descriptors stay open: to replace them is not safe beside a thread that opens files.
   */
  release(): Promise<void>;
}

/** `others`: further streams on the same terminal, which libraries write to when the process ends. */
export function openTerminal(
  stdin: TerminalInput,
  stdout: TerminalOutput,
  clock: Clock,
  others: readonly TerminalOutput[] = [],
): Terminal {
  let released = false;
  for (const stream of [stdout, ...others]) {
    stream._handle?.setBlocking?.(false);
    stream.on('error', () => {});
  }
  // Listening keeps the EIO of a terminal that is gone from ending the process.
  const gone = new Promise<void>((resolve) => {
    for (const event of ['end', 'error', 'close']) stdin.on(event, () => resolve());
    for (const event of ['error', 'close']) stdout.on(event, () => resolve());
  });
  const cook = () => {
    try {
      stdin.setRawMode?.(false);
    } catch {
      // A terminal that is gone has no modes.
    }
  };
  const terminal: Terminal = {
    gone,
    say(line) {
      if (!released && stdout.writable) stdout.write(`${shown(line)}\n`);
    },
    restore() {
      cook();
      if (!released && stdout.writable) stdout.write(RESTORE);
    },
    flush() {
      return new Promise((resolve) => {
        if (released || !stdout.writable) return resolve();
        const limit = clock.after(FLUSH_LIMIT_MS, resolve);
        stdout.write('', () => {
          limit.cancel();
          resolve();
        });
      });
    },
    async release() {
      cook();
      await terminal.flush();
      released = true;
      stdin.pause();
      stdin.destroy();
      for (const stream of [stdout, ...others]) stream.write = () => true;
    },
  };
  return terminal;
}
