/**
 * The environment of a test: temporary data folders, terminals with the built program in them, the test's own
 * consoles on the desk's socket, signing clients. `close` ends every process by its id, whatever state the
 * test left it in.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../../../src/client/client.ts';
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import type { DeskClient, DeskState } from '../../../src/desk/console/protocol.ts';
import { systemClock } from '../../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../../../src/desk/hosting/transports/unix-socket.ts';
import type { Tier } from '../../../src/domain/actor.ts';
import { checkedHttp } from '../openapi-check.ts';
import { Terminal } from './terminal.ts';
import { gone, isAlive, until } from './wait.ts';

export const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
export const LAUNCHER = join(ROOT, 'bin/outcry.js');

export interface ShowOptions {
  /** @default 80 */
  readonly columns?: number;
  /** @default 24 */
  readonly rows?: number;
  /** Options of the command line after the data folder. Attaching to a running desk uses none. */
  readonly args?: readonly string[];
}

/** Default arguments of a start that hosts a desk: any free port. */
const ANY_PORT = ['--port', '0'];

export class Stage {
  /** The folder that contains everything of this stage. */
  readonly folder: string;
  readonly #terminals: Terminal[] = [];
  readonly #dataDirs = new Set<string>();
  readonly #pids = new Set<number>();
  readonly #ends: (() => Promise<void> | void)[] = [];

  /** `parent`: the folder in which the stage's folder is made; default: the system's temporary folder. */
  constructor({ parent = tmpdir() }: { readonly parent?: string } = {}) {
    this.folder = mkdtempSync(join(parent, 'outcry-e2e-'));
  }

  /** Makes a new empty data folder. */
  dataDir(name = 'data'): string {
    const dir = join(this.folder, name);
    this.#dataDirs.add(dir);
    return dir;
  }

  /** Starts `outcry` in its own terminal, without npm. */
  show(dataDir: string, { columns, rows, args }: ShowOptions = {}): Terminal {
    return this.terminal(process.execPath, [LAUNCHER, '--data-dir', dataDir, ...(args ?? [])], {
      columns,
      rows,
    });
  }

  /** Like `show`, for a folder without a desk. */
  host(dataDir: string, options: ShowOptions = {}): Terminal {
    return this.show(dataDir, { ...options, args: [...ANY_PORT, ...(options.args ?? [])] });
  }

  /**
   * Starts a new desk on synthetic prices that are held one tick after their start; resolves when they are
   * shown.
   */
  async hostHeld(dataDir: string, size: { columns?: number; rows?: number } = {}): Promise<Terminal> {
    const terminal = this.host(dataDir, { ...size, args: ['--hold'] });
    await terminal.waitFor(/Watchlist/, 'the first screen');
    terminal.press('.');
    await terminal.waitFor(/BTCUSDT +\d/, 'the first prices');
    return terminal;
  }

  terminal(
    command: string,
    args: readonly string[],
    { columns = 80, rows = 24 }: { columns?: number; rows?: number } = {},
  ): Terminal {
    const terminal = new Terminal({ command, args, columns, rows, env: terminalEnv(), cwd: this.folder });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** The id of the process that runs a folder's desk; remembered for the clean-up. */
  async deskPid(dataDir: string): Promise<number> {
    const pid = await until(`the process id of the desk on ${dataDir}`, () => pidOf(dataDir));
    this.#pids.add(pid);
    return pid;
  }

  /** Attaches a console of the test to a running desk. */
  async attach(dataDir: string): Promise<Attached> {
    const client = await until(`a desk on ${dataDir}`, () =>
      connectUnixSocket(dataDir, systemClock).catch(() => null),
    );
    const attached = new Attached(client);
    this.#ends.push(() => client.close());
    await this.deskPid(dataDir);
    return attached;
  }

  /** Makes a signing client with its own key; both end with the stage. */
  async client(attached: Attached, tier: Tier = 'full'): Promise<Client> {
    const label = `test-${tier}-${this.#ends.length}`;
    const made = await attached.desk.call('keys.generate', { label, tier });
    if (!made.ok) throw new Error(made.error.message);
    return this.clientWith(made.data.path, (await attached.state()).desk.apiUrl);
  }

  clientWith(pemPath: string, baseUrl: string): Client {
    const client = createClient({
      baseUrl,
      transport: checkedHttp(baseUrl),
      key: { privateKeyPem: readFileSync(pemPath, 'utf8') },
    });
    this.#ends.push(() => client.close());
    return client;
  }

  /** Writes a candle file and returns the `--feed` for it. */
  candles(symbol: string, rows: readonly string[]): string {
    const dir = join(this.folder, 'candles');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${symbol}-1m.csv`), `time,open,high,low,close,volume\n${rows.join('\n')}\n`);
    return `csv:${dir}@1m`;
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
    for (const dir of this.#dataDirs) {
      const pid = pidOf(dir);
      if (pid !== null) this.#pids.add(pid);
    }
    for (const { pid } of this.#terminals) this.#pids.add(pid);
    for (const pid of this.#pids) if (belongsTo(pid, this.folder)) process.kill(pid, 'SIGKILL');
    for (const terminal of this.#terminals) terminal.hangUp();
    for (const pid of this.#pids) if (belongsTo(pid, this.folder)) await gone(pid);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A desk as seen by the test's console: the state it would show, and calls. */
export class Attached {
  readonly desk: DeskClient;
  /** Resolves with the reason when the connection ends. */
  readonly closed: Promise<string>;
  #state: DeskState | null = null;

  constructor(desk: DeskClient) {
    this.desk = desk;
    this.closed = new Promise((resolve) => desk.onClosed(resolve));
    desk.onState((message, ack) => {
      if ('snapshot' in message) this.#state = message.snapshot;
      else if (this.#state) this.#state = applyDelta(this.#state, message.delta);
      ack();
    });
  }

  state(): Promise<DeskState> {
    return until('the state of the desk', () => this.#state);
  }

  /** Waits until the state fulfils a condition. */
  async when(what: string, wanted: (state: DeskState) => boolean): Promise<DeskState> {
    return await until(what, async () => {
      const state = await this.state();
      return wanted(state) ? state : null;
    });
  }
}

/** One-minute candles that fall from 60,000 by 10 a minute: lower bids are reached one after the other. */
export function fallingCandles(count = 240): string[] {
  const first = Date.UTC(2025, 1, 3);
  return Array.from({ length: count }, (_, at) => {
    const open = 60_000 - at * 10;
    return `${first + at * 60_000},${open}.00,${open}.00,${open - 10}.00,${open - 10}.00,100`;
  });
}

function terminalEnv(): Record<string, string | undefined> {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG: LANG ?? 'C.UTF-8', TERM: 'xterm-256color', COLORTERM: 'truecolor' };
}

function pidOf(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDir, 'outcry.pid'), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}

/**
 * Whether the process belongs to this stage: process ids are reused. Where that cannot be found out, it is
 * taken for one of the stage.
 */
function belongsTo(pid: number, folder: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return isAlive(pid);
  }
}
