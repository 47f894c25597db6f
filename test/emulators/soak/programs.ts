/** The two processes of a soak, the emulator and the built program: started, told something, ended by their ids. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SoakMarket, SoakVenue } from './venues.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const START_MS = 60_000;

/** Room for the load, and the vault opened at every start. */
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
  /** A line of JSON for everything that moved money or orders. */
  readonly log: string;
  /** `POST /emulator/NAME`. */
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

/** Where the program's data, keys and passphrase are. */
export class Program {
  readonly dataDir: string;
  readonly #venue: SoakVenue;
  readonly #files: Readonly<Record<'passphrase' | 'key' | 'secret', string>>;
  /** Of the key; null: it has none. */
  readonly #keyPassphrase: string | null;
  readonly #said: NodeJS.WritableStream;
  /** Whatever has been started and not ended. */
  #child: ChildProcess | null = null;

  constructor(venue: SoakVenue, folder: string) {
    this.#venue = venue;
    this.dataDir = join(folder, 'data');
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
    const file = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, `${text}\n`, { mode: 0o600 });
      return path;
    };
    this.#files = {
      passphrase: file('passphrase', 'a passphrase of the soak'),
      key: file('api-key', venue.apiKey),
      secret: file('secret', venue.secret),
    };
    const { passphrase } = venue;
    this.#keyPassphrase = passphrase === undefined ? null : file('api-passphrase', passphrase);
    writeFileSync(join(this.dataDir, 'config.toml'), CONFIG(this.#files.passphrase), { mode: 0o600 });
    this.#said = createWriteStream(join(folder, 'desk.log'), { flags: 'a' });
  }

  /** On any free port. */
  async start(): Promise<Desk> {
    const args = [MAIN, 'serve', '--data-dir', this.dataDir, '--port', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    child.stderr.pipe(this.#said, { end: false });
    const { url } = JSON.parse(await firstText(child, '\n')) as { url: string };
    return { url, pid: child.pid as number, kill: (signal = 'SIGKILL') => ended(child, signal) };
  }

  async stop(): Promise<void> {
    if (this.#child) await ended(this.#child, 'SIGKILL');
  }

  /** A vault, the connection, and a key of the API: its private half. `through`: addresses in place of the emulator's own. */
  async prepare(
    emulator: Emulator,
    markets: readonly SoakMarket[],
    tier = 'trade',
    through: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { passphrase, key, secret } = this.#files;
    await this.run('vault', 'init', '--passphrase-file', passphrase);
    const ws = emulator.url.replace('http', 'ws');
    const own = this.#venue.endpoints(emulator.url, ws, markets);
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
    const keyPassphrase = this.#keyPassphrase;
    const files = ['--api-key-file', key, '--secret-file', secret];
    if (keyPassphrase !== null) files.push('--passphrase-file', keyPassphrase);
    const which = ['soak', '--venue', this.#venue.name, '--markets', markets.join(',')];
    await this.run('connect', ...which, ...places, ...files, ...guards, '--price-band', 'off', '--yes');
    const added = await this.run('keys', 'add', '--name', 'soak', '--tier', tier, '--yes');
    const pem = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(added)?.[0];
    if (pem === undefined) throw new Error(`keys add printed no private key: ${added}`);
    return pem;
  }

  /** A command of the program, to its end: what it said. */
  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [
      MAIN,
      ...args,
      '--data-dir',
      this.dataDir,
    ]);
    return stdout;
  }
}

/** What it says until the text has come. */
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
