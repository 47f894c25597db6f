/**
 * The OpenSSH of this machine: where its server is, what it supports, and whether it accepts a configuration.
 * Each question is a short run of it.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readSshdKnows, type SshdKnows } from '../../access/sshd-config.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { visible } from '../../domain/visible.ts';

const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/sbin', '/usr/bin', '/usr/local/bin'];
const ANSWER_MS = 10_000;
const ANSWER_BYTES = 262_144;

export interface Ran {
  /** Null: the program could not be run, or took too long. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, with empty input. Never rejects. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<Ran>;

export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      {
        timeout: ANSWER_MS,
        maxBuffer: ANSWER_BYTES,
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, out, err: err === '' && code === null ? String(error) : err });
      },
    );
    child.stdin?.end();
  });

/** Returns the path of sshd, by which it must be started; null: there is none. */
export function findSshd(path: string | undefined = process.env.PATH): string | null {
  const folders = [...FOLDERS, ...(path ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))];
  return folders.map((folder) => join(folder, 'sshd')).find(isProgram) ?? null;
}

/**
 * Returns `OpenSSH_9.2p1` or whatever sshd says of itself; null: nothing. Older ones report an error for the
 * question and answer all the same.
 */
export async function sshdVersion(sshd: string, run: RunProgram = runProgram): Promise<string | null> {
  const { out, err } = await run(sshd, ['-V']);
  return /OpenSSH_[\w.-]{1,30}/.exec(`${out}\n${err}`)?.[0] ?? null;
}

/** Asks sshd what it supports. It needs an existing host key. */
export async function askSshd(
  sshd: string,
  hostKey: string,
  run: RunProgram = runProgram,
): Promise<Outcome<SshdKnows>> {
  const ran = await run(sshd, ['-T', '-f', '/dev/null', '-h', hostKey]);
  return ran.code === 0 ? ok(readSshdKnows(ran.out)) : refused(`${sshd} -T`, ran);
}

/** Checks whether sshd would start with this file. */
export async function testConfig(
  sshd: string,
  config: string,
  run: RunProgram = runProgram,
): Promise<Outcome<null>> {
  const ran = await run(sshd, ['-t', '-f', config]);
  return ran.code === 0 ? ok(null) : refused(`${sshd} -t`, ran);
}

function refused(what: string, { code, err }: Ran): Outcome<never> {
  const said = err.trim().split('\n').slice(-3).join('; ');
  return refuse(
    'CONFLICT',
    withRemedy(`${what} ${code === null ? 'failed' : `ended with ${code}`}: ${visible(said).slice(0, 400)}`),
  );
}

/** Adds a remedy to an error of sshd about its machine. */
export function withRemedy(said: string): string {
  const folder = /Missing privilege separation directory: (\/[\w/.-]+)/.exec(said)?.[1];
  if (folder !== undefined) return `${said}; as root run mkdir -p -m 0755 ${folder}`;
  if (/Privilege separation user \S+ does not exist/.test(said))
    return `${said}; installing openssh-server makes it`;
  if (/Address already in use/.test(said))
    return `${said}; another program has this port: end it, or name another port in [ssh] listen`;
  if (/Permission denied/.test(said) && /Bind to port/.test(said))
    return `${said}; ports below 1024 are the system's: name a higher one in [ssh] listen`;
  if (/Cannot assign requested address/.test(said))
    return `${said}; this machine has no such address: name one of its own in [ssh] listen`;
  return said;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
