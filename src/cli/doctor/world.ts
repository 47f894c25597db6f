/**
 * What the doctor examines beside the data folder: the machine, the terminal, the network. These are ports,
 * so that a test can have any world. Every question is answered within `ANSWER_MS`, and none changes
 * anything.
 */
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Shell } from '../light-desk.ts';

/** How long one question to the machine may take. */
export const ANSWER_MS = 2_000;

export interface Holder {
  readonly pid: number;
  /** The program's name. */
  readonly name: string;
}

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The Node version, such as `24.19.0`. */
  readonly node: string;
  /** The user id of this process; null: the system has none. */
  readonly user: number | null;
  /** Wall time, Unix ms. */
  readonly now: () => number;
  /** The size of the console's terminal; null: there is none. */
  readonly terminal: { readonly columns: number; readonly rows: number } | null;
  readonly connect: Shell['connect'];
  /** Bytes that are free for a file in the folder; null: not known. */
  readonly free: (folder: string) => number | null;
  /** Tells whether something accepts connections at the address. */
  readonly answers: (host: string, port: number) => Promise<boolean>;
  /** Returns the process that listens at the port, as far as this user may know. */
  readonly holder: (port: number) => Promise<Holder | null>;
  /** Returns the path of a program; null: not found in the searched folders. */
  readonly program: (name: string) => string | null;
  /** Returns what a program prints; null: it is missing, fails, or takes too long. */
  readonly ask: (file: string, args: readonly string[]) => Promise<string | null>;
  /** Largest core dump of the process in bytes; null: not known. */
  readonly coreBytes: (pid: number | 'self') => number | null;
  /** Tells whether a process with that id exists. */
  readonly lives: (pid: number) => boolean;
}

/** Folders in which systems keep programs of their services. */
const SERVICES = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/bin', '/usr/libexec', '/opt/homebrew/sbin'];
const OUTPUT_BYTES = 65_536;
/** Largest number of open files that are checked to find the holder of a port. */
const LINKS_MAX = 100_000;
const LISTENS = '0A';

export function realWorld(shell: Pick<Shell, 'connect'>): World {
  const { env, platform, versions, stdout, stdin, stderr } = process;
  // The console may draw on another stream than the one for this output.
  const screen = stdin.isTTY ? [stdout, stderr].find(({ isTTY }) => isTTY) : undefined;
  return {
    env,
    platform,
    node: versions.node,
    user: process.getuid?.() ?? null,
    now: () => Date.now(),
    terminal: screen ? { columns: screen.columns, rows: screen.rows } : null,
    connect: shell.connect,
    free: freeBytes,
    answers,
    holder: async (port) => (platform === 'linux' ? holderByProc(port) : holderByLsof(port)),
    program: (name) => programIn(name, env.PATH ?? ''),
    ask,
    coreBytes,
    lives,
  };
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

function programIn(name: string, path: string): string | null {
  for (const folder of [...path.split(delimiter), ...SERVICES]) {
    if (folder === '') continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      if (statSync(join(folder, name)).isFile()) return join(folder, name);
    } catch {
      // Not found here.
    }
  }
  return null;
}

function ask(file: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { timeout: ANSWER_MS, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES } as const;
    execFile(file, args, options, (error, stdout) => resolve(error ? null : stdout));
  });
}

/** On Linux: finds the socket's inode, and this user's process that has it open. */
function holderByProc(port: number): Holder | null {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => inodesAt(file, port)));
  if (inodes.size === 0) return null;
  let left = LINKS_MAX;
  for (const pid of listOf('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const fd of listOf(`/proc/${pid}/fd`)) {
      if (left-- <= 0) return null;
      const link = linkOf(`/proc/${pid}/fd/${fd}`);
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined && inodes.has(inode))
        return { pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim() };
    }
  }
  return null;
}

function inodesAt(file: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return textOf(file)
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return local.endsWith(`:${hex}`) && state === LISTENS && inode !== undefined ? [inode] : [];
    });
}

async function holderByLsof(port: number): Promise<Holder | null> {
  const found = await ask('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const fields = (found ?? '').split('\n');
  const pid = Number(fields.find((field) => field.startsWith('p'))?.slice(1));
  const name = fields.find((field) => field.startsWith('c'))?.slice(1) ?? '';
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, name } : null;
}

/** Known on Linux only. */
function coreBytes(pid: number | 'self'): number | null {
  const soft = /^Max core file size\s+(\S+)/m.exec(textOf(`/proc/${pid}/limits`))?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
