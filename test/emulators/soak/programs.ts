/**
 * The two processes of a soak, the emulator and the built program: starts them, sends them commands, and ends
 * them by their ids.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SoakMarket, SoakVenue } from './venues.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const START_MS = 60_000;

/** Limits high enough for the load, and the vault opened at every start. */
const CONFIG = (passphrase: string) => `[limits]
address_requests = 1_000_000
address_sockets = 1_000_000

[limits.tiers]
read = 1_000
trade = 1_000
full = 1_000

[vault]
passphrase_file = "${passphrase}"
`;

export interface Emulator {
  readonly url: string;
  /** File with a line of JSON for everything that moved money or orders. */
  readonly log: string;
  /** Sends `POST /emulator/NAME`. */
  tell(name: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startEmulator(
  venue: SoakVenue,
  folder: string,
  isRaised: boolean,
  seed: number,
): Promise<Emulator> {
  const log = join(folder, 'raw.jsonl');
  const settings = join(folder, 'emulator.json');
  writeFileSync(settings, JSON.stringify(venue.settings(isRaised)));
  const serve = join(ROOT, 'test/emulators', venue.serve);
  const args = [serve, '--log', log, '--requests', join(folder, 'requests.jsonl'), '--settings', settings];
  const child = spawn(process.execPath, [...args, '--seed', String(seed), '--pace', '300'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await firstText(child, '[exchanges.');
  const url = /rest = "([^"]+)"/.exec(said)?.[1] ?? '';
  return {
    url,
    log,
    tell: async (name, body = {}) => {
      const method = name === 'state' ? undefined : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${url}/emulator/${name}`, method);
      return answer.json();
    },
    stop: () => ended(child, 'SIGTERM'),
  };
}

export interface Desk {
  readonly url: string;
  readonly pid: number;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** How Node runs the program: its own options, before the program's, and environment variables. */
interface NodeOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program, with its data, keys and passphrase. */
export class Program {
  readonly dataDir: string;
  readonly #venue: SoakVenue;
  readonly #node: NodeOptions;
  readonly #file: (name: string, text: string) => string;
  readonly #passphrase: string;
  readonly #said: NodeJS.WritableStream;
  /** The running child process; null: none. */
  #child: ChildProcess | null = null;

  constructor(venue: SoakVenue, folder: string, node: NodeOptions = {}) {
    this.#node = node;
    this.#venue = venue;
    this.dataDir = join(folder, 'data');
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
    this.#file = (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, `${text}\n`, { mode: 0o600 });
      return path;
    };
    this.#passphrase = this.#file('passphrase', 'a passphrase of the soak');
    writeFileSync(join(this.dataDir, 'config.toml'), CONFIG(this.#passphrase), { mode: 0o600 });
    this.#said = createWriteStream(join(folder, 'desk.log'), { flags: 'a' });
  }

  /** Starts the program on any free port. */
  async start(): Promise<Desk> {
    const { args = [], env = {} } = this.#node;
    const serve = [...args, MAIN, 'serve', '--data-dir', this.dataDir, '--port', '0'];
    const child = spawn(process.execPath, serve, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    child.stderr.pipe(this.#said, { end: false });
    const { url } = JSON.parse(await firstText(child, '\n')) as { url: string };
    return { url, pid: child.pid as number, kill: (signal = 'SIGKILL') => ended(child, signal) };
  }

  async stop(): Promise<void> {
    if (this.#child) await ended(this.#child, 'SIGKILL');
  }

  /** Makes the vault for all connections. */
  async makeVault(): Promise<void> {
    await this.run('vault', 'init', '--passphrase-file', this.#passphrase);
  }

  /**
   * Makes a vault, the connection, and an API key; returns its private half. `through`: addresses that
   * replace some of the emulator's own.
   */
  async prepare(
    emulator: Emulator,
    markets: readonly SoakMarket[],
    tier = 'trade',
    through: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    await this.makeVault();
    await this.connect('soak', this.#venue, emulator, markets, through);
    return this.apiKey(tier);
  }

  /** Adds an API key; returns its private half. */
  async apiKey(tier: string): Promise<string> {
    const added = await this.run('keys', 'add', '--name', 'soak', '--tier', tier, '--yes');
    const pem = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(added)?.[0];
    if (pem === undefined) throw new Error(`keys add printed no private key: ${added}`);
    return pem;
  }

  /** Adds a connection without guards; the vault must exist. */
  async connect(
    name: string,
    venue: SoakVenue,
    emulator: Emulator,
    markets: readonly SoakMarket[],
    through: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const ws = emulator.url.replace('http', 'ws');
    const own = venue.endpoints(emulator.url, ws, markets);
    const named = Object.entries({ ...own, ...through }).filter(([name]) => name in own);
    const places = named.flatMap(([name, address]) => ['--endpoint', `${name}=${address}`]);
    const off = [
      '--max-order-value',
      '--max-position-value',
      '--max-open-orders',
      '--max-orders-per-minute',
      '--daily-loss-limit',
    ];
    const guards = off.flatMap((guard) => [guard, 'off']);
    const file = (what: string, text: string) => this.#file(`${name}-${what}`, text);
    const files = ['--api-key-file', file('api-key', venue.apiKey)];
    files.push('--secret-file', file('secret', venue.secret));
    if (venue.passphrase !== undefined)
      files.push('--passphrase-file', file('api-passphrase', venue.passphrase));
    const which = [name, '--venue', venue.name, '--markets', markets.join(',')];
    await this.run('connect', ...which, ...places, ...files, ...guards, '--price-band', 'off', '--yes');
  }

  /** Runs a command of the program to its end; returns its output. Its failure says what it printed. */
  async run(...args: string[]): Promise<string> {
    const command = [MAIN, ...args, '--data-dir', this.dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, command).catch((error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`outcry ${args[0] ?? ''}: ${stdout}${stderr}`, { cause: error });
    });
    return stdout;
  }
}

/** Returns the output once it contains the text. */
function firstText(child: ChildProcess, needed: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`nothing was said in time: ${said}`)), START_MS);
    child.stdout?.on('data', (data) => {
      said += data;
      if (!said.includes(needed)) return;
      clearTimeout(limit);
      resolve(said);
    });
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`it ended with code ${code}: ${said}`));
    });
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
