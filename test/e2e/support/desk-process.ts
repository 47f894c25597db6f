/**
 * The built program as a real process: started, connected to, killed. Every process is ended by its id, every
 * folder removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../../../src/client/client.ts';
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import type { DeskClient, DeskState } from '../../../src/desk/console/protocol.ts';
import { systemClock } from '../../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../../../src/desk/hosting/transports/unix-socket.ts';
import { afterEachTest } from '../../support/after-each.ts';
import { checkedHttp } from '../../support/openapi-check.ts';
import { ROOMY_CONFIG } from '../../support/roomy-limits.ts';

export const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
export const EXCHANGE = 'paper-spot';
const START_LIMIT_MS = 20_000;
const MEMORY_DISK = '/dev/shm';

const running = new Set<ChildProcess>();
const folders: string[] = [];
const clients = new Set<Client>();

async function cleanUp(): Promise<void> {
  // A client that is closed already refuses to be closed again.
  for (const client of clients) await client.close().catch(() => {});
  clients.clear();
  for (const child of running) await endProcess(child, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
afterEachTest(cleanUp);

/** A new folder. `memory`: in memory where possible, for a test that does not depend on a disk. */
export function temporaryFolder({ memory = false } = {}): string {
  const parent = memory && existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir();
  const folder = mkdtempSync(join(parent, 'outcry-e2e-'));
  folders.push(folder);
  return folder;
}

/** One console's view of the desk. */
export interface ConsoleMirror {
  readonly client: DeskClient;
  /** The last received state; null before the first message. */
  state(): DeskState | null;
}

export interface DeskProcess {
  readonly pid: number;
  readonly url: string;
  readonly dataDir: string;
  readonly line: DeskClient;
  /** Attaches another console. */
  attach(): Promise<ConsoleMirror>;
  /** Sends SIGKILL, or the given signal; resolves with the exit code once the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The environment without variables of the program that a developer's shell may have set. */
function environment(): NodeJS.ProcessEnv {
  const { OUTCRY_HOME: _, NODE_ENV: __, FORCE_COLOR: ___, NO_COLOR: ____, ...env } = process.env;
  return env;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line to its end. */
export async function runMain(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  running.delete(child);
  return { code, stdout, stderr };
}

/** Raises the limits: loads do not test them. A folder with its own configuration keeps it. */
function raiseLimits(dataDir: string): void {
  const file = join(dataDir, 'config.toml');
  if (existsSync(file)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, ROOMY_CONFIG, { mode: 0o600 });
}

/**
 * Starts `outcry serve` on any free port, with generous limits, and connects a console; if the process ends
 * instead, fails with its output. `openFiles`: how many files and sockets it may have open.
 */
export async function startDesk(
  dataDir: string,
  args: readonly string[] = [],
  { openFiles }: { readonly openFiles?: number } = {},
): Promise<DeskProcess> {
  raiseLimits(dataDir);
  const command = [process.execPath, MAIN, 'serve', '--data-dir', dataDir, '--port', '0', ...args];
  // The shell becomes the desk, so its process id is the desk's.
  const limited = [
    'bash',
    '-c',
    `ulimit -Sn ${openFiles}; ulimit -Hn ${openFiles}; exec "$@"`,
    'bash',
    ...command,
  ];
  const [program = '', ...rest] = openFiles === undefined ? command : limited;
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  running.add(child);
  const { url } = JSON.parse(await firstLine(child)) as { url: string };
  const line = await connectUnixSocket(dataDir, systemClock);
  if (!line) throw new Error('the desk does not listen on its socket');
  return {
    pid: child.pid as number,
    url,
    dataDir,
    line,
    async attach() {
      const client = await connectUnixSocket(dataDir, systemClock);
      if (!client) throw new Error('the desk does not listen on its socket');
      let state: DeskState | null = null;
      client.onState((message, ack) => {
        if ('snapshot' in message) state = message.snapshot;
        else if (state) state = applyDelta(state, message.delta);
        ack();
      });
      return { client, state: () => state };
    },
    kill: (signal = 'SIGKILL') => endProcess(child, signal),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    const limit = setTimeout(() => fail('said nothing in time'), START_LIMIT_MS);
    const fail = (why: string) => {
      clearTimeout(limit);
      reject(new Error(`the desk ${why}: ${stderr}`));
    };
    child.stderr?.on('data', (data) => {
      stderr += data;
    });
    child.stdout?.on('data', (data) => {
      stdout += data;
      const end = stdout.indexOf('\n');
      if (end < 0) return;
      clearTimeout(limit);
      resolve(stdout.slice(0, end));
    });
    child.once('exit', (code) => fail(`ended with code ${code}`));
  });
}

function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    const done = () => {
      running.delete(child);
      resolve(child.exitCode);
    };
    if (child.exitCode !== null || child.signalCode !== null) {
      done();
      return;
    }
    child.once('exit', done);
    child.kill(signal);
  });
}

export interface ApiKey {
  readonly id: string;
  readonly privateKeyPem: string;
}

/** Generates a key over the console's connection, as a person would. */
export async function generateKey(desk: DeskProcess): Promise<ApiKey> {
  const made = await desk.line.call('keys.generate', { label: 'e2e', tier: 'trade' });
  if (!made.ok) throw new Error(made.error.message);
  return { id: made.data.key.id, privateKeyPem: readFileSync(made.data.path, 'utf8') };
}

/** A client with one attempt per call: a test repeats requests itself. */
export function clientOf(desk: DeskProcess, { privateKeyPem }: ApiKey, connections = 32): Client {
  const client = createClient({
    baseUrl: desk.url,
    key: { privateKeyPem },
    transport: checkedHttp(desk.url, connections),
    retry: { attempts: 1 },
  });
  clients.add(client);
  return client;
}

/** Waits for a condition, looking every few milliseconds; fails with `what` after `limitMs`. */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  limitMs = 10_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > limit) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
