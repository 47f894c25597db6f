/**
 * A desk with its own sshd, operators with keys that ssh-keygen made, and logins by the machine's ssh. Where
 * OpenSSH is not installed or cannot work, `sshTests` skips its tests and names the reason; with `CI=true`
 * that fails instead.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { knownHostsLine } from '../../../src/access/host-key.ts';
import type { OperatorForm, Role, SessionView } from '../../../src/desk/console/protocol.ts';
import { findSshd } from '../../../src/desk/ssh/machine.ts';
import { freePort } from '../../support/free-port.ts';
import { ROOMY_CONFIG } from '../../support/roomy-limits.ts';
import { type Attached, LAUNCHER, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';
import { until } from '../../support/terminal/wait.ts';

const HOST = '127.0.0.1';
const START_LIMIT_MS = 60_000;

/** Why logins cannot be tried here; null: they can. */
function missing(): string | null {
  if (process.platform !== 'linux') return 'the system is not Linux';
  if (findSshd() === null || !existsSync('/usr/bin/ssh'))
    return 'openssh-server and openssh-client are not installed';
  if (process.getuid?.() !== 0) {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .find((line) => / \/dev\/pts devpts /.test(line));
    if (!mount?.includes('gid=')) return 'an sshd without root can give no terminal here';
  } else if (!existsSync('/run/sshd')) return 'sshd of root needs /run/sshd';
  return null;
}

/** `describe` for tests over real SSH. */
export function sshTests(name: string, tests: () => void): void {
  const why = missing();
  if (why !== null && process.env.CI === 'true') throw new Error(`${name}: ${why}`);
  if (why === null) describe(name, tests);
  else describe.skip(`${name}: skipped, ${why}`, tests);
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class SshDesk {
  readonly stage: Stage;
  readonly dataDir: string;
  readonly port: number;
  readonly terminal: Terminal;
  /** The owner's connection, at the desk's own machine. */
  readonly owner: Attached;

  private constructor(stage: Stage, dataDir: string, port: number, terminal: Terminal, owner: Attached) {
    this.stage = stage;
    this.dataDir = dataDir;
    this.port = port;
    this.terminal = terminal;
    this.owner = owner;
  }

  /** Opens a desk. sshd reads keys only below folders that others cannot write to: the home is one. */
  static async open(args: readonly string[] = ['--hold']): Promise<SshDesk> {
    const stage = new Stage({ parent: homedir() });
    return SshDesk.openOn(stage, stage.dataDir(), await freePort(), args);
  }

  static async openOn(
    stage: Stage,
    dataDir: string,
    port: number,
    args: readonly string[] = ['--hold'],
    /** False: the configuration file says where sshd listens. */
    { ssh = true }: { readonly ssh?: boolean } = {},
  ): Promise<SshDesk> {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(join(dataDir, 'config.toml')))
      writeFileSync(join(dataDir, 'config.toml'), ROOMY_CONFIG, { mode: 0o600 });
    const listen = ssh ? ['--ssh', `${HOST}:${port}`] : [];
    const command = [LAUNCHER, 'serve', '--data-dir', dataDir, '--port', '0', ...listen];
    const terminal = stage.terminal(process.execPath, [...command, ...args]);
    const owner = await until('the desk', () => stage.attach(dataDir).catch(() => null), START_LIMIT_MS);
    const desk = new SshDesk(stage, dataDir, port, terminal, owner);
    await desk.listening();
    return desk;
  }

  get account(): string {
    return userInfo().username;
  }

  get authorizedKeys(): string {
    return readFileSync(join(this.dataDir, 'ssh', 'authorized_keys'), 'utf8');
  }

  async listening(): Promise<void> {
    const view = await until(
      'sshd',
      async () => {
        const now = await this.owner.desk.call('ssh.view', {});
        return now.state === 'listening' ? now : null;
      },
      START_LIMIT_MS,
    );
    if (view.hostKey === null) throw new Error('there is no host key');
    this.trust(knownHostsLine(HOST, this.port, view.hostKey));
  }

  get knownHosts(): string {
    return join(this.stage.folder, 'known_hosts');
  }

  /** Sets the host keys that clients trust. */
  trust(...lines: readonly string[]): void {
    writeFileSync(this.knownHosts, `${lines.join('\n')}\n`);
  }

  /** Makes a key with ssh-keygen; returns the path of its private half. */
  key(name: string): string {
    const path = join(this.stage.folder, `key-${name}`);
    if (!existsSync(path)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
    return path;
  }

  async operator(name: string, role: Role = 'operator', more: Partial<OperatorForm> = {}): Promise<void> {
    const key = readFileSync(`${this.key(name)}.pub`, 'utf8');
    const made = await this.owner.desk.call('operators.set', { name, role, key, replace: true, ...more });
    if (!made.ok) throw new Error(made.error.message);
  }

  /**
   * Arguments of ssh up to the address. Only the key of `name` is tried, and only the host key of `trust` is
   * accepted.
   */
  args(name: string, port = this.port): string[] {
    const options = {
      IdentitiesOnly: 'yes',
      UserKnownHostsFile: this.knownHosts,
      StrictHostKeyChecking: 'yes',
      BatchMode: 'yes',
      ConnectTimeout: '20',
      HostKeyAlias: `[${HOST}]:${this.port}`,
    };
    return [
      '-F',
      'none',
      '-p',
      String(port),
      '-i',
      this.key(name),
      ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
    ];
  }

  get address(): string {
    return `${this.account}@${HOST}`;
  }

  /** Logs in at a terminal. `before`: further arguments of ssh; `after`: the text after the address. */
  login(
    name: string,
    {
      columns = 80,
      rows = 24,
      before = [],
      after = [],
      port,
    }: {
      columns?: number;
      rows?: number;
      before?: readonly string[];
      after?: readonly string[];
      port?: number;
    } = {},
  ): Terminal {
    const args = [...this.args(name, port), ...before, this.address, ...after];
    return this.stage.terminal('ssh', args, { columns, rows });
  }

  /** Logs in at a terminal and waits until its console is drawn. */
  async console(name: string, options: Parameters<SshDesk['login']>[1] = {}): Promise<Terminal> {
    const terminal = this.login(name, options);
    await terminal.waitFor(/Watchlist/, `the console of ${name}`, START_LIMIT_MS);
    return terminal;
  }

  /** Runs ssh to its end, without a terminal. */
  run(name: string, before: readonly string[] = [], after: readonly string[] = []): Promise<Ran> {
    return runToEnd('ssh', [...this.args(name), ...before, this.address, ...after]);
  }

  async sessions(): Promise<readonly SessionView[]> {
    const all = await this.owner.desk.call('sessions.list', {});
    return all.filter(({ from }) => from !== null);
  }

  /** Waits until this many operators are connected. */
  async many(count: number): Promise<readonly SessionView[]> {
    return await until(
      `${count} sessions`,
      async () => {
        const now = await this.sessions();
        return now.length === count ? now : null;
      },
      START_LIMIT_MS,
    );
  }

  close(): Promise<void> {
    return this.stage.close();
  }
}

/** Runs a program to its end with an empty input. */
export function runToEnd(program: string, args: readonly string[], limitMs = 60_000): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

/** Ids of the processes whose command line has all the words. */
export function processesWith(...words: readonly string[]): number[] {
  const ids = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return ids
    .split('\n')
    .filter((line) => words.every((word) => line.includes(word)))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
}
