/**
 * A real pseudo-terminal with a program in it and a terminal emulator behind it: the screen's text as a
 * person would see it, and the keys a person would press. It answers the program's questions as a terminal
 * does. It knows nothing of Outcry.
 */
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { keyBytes } from './keys.ts';
import { until, WAIT_LIMIT_MS } from './wait.ts';

/**
 * How much of the end of the raw output is kept, in characters: enough for the sequences that leave the
 * screen.
 */
const RAW_KEPT = 64 * 1024;

export interface TerminalOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface Ended {
  readonly exitCode: number;
  /** The number of the signal that ended it; 0: none. */
  readonly signal: number;
}

type Looked = string | RegExp | ((text: string, lines: readonly string[]) => boolean);

/** The stream under node-pty, as far as it is needed to stop reading really. */
interface PtyStream {
  readonly _handle: { readStart(): void; readStop(): void };
}

export class Terminal {
  readonly pid: number;
  /** Resolves when the first process in the terminal has ended. */
  readonly ended: Promise<Ended>;
  /** The emulator; its buffer has the colours. */
  readonly emulator: headless.Terminal;
  readonly #pty: IPty;
  #bytes = 0;
  #raw = '';
  #listeners = new Set<() => void>();
  #closed = false;

  constructor({ command, args, columns, rows, env, cwd }: TerminalOptions) {
    this.emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 200 });
    const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    this.#pty = spawn(command, [...args], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd: cwd ?? process.cwd(),
      env: Object.fromEntries(defined),
      encoding: null,
    });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => this.#take(data as unknown as Buffer));
    this.emulator.onData((answer) => this.#send(answer));
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => resolve({ exitCode, signal: signal ?? 0 }));
    });
  }

  /** Number of bytes that the program has written and that were read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The end of the program's output, with escape sequences. */
  get raw(): string {
    return this.#raw;
  }

  /** The screen's text, one string per row, without blanks at the ends. */
  lines(): string[] {
    const { active } = this.emulator.buffer;
    return Array.from(
      { length: this.emulator.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
  }

  text(): string {
    return this.lines().join('\n');
  }

  /** Presses keys by name, each as one event if the program reads fast enough. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#send(keyBytes(key));
  }

  /** Sends characters together, as a fast typist or a paste without brackets does. */
  type(text: string): void {
    this.#send(text);
  }

  /**
   * Waits until the screen shows the pattern and returns the match's first group (or the whole match); a
   * failure shows the screen.
   */
  async waitFor(looked: Looked, what: string, limitMs = WAIT_LIMIT_MS): Promise<string> {
    const look = (): string | null => {
      const lines = this.lines();
      const text = lines.join('\n');
      if (typeof looked === 'string') return text.includes(looked) ? looked : null;
      if (typeof looked === 'function') return looked(text, lines) ? text : null;
      const match = looked.exec(text);
      return match ? (match[1] ?? match[0]) : null;
    };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const check = () => {
      const found = look();
      if (found !== null) resolve(found);
    };
    const limit = setTimeout(() => {
      reject(new Error(`waited ${limitMs / 1000} s in vain for ${what}; the screen shows\n${this.framed()}`));
    }, limitMs);
    this.#listeners.add(check);
    check();
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
      this.#listeners.delete(check);
    }
  }

  /** Waits until nothing has been written for `quietMs`. */
  async settled(quietMs = 300): Promise<void> {
    let bytes = this.#bytes;
    let since = performance.now();
    await until(`silence of ${quietMs} ms\n${this.framed()}`, () => {
      if (this.#bytes !== bytes) {
        bytes = this.#bytes;
        since = performance.now();
      }
      return performance.now() - since >= quietMs;
    });
  }

  /** The screen in a frame, for messages. */
  framed(): string {
    const { cols } = this.emulator;
    const bar = '─'.repeat(cols);
    return [`┌${bar}┐`, ...this.lines().map((line) => `│${line.padEnd(cols)}│`), `└${bar}┘`].join('\n');
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /**
   * Stops reading, as after ctrl-s or on a dead link: the program's writes fill the kernel's buffer and then
   * block.
   */
  stall(): void {
    // Pausing the stream is not enough: it still fills its own buffer of 64 kB.
    this.#handle().readStop();
  }

  unstall(): void {
    this.#handle().readStart();
  }

  /** Closes the terminal, as when a window is closed: all its processes get SIGHUP and read no more. */
  hangUp(): void {
    if (this.#closed) return;
    this.#closed = true;
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  #handle(): PtyStream['_handle'] {
    return (this.#pty as unknown as { _socket: PtyStream })._socket._handle;
  }

  #send(bytes: string): void {
    if (!this.#closed) this.#pty.write(bytes);
  }

  #take(data: Buffer): void {
    this.#bytes += data.length;
    this.#raw = (this.#raw + data.toString('latin1')).slice(-RAW_KEPT);
    this.emulator.write(data, () => {
      for (const listener of [...this.#listeners]) listener();
    });
  }
}
