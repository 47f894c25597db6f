/**
 * The desk's own sshd (remote.md 1): its files, written from the operators, its process, and its messages.
 * Whatever is missing on the machine only prevents logins: it is reported in one sentence, and the desk
 * trades on.
 */
import { type AttachPlace, authorizedLine } from '../../access/authorized-line.ts';
import { type ListenAddress, sshdConfig } from '../../access/sshd-config.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { OperatorRecord } from '../../domain/operator.ts';
import type { LogLine } from '../../domain/rows.ts';
import { visible } from '../../domain/visible.ts';
import type { SshView } from '../console/session-methods.ts';
import { askSshd, findSshd, testConfig, withRemedy } from './machine.ts';
import { machineProblems, thisAccount } from './machine-checks.ts';
import { type HostKeys, SshFiles } from './ssh-files.ts';
import { LineGate, levelOf } from './sshd-lines.ts';
import { SshdProcess, type StartProgram } from './sshd-process.ts';

export interface DeskSshGiven {
  /** Empty: the desk has no sshd of its own. */
  readonly listen: readonly ListenAddress[];
  readonly dataDir: string;
  readonly clock: Clock;
  readonly operators: { list(): readonly OperatorRecord[]; onChange(listener: () => void): void };
  readonly report: (level: LogLine['level'], text: string) => void;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly place: () => AttachPlace;
  /** Starts sshd; tests start another program. */
  readonly start?: StartProgram | undefined;
}

export class DeskSsh {
  readonly #o: DeskSshGiven;
  readonly #files: SshFiles;
  readonly #gate: LineGate;
  #process: SshdProcess | null = null;
  #keys: HostKeys | null = null;
  /** Why sshd does not run, as far as is known; null: no reason is known. */
  #problem: string | null = null;
  /** What on the machine prevents logins although sshd runs. */
  #machine: readonly string[] = [];
  #listening = new Set<string>();
  #written = '';
  #stopped = false;

  constructor(given: DeskSshGiven) {
    this.#o = given;
    this.#files = new SshFiles(given.dataDir, given.randomBytes);
    this.#gate = new LineGate(() => given.clock.monotonic());
  }

  view(): SshView {
    const { listen } = this.#o;
    const shown = (key: HostKeys['now'] | null | undefined) => key ?? null;
    return {
      listen,
      account: thisAccount()?.name ?? null,
      problem: [this.#problem, ...this.#machine].filter((one) => one !== null).join('; ') || null,
      state: listen.length === 0 ? 'off' : this.#listening.size > 0 ? 'listening' : 'down',
      hostKey: shown(this.#keys?.now),
      nextHostKey: shown(this.#keys?.next),
    };
  }

  /** Starts sshd. Resolves when it has started, or a sentence says why not. Never rejects. */
  async start(): Promise<void> {
    if (this.#o.listen.length === 0) return;
    this.#o.operators.onChange(() => this.#writeKeys());
    try {
      const started = await this.#begin();
      if (!started.ok) this.#troubled(started.error.message);
    } catch (error) {
      this.#troubled(String(error));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#process?.stop();
    this.#listening.clear();
  }

  /**
   * `now` false: makes the next host key, which clients begin to learn. True: replaces the present key with
   * it.
   */
  async rotate(now: boolean): Promise<Outcome<SshView>> {
    if (!this.#process) return refuse('CONFLICT', this.#problem ?? 'the desk’s sshd is not started yet');
    const keys = now ? this.#files.rotate() : this.#files.prepareNext();
    if (!keys.ok) return keys;
    const configured = await this.#configure(keys.data);
    if (!configured.ok) return configured;
    this.#listening.clear();
    await this.#process.restart();
    this.#o.report(
      'warn',
      now
        ? `the host key of the desk's sshd is ${keys.data.now.fingerprint} from now on`
        : `the next host key of the desk's sshd is ${keys.data.next?.fingerprint}; clients learn it at their logins`,
    );
    return ok(this.view());
  }

  async #begin(): Promise<Outcome<null>> {
    const sshd = findSshd();
    if (sshd === null)
      return refuse(
        'CONFLICT',
        'there is no sshd on this machine: install OpenSSH (apt install openssh-server)',
      );
    const keys = this.#files.open();
    if (!keys.ok) return keys;
    const written = this.#writeKeys();
    if (!written.ok) return written;
    const configured = await this.#configure(keys.data);
    if (!configured.ok) return configured;
    const account = thisAccount();
    this.#machine = account ? await machineProblems(account, this.#files.authorizedKeys) : [];
    for (const problem of this.#machine) this.#o.report('error', `nobody can log in over SSH: ${problem}`);
    if (this.#stopped) return ok(null);
    const { clock, start } = this.#o;
    this.#process = new SshdProcess({
      clock,
      start,
      command: [sshd, '-D', '-e', '-f', this.#files.config],
      line: (text) => this.#line(text),
      ended: (lines, pauseMs) => this.#ended(lines, pauseMs),
    });
    this.#process.start();
    return ok(null);
  }

  async #configure(keys: HostKeys): Promise<Outcome<null>> {
    const sshd = findSshd();
    const account = thisAccount();
    if (sshd === null || account === null)
      return refuse('CONFLICT', 'the account of the desk has no name, and sshd lets nobody in without');
    const { authorizedKeys, hostKey, nextHostKey, config } = this.#files;
    const knows = await askSshd(sshd, hostKey);
    if (!knows.ok) return knows;
    const hostKeys = keys.next === null ? [hostKey] : [hostKey, nextHostKey];
    const { listen } = this.#o;
    const text = sshdConfig({ listen, authorizedKeys, hostKeys, account: account.name }, knows.data);
    if (!text.ok) return text;
    const written = this.#files.writeConfig(text.data);
    if (!written.ok) return written;
    const taken = await testConfig(sshd, config);
    if (taken.ok) this.#keys = keys;
    return taken;
  }

  /** Writes the keys of the present operators. sshd reads the file at every login. */
  #writeKeys(): Outcome<null> {
    if (this.#stopped) return ok(null);
    const place = this.#o.place();
    const lines: string[] = [];
    for (const operator of this.#o.operators.list()) {
      const line = authorizedLine(operator, place);
      if (!line.ok) return this.#kept(line);
      lines.push(line.data);
    }
    const text = lines.join('\n');
    if (text === this.#written && this.#process) return ok(null);
    const written = this.#kept(this.#files.writeAuthorizedKeys(lines));
    if (written.ok) this.#written = text;
    return written;
  }

  /**
   * Reports a change of operators that could not be written, since sshd still uses the old file. The desk
   * refuses removed operators itself.
   */
  #kept(outcome: Outcome<null>): Outcome<null>;
  #kept(outcome: Outcome<string>): Outcome<null>;
  #kept(outcome: Outcome<unknown>): Outcome<null> {
    if (outcome.ok) return ok(null);
    if (this.#process) this.#troubled(`sshd was not told of the operators: ${outcome.error.message}`);
    return outcome;
  }

  #line(raw: string): void {
    const text = visible(raw);
    const at = /^Server listening on (\S+) port (\d+)/.exec(text);
    if (at) {
      this.#listening.add(`${at[1]} ${at[2]}`);
      this.#problem = null;
    }
    const level = levelOf(text);
    if (level === null || !this.#gate.lets(text)) return;
    const left = this.#gate.leftOut();
    if (left > 0) this.#o.report('warn', `${left} lines of sshd are left out: more than could be told`);
    this.#o.report(level, `sshd: ${text}`);
  }

  #ended(lines: readonly string[], pauseMs: number): void {
    this.#listening.clear();
    const why =
      lines.find((line) => /error|fatal|Bind|Cannot/.test(line)) ?? lines.at(-1) ?? 'it said nothing';
    this.#troubled(
      `sshd has ended and is started again in ${pauseMs / 1_000} s: ${withRemedy(visible(why))}`,
    );
  }

  #troubled(problem: string): void {
    const text = `nobody can log in over SSH: ${problem}`;
    this.#problem = problem;
    this.#o.report('error', text);
  }
}
