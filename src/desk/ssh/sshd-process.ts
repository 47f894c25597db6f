/**
 * sshd as a child of the desk: started, restarted with longer and longer pauses when it ends, ended with the
 * desk, also when the desk is killed: a shell between them sees its standard input close. sshd's output is
 * passed on line by line, bounded. Existing logins outlive sshd, as is usual for OpenSSH; the desk ends their
 * sessions itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Cancelable, Clock } from '../../domain/clock.ts';

/** Pauses before the first, second, ... restart; the last one repeats. */
const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 60_000] as const;
/** After running for this long, the pauses begin with the first again. */
const SETTLED_MS = 60_000;
/** Longest wait for sshd to end; then it is ended by force. */
const STOP_WAIT_MS = 2_000;
/** Most characters of a line; the rest is cut off. */
const LINE_MAX = 500;

/**
 * Ends sshd when standard input closes, and itself when sshd has ended. Its arguments are sshd's command
 * line.
 */
const KEEPER = `exec 3<&0
"$@" 3<&- </dev/null &
server=$!
{ cat <&3 >/dev/null; kill "$server"; } 2>/dev/null &
watch=$!
exec 3<&-
wait "$server"
code=$?
kill "$watch" 2>/dev/null
exit "$code"`;

/** A started program; tests start another. */
export interface StartedProgram {
  readonly pid: number | null;
  /** Ends the program by closing its standard input. */
  stop(): void;
  /** Ends it by force, with all processes that it has started and not detached. */
  kill(): void;
}

export type StartProgram = (
  command: readonly string[],
  on: { line: (text: string) => void; end: (code: number | null) => void },
) => StartedProgram;

export interface SshdProcessOptions {
  /** sshd and its arguments: it must stay in the foreground and write to standard error. */
  readonly command: readonly string[];
  readonly clock: Clock;
  readonly line: (text: string) => void;
  /** Called when sshd has ended, with its last lines, and the time until it is started again, ms. */
  readonly ended: (lines: readonly string[], pauseMs: number) => void;
  readonly start?: StartProgram | undefined;
}

export class SshdProcess {
  readonly #o: SshdProcessOptions;
  #program: StartedProgram | null = null;
  #pause: Cancelable | null = null;
  #ends = 0;
  #startedAt = 0;
  #last: string[] = [];
  #stopping = false;
  #gone: (() => void) | null = null;

  constructor(options: SshdProcessOptions) {
    this.#o = options;
  }

  /** Process id of the shell around sshd; null: it does not run. */
  get pid(): number | null {
    return this.#program?.pid ?? null;
  }

  start(): void {
    if (this.#program || this.#stopping) return;
    this.#pause?.cancel();
    this.#pause = null;
    this.#startedAt = this.#o.clock.monotonic();
    this.#last = [];
    const { start = startProgram, command } = this.#o;
    const program = start(command, {
      line: (text) => {
        this.#last = [...this.#last.slice(-4), text];
        this.#o.line(text);
      },
      end: () => {
        if (this.#program === program) this.#ended();
      },
    });
    this.#program = program;
  }

  /** Restarts sshd at once with its present files. Existing logins stay. */
  async restart(): Promise<void> {
    await this.#end();
    this.#ends = 0;
    this.start();
  }

  /** Ends sshd for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#pause?.cancel();
    this.#pause = null;
    const program = this.#program;
    if (!program) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = resolve;
    program.stop();
    const limit = this.#o.clock.after(STOP_WAIT_MS, () => {
      program.kill();
      this.#ended();
    });
    await promise;
    limit.cancel();
  }

  #ended(): void {
    this.#program = null;
    if (this.#gone) {
      this.#gone();
      this.#gone = null;
      return;
    }
    const { clock, ended } = this.#o;
    if (clock.monotonic() - this.#startedAt >= SETTLED_MS) this.#ends = 0;
    const pauseMs = PAUSES_MS[Math.min(this.#ends, PAUSES_MS.length - 1)] ?? 0;
    this.#ends += 1;
    this.#pause = clock.after(pauseMs, () => this.start());
    ended(this.#last, pauseMs);
  }
}

/** Starts a program in a session of its own: no signal of the desk's terminal reaches it. */
const startProgram: StartProgram = (command, on) => {
  let child: ChildProcess;
  let isOver = false;
  const over = (code: number | null) => {
    if (isOver) return;
    isOver = true;
    child?.stdin?.destroy();
    on.end(code);
  };
  child = spawn('/bin/sh', ['-c', KEEPER, 'outcry-sshd', ...command], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  child.stdin?.on('error', () => {});
  if (child.stderr) eachLine(child.stderr, on.line);
  child.on('error', (error) => {
    on.line(error.message);
    over(null);
  });
  // Not `close`: existing logins hold its standard error open.
  child.on('exit', (code) => over(code));
  return {
    pid: child.pid ?? null,
    stop: () => void child.stdin?.end(),
    kill() {
      if (child.pid === undefined || isOver) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    },
  };
};

/** Passes on complete lines, each cut to the limit; an unfinished one is not kept. */
function eachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_MAX);
    for (const line of lines) if (line.trim() !== '') take(line.trim().slice(0, LINE_MAX));
  });
}
