/**
 * The process's own terminal, made safe to lose. Node writes to terminals in blocking mode: a terminal that
 * does not read would stop this thread for good, signal handlers included, so that a SIGTERM would never stop
 * the desk in order. Here it is set to non-blocking: frames wait in the stream (the console sends the next
 * only after the last is written), and signals are handled. If Node does not offer that, a stalled terminal
 * delays SIGTERM until it reads again or hangs up (a hang-up ends the blocked write with EIO); trading goes
 * on in the worker anyway.
 */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { shown } from './shown.ts';

/** How long the last output to a terminal may take. */
const FLUSH_LIMIT_MS = 1_000;
/** Main screen, visible cursor, no mouse reports, no bracketed paste, plain colours. */
const RESTORE = '\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m';

/** The parts of `process.stdin` and `process.stdout` that are used. */
export type TerminalInput = Readable & { setRawMode?(raw: boolean): unknown };
export type TerminalOutput = Writable & { _handle?: { setBlocking?(blocking: boolean): void } };

export interface Terminal {
  /** Resolves when the terminal is gone: its input has ended, or input or output has failed. */
  readonly gone: Promise<void>;
  /** Writes a line; does nothing once the terminal is gone or released. */
  say(line: string): void;
  /** Restores the terminal's usual state after a console that could not do it itself. */
  restore(): void;
  /** Waits until everything is written, at most FLUSH_LIMIT_MS. */
  flush(): Promise<void>;
  /**
   * Releases the terminal for good: it is never read (that would stop a background process) or written again.
   * Its descriptors stay open: replacing them is not safe beside a thread that opens files.
   */
  release(): Promise<void>;
}

/** Opens the terminal. `others`: further streams on it, to which libraries write when the process ends. */
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
  // Without listeners, the EIO of a terminal that is gone would end the process.
  const gone = new Promise<void>((resolve) => {
    for (const event of ['end', 'error', 'close']) stdin.on(event, () => resolve());
    for (const event of ['error', 'close']) stdout.on(event, () => resolve());
  });
  const cook = () => {
    try {
      stdin.setRawMode?.(false);
    } catch {
      // A terminal that is gone has no modes to reset.
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
