/** A program in a pseudo-terminal, timed from its spawn. */
import { spawn } from '@lydell/node-pty';

export interface PtyRun {
  readonly pid: number;
  /** Milliseconds until `seen` accepts the whole output so far; without `seen`: until the program ends. */
  readonly ms: Promise<number>;
  readonly ended: Promise<void>;
}

/** Running programs. A bench that ends early must end them too, since a desk outlives its terminal. */
export const ptyPids = new Set<number>();
const LIMIT_MS = 30_000;

export function runInPty(args: readonly string[], seen?: (text: string) => boolean): PtyRun {
  const { PATH, HOME } = process.env;
  const env = {
    PATH: PATH ?? '',
    HOME: HOME ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  };
  const startedAt = performance.now();
  const pty = spawn(process.execPath, [...args], { name: 'xterm-256color', cols: 200, rows: 50, env });
  const { pid } = pty;
  ptyPids.add(pid);
  const ended = new Promise<void>((done) => pty.onExit(() => done()));
  void ended.then(() => ptyPids.delete(pid));
  const ms = new Promise<number>((done, fail) => {
    let text = '';
    const limit = setTimeout(() => {
      process.kill(pty.pid, 'SIGKILL');
      fail(new Error(`nothing seen in ${plain(text).slice(0, 4_000)}`));
    }, LIMIT_MS);
    const finish = () => {
      clearTimeout(limit);
      done(performance.now() - startedAt);
    };
    pty.onData((chunk) => {
      text += chunk;
      if (seen?.(plain(text))) finish();
    });
    if (!seen) void ended.then(finish);
  });
  return { pid: pty.pid, ms, ended };
}

/** The text without escape sequences. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences begin with.
  return text.replace(/\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g, '');
}
