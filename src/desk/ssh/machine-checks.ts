/**
 * Finds what on a machine prevents operators from logging in, before they try (remote.md 1): the shell and
 * the lock of the account, write access to the place of `authorized_keys`, pseudo-terminals that an ordinary
 * user cannot have. Each problem is a sentence with a remedy.
 */
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { type RunProgram, runProgram } from './machine.ts';

const OTHERS_WRITE = 0o022;
/** Exit code that a shell is asked for; a shell that refuses ends with another. */
const PROOF = 41;

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  readonly shell: string;
}

/** Returns the account that the desk runs as; null: it has no entry (some containers). */
export function thisAccount(): Account | null {
  try {
    const { username: name, uid, homedir: home, shell } = userInfo();
    return { name, uid, home, shell: shell ?? '/bin/sh' };
  } catch {
    return null;
  }
}

/** Files that the checks read; tests use others. */
export interface CheckedFiles {
  /** Returns a file's text; null: it cannot be read. */
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

/** Returns all problems of logins to `account` with the file `authorizedKeys`; empty: none. */
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

/** Checks the shell: sshd starts the command of a line with the account's shell. */
async function shellProblem({ name, shell }: Account, run: RunProgram): Promise<string | null> {
  const { code } = await run(shell, ['-c', `exit ${PROOF}`]);
  if (code === PROOF) return null;
  return `the shell of ${name}, ${shell}, runs no command; give the account one that does (usermod --shell /bin/sh ${name})`;
}

/** Checks the account's lock, which only root can see and only root's sshd checks. */
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

/**
 * Checks what sshd's StrictModes does: nobody else may write to the file or to a folder above it, up to the
 * home.
 */
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

/**
 * Checks pseudo-terminals: without root, sshd cannot give a terminal to the group that it must have; a mount
 * with `gid=` does. Linux only.
 */
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
