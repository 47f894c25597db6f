/**
 * `outcry ssh add | remove | list | line | sessions | kick`: the operators who may log in to the running
 * desk, and those who are logged in. For owners, at the desk's own machine.
 */
import { readFileSync } from 'node:fs';
import { authorizedLine } from '../access/authorized-line.ts';
import { KEY_TEXT_MAX } from '../access/ssh-key.ts';
import { clean } from '../console/ui/clean.ts';
import type { OperatorRecord, Role, SessionView } from '../desk/console/protocol.ts';
import { attachPlace } from '../desk/ssh/program-place.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { consented, granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { loginLines } from './ssh-host.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

interface Common {
  readonly dataDir?: string;
}

export interface SshAddSettings extends Common {
  readonly which: string;
  readonly role?: Role;
  readonly key?: string;
  readonly network?: readonly string[];
  readonly expires?: number;
  readonly verify?: boolean;
  readonly certificates?: boolean;
  readonly replace?: boolean;
}

export async function sshAdd(settings: SshAddSettings, shell: Shell = processShell()): Promise<number> {
  const { which: name, role, key: file, network = [], expires = null } = settings;
  if (role === undefined)
    throw new UsageError('option --role is missing: viewer looks, operator trades, owner does everything');
  if (file === undefined)
    throw new UsageError(
      'option --key is missing: the file of a public key of OpenSSH, such as id_ed25519.pub',
    );
  const key = keyText(file);
  return onDesk(shell, settings.dataDir, async (desk) => {
    const operator = granted(
      await desk.call('operators.set', {
        name,
        role,
        key,
        from: network,
        expiresAt: expires,
        ca: settings.certificates === true,
        verify: settings.verify === true,
        replace: settings.replace === true,
      }),
    );
    shell.out(`${operator.name} may log in as ${operator.role} with ${operator.key.fingerprint}\n`);
    const ssh = await desk.call('ssh.view', {});
    if (ssh.listen.length === 0)
      shell.err(`outcry ssh line ${operator.name} prints the line for the authorized_keys of this account\n`);
    else for (const line of loginLines(ssh)) shell.err(`${line}\n`);
    return EXIT_OK;
  });
}

export async function sshRemove(
  settings: Common & { readonly which: string; readonly yes?: boolean },
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const question = `${clean(settings.which, 60)} is about to be no operator any more; its sessions end.`;
    const how = { yes: settings.yes === true, command: 'ssh remove', question, word: 'y' };
    if (!(await consented(shell, how))) {
      shell.err('nothing was done\n');
      return EXIT_FAILURE;
    }
    const { name } = granted(await desk.call('operators.remove', { name: settings.which }));
    shell.out(`${name} is removed; take its line out of authorized_keys, too\n`);
    return EXIT_OK;
  });
}

export async function sshList(
  settings: Common & { readonly json?: boolean },
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const operators = await desk.call('operators.list', {});
    if (settings.json) for (const operator of operators) shell.out(`${JSON.stringify(operator)}\n`);
    else if (operators.length === 0)
      shell.out('nobody; outcry ssh add NAME --role ROLE --key FILE adds somebody\n');
    else for (const operator of operators) shell.out(`${operatorWords(operator)}\n`);
    return EXIT_OK;
  });
}

/** Prints an operator's line of `authorized_keys`; it is the same for the machine's own sshd. */
export async function sshLine(
  settings: Common & { readonly which: string },
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const operators = await desk.call('operators.list', {});
    const operator = operators.find(({ name }) => name === settings.which);
    if (!operator)
      throw new Error(`there is no operator ${clean(settings.which, 60)}: outcry ssh list shows them`);
    const place = attachPlace(resolveDataFolder({ dataDir: settings.dataDir }));
    shell.out(`${granted(authorizedLine(operator, place))}\n`);
    return EXIT_OK;
  });
}

export async function sshSessions(
  settings: Common & { readonly json?: boolean },
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const sessions = await desk.call('sessions.list', {});
    for (const session of sessions)
      shell.out(`${settings.json ? JSON.stringify(session) : sessionWords(session)}\n`);
    return EXIT_OK;
  });
}

export async function sshKick(
  settings: Common & { readonly which: string; readonly reason?: string },
  shell: Shell = processShell(),
): Promise<number> {
  const { which: id, reason } = settings;
  return onDesk(shell, settings.dataDir, async (desk) => {
    granted(await desk.call('sessions.end', { id, ...(reason === undefined ? {} : { reason }) }));
    shell.out(`${clean(id, 20)} is ended\n`);
    return EXIT_OK;
  });
}

function operatorWords({ name, role, key, from, expiresAt, ca }: OperatorRecord): string {
  const until = expiresAt === null ? '' : ` until ${new Date(expiresAt).toISOString().slice(0, 16)}Z`;
  const where = from.length === 0 ? '' : ` from ${from.join(', ')}`;
  return `${name.padEnd(16)} ${role.padEnd(9)} ${key.fingerprint}${ca ? ' (CA)' : ''}${where}${until}`;
}

function sessionWords({ id, name, role, from, idleMs, ageMs, terminal, locked }: SessionView): string {
  const idle = `idle ${Math.round(idleMs / 1_000)} s`;
  const age = ageMs === null ? 'no screen' : `screen ${(ageMs / 1_000).toFixed(1)} s old`;
  const words = [clean(name), role, from === null ? 'this machine' : clean(from), idle, age, clean(terminal)];
  return `${id.padEnd(5)} ${words.join('  ')}${locked ? '  locked' : ''}`;
}

function keyText(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`option --key: ${clean(file)} cannot be read (${code})`);
  }
  if (text.length > KEY_TEXT_MAX)
    throw new UsageError(`option --key: ${clean(file)} is too long for a public key`);
  return text;
}
