/**
 * What on a machine keeps operators from logging in, found before they try (remote.md 1): the shell and the lock of the account, who may
 * write where `authorized_keys` lies, pseudo-terminals that an ordinary user cannot have. Each a sentence with what helps.
 */
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { type RunProgram, runProgram } from './machine.ts';

const OTHERS_WRITE = 0o022;
/** What a shell is asked to end with: not what one that refuses ends with. */
const PROOF = 41;

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  readonly shell: string;
}

/** The account that the desk runs as; null: it has no entry (some containers). */
export function thisAccount(): Account | null {
  try {
    const { username: name, uid, homedir: home, shell } = userInfo();
    return { name, uid, home, shell: shell ?? '/bin/sh' };
  } catch {
    return null;
  }
}

/** Files that the checks read; tests give others. */
export interface CheckedFiles {
  /** Null: it cannot be read. */
  readonly read: (path: string) => string | null;
  readonly stat: (path: string) => { readonly mode: number; readonly uid: number } | null;
}

export const REAL_FILES: CheckedFiles = {
  read(path) {
    try {
      return readFileSync(path, 'utf8').slice(0, 1_000_000);
    } catch {
      return null;
    }
  },
  stat(path) {
    try {
      return statSync(path);
    } catch {
      return null;
    }
  },
};

/** All that stands against logins of `account` by the file `authorizedKeys`; empty: nothing. */
export async function machineProblems(
  account: Account,
  authorizedKeys: string,
  { files = REAL_FILES, run = runProgram }: { files?: CheckedFiles; run?: RunProgram } = {},
): Promise<string[]> {
  const found = [
    await shellProblem(account, run),
    lockProblem(account, files),
    pathProblem(account, authorizedKeys, files),
    ptsProblem(account, files),
  ];
  return found.filter((problem) => problem !== null);
}

/** sshd starts the command of a line by the account's shell. */
async function shellProblem({ name, shell }: Account, run: RunProgram): Promise<string | null> {
  const { code } = await run(shell, ['-c', `exit ${PROOF}`]);
  if (code === PROOF) return null;
  return `the shell of ${name}, ${shell}, runs no command; give the account one that does (usermod --shell /bin/sh ${name})`;
}

/** Only root can see it, and only root's sshd looks. */
function lockProblem({ name, uid }: Account, files: CheckedFiles): string | null {
  const line =
    uid === 0
      ? files
          .read('/etc/shadow')
          ?.split('\n')
          .find((one) => one.startsWith(`${name}:`))
      : undefined;
  return line?.split(':')[1]?.startsWith('!')
    ? `the account ${name} is locked, and sshd lets nobody into it; usermod -p '*' ${name} unlocks it without a password`
    : null;
}

/** As sshd's StrictModes: neither the file nor a folder above it, up to the home, may be another's to write. */
function pathProblem({ uid, home }: Account, file: string, files: CheckedFiles): string | null {
  let path = file;
  for (;;) {
    const stat = files.stat(path);
    if (stat && ((stat.mode & OTHERS_WRITE) !== 0 || (stat.uid !== uid && stat.uid !== 0)))
      return `others can write to ${path}, and sshd takes no keys from below it; run chmod go-w on it, or choose another data folder`;
    const above = dirname(path);
    if (path === home || above === path) return null;
    path = above;
  }
}

/** Without root sshd cannot give a terminal to the group that it must have; a mount with `gid=` does. Linux only. */
function ptsProblem({ uid }: Account, files: CheckedFiles): string | null {
  if (uid === 0 || process.platform !== 'linux') return null;
  const group = /^tty:[^:]*:(\d+):/m.exec(files.read('/etc/group') ?? '')?.[1];
  const mount = (files.read('/proc/self/mounts') ?? '')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, where, type]) => where === '/dev/pts' && type === 'devpts');
  if (group === undefined || !mount) return null;
  if ((mount[3] ?? '').split(',').includes(`gid=${group}`)) return null;
  return `terminals of this machine do not belong to the group tty, and an sshd without root cannot give one; mount /dev/pts with gid=${group}, or use the machine's sshd (outcry ssh line)`;
}
