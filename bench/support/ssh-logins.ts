/**
 * Operators at the terminals of a desk over the machine's ssh: keys, logins in pseudo-terminals that answer
 * as terminals do, and the memory of a login. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { knownHostsLine } from '../../src/access/host-key.ts';
import type { DeskClient } from '../../src/desk/console/protocol.ts';
import { ptyPids } from './pty.ts';

const HOST = '127.0.0.1';
/** Text in the last line of the frame, drawn after everything else. */
const LAST_WORDS = '? help';
const LIMIT_MS = 60_000;
/** Terminal status request: the answer shows that everything before it is drawn. */
const QUESTION = '\x1b[5n';
const ANSWER = '\x1b[0n';

export interface Login {
  /** From the start of ssh to the whole first frame, ms. */
  readonly frameMs: number;
  /** Leaves the console with its key. */
  leave(): Promise<void>;
}

export class Logins {
  readonly #folder: string;
  readonly #port: number;

  /** Waits until the desk's sshd listens. */
  static async on(line: DeskClient, folder: string, port: number): Promise<Logins> {
    for (let waited = 0; waited < LIMIT_MS; waited += 50) {
      const { state, hostKey, problem } = await line.call('ssh.view', {});
      if (state === 'listening' && hostKey) {
        writeFileSync(join(folder, 'known_hosts'), `${knownHostsLine(HOST, port, hostKey)}\n`);
        return new Logins(folder, port);
      }
      if (problem !== null) throw new Error(problem);
      await setTimeout(50);
    }
    throw new Error('the desk’s sshd does not listen');
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  async add(line: DeskClient, name: string): Promise<void> {
    const file = this.#key(name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    const key = readFileSync(`${file}.pub`, 'utf8');
    const made = await line.call('operators.set', { name, role: 'operator', key });
    if (!made.ok) throw new Error(made.error.message);
  }

  /** Logs in. `port`: that of a proxy to the desk's own port. */
  login(name: string, { columns = 80, rows = 24, port = this.#port } = {}): Promise<Login> {
    const args = [
      '-F',
      'none',
      '-p',
      String(port),
      '-i',
      this.#key(name),
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      `UserKnownHostsFile=${join(this.#folder, 'known_hosts')}`,
      '-o',
      'StrictHostKeyChecking=yes',
      '-o',
      `HostKeyAlias=[${HOST}]:${this.#port}`,
      `${userInfo().username}@${HOST}`,
    ];
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const startedAt = performance.now();
    const pty = spawn('ssh', args, { name: 'xterm-256color', cols: columns, rows, env });
    ptyPids.add(pty.pid);
    const { promise, resolve, reject } = Promise.withResolvers<Login>();
    const ended = new Promise<void>((done) => pty.onExit(() => done()));
    let text = '';
    void ended.then(() => {
      ptyPids.delete(pty.pid);
      reject(new Error(`the login ended: ${text.slice(-500)}`));
    });
    let framed = false;
    pty.onData((chunk) => {
      for (let at = chunk.indexOf(QUESTION); at >= 0; at = chunk.indexOf(QUESTION, at + 1)) pty.write(ANSWER);
      if (framed) return;
      text += chunk;
      if (!text.includes(LAST_WORDS) && !plain(text).includes(LAST_WORDS)) return;
      framed = true;
      const leave = async () => {
        pty.write('q');
        await ended;
      };
      resolve({ frameMs: performance.now() - startedAt, leave });
    });
    return promise;
  }

  #key(name: string): string {
    return join(this.#folder, `key-${name}`);
  }
}

/** sshd reads keys only below folders that others cannot write. */
export const LOGIN_PARENT = homedir();

/**
 * Memory of all processes whose command line contains the word, and of their sshd parents: shared pages by
 * their share, MB each.
 */
export function memoryOf(word: string): {
  readonly count: number;
  readonly pssMb: number;
  readonly rssMb: number;
} {
  const rows = processes();
  const byId = new Map(rows.map((row) => [row.pid, row]));
  const consoles = consolesOf(rows, word);
  let pss = 0;
  let rss = 0;
  for (const { pid, parent } of consoles) {
    const above = byId.get(parent);
    const chain = [pid, ...(above?.args.startsWith('sshd') ? [above.pid, above.parent] : [])];
    for (const one of chain) {
      if (one !== pid && !byId.get(one)?.args.startsWith('sshd:')) continue;
      if (byId.get(one)?.args.includes('[listener]')) continue;
      pss += kbOf(one, 'smaps_rollup', /^Pss:\s+(\d+)/m);
      rss += kbOf(one, 'status', /^VmRSS:\s+(\d+)/m);
    }
  }
  const each = (kb: number) => kb / 1_024 / Math.max(1, consoles.length);
  return { count: consoles.length, pssMb: each(pss), rssMb: each(rss) };
}

/** CPU time of the consoles so far, ms. */
export function cpuMsOf(word: string): number {
  let ms = 0;
  for (const { pid } of consolesOf(processes(), word)) ms += processCpuMs(pid);
  return ms;
}

/** User and system time of a process, all threads, in steps of 10 ms. */
export function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

function processes(): Process[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(row))
    .filter((row) => row !== null)
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args: String(args) }));
}

function consolesOf(rows: readonly Process[], word: string): Process[] {
  return rows.filter(
    ({ args }) => args.includes(word) && args.includes(' attach ') && /^\S*node\s/.test(args),
  );
}

function kbOf(pid: number, file: string, line: RegExp): number {
  try {
    return Number(line.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}

/** The text without escape sequences. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences begin with.
  return text.replace(/\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g, '');
}
