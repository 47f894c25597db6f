/**
 * One line of OpenSSH's `authorized_keys` (remote.md 1): a key that starts this program as one operator and
 * nothing else. Every word is quoted for the shell that sshd starts; a path that no quoting makes safe is
 * refused. Pure.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { OperatorRecord } from '../domain/operator.ts';

/** Where the program is, and which desk it must reach. */
export interface AttachPlace {
  /** Absolute path of node. */
  readonly node: string;
  /** The folder of the program: it may read nothing else. */
  readonly root: string;
  /** The program's first file, in `root`. */
  readonly main: string;
  readonly dataDir: string;
}

/** Characters to which a shell, sshd or its file gives another meaning. */
const UNSAFE = /["'`$\\%\p{Cc}]/u;

export function authorizedLine(operator: OperatorRecord, place: AttachPlace): Outcome<string> {
  const command = attachCommand(operator, place);
  if (!command.ok) return command;
  const { name, key, ca, from, expiresAt, verify } = operator;
  const options = [
    'restrict',
    'pty',
    `command="${command.data}"`,
    ...(from.length > 0 ? [`from="${from.join(',')}"`] : []),
    ...(expiresAt === null ? [] : [`expiry-time="${expiryOf(expiresAt)}"`]),
    ...(verify ? ['verify-required'] : []),
    ...(ca ? ['cert-authority', `principals="${name}"`] : []),
  ];
  return ok(`${options.join(',')} ${key.type} ${key.blob} ${name}`);
}

/** The command that sshd runs: it contains nothing that a client sends. */
export function attachCommand(
  { name, role }: Pick<OperatorRecord, 'name' | 'role'>,
  { node, root, main, dataDir }: AttachPlace,
): Outcome<string> {
  for (const path of [node, root, main, dataDir])
    if (!path.startsWith('/') || UNSAFE.test(path))
      return refuse(
        'INVALID_REQUEST',
        `${JSON.stringify(path)} cannot stand in a line of authorized_keys: it must be absolute, without quotes, $, %, \\ and control characters`,
      );
  const words = [
    node,
    '--permission',
    `--allow-fs-read=${root}`,
    main,
    'attach',
    '--as',
    name,
    '--role',
    role,
    '--data-dir',
    dataDir,
  ];
  return ok(words.map((word) => `'${word}'`).join(' '));
}

/** A time in the form of `expiry-time`, UTC. */
function expiryOf(at: number): string {
  return `${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
}
