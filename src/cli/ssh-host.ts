/** `outcry ssh fingerprint | rotate-host-key | check`: the desk's sshd. For owners, at the desk's machine. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { attachCommand } from '../access/authorized-line.ts';
import { knownHostsLine } from '../access/host-key.ts';
import { isPostQuantum } from '../access/sshd-config.ts';
import { clean } from '../console/ui/clean.ts';
import type { SshView } from '../desk/console/protocol.ts';
import { askSshd, findSshd, sshdVersion } from '../desk/ssh/machine.ts';
import { machineProblems, thisAccount } from '../desk/ssh/machine-checks.ts';
import { attachPlace } from '../desk/ssh/program-place.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { consented, granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

interface Common {
  readonly dataDir?: string;
}

/** The lines that say how to log in, and which host key the client will be asked to accept. */
export function loginLines({ listen, account, hostKey, problem }: SshView): string[] {
  const [address] = listen;
  if (!address) return [];
  const { port } = address;
  const host = hostOf(address.host);
  return [
    `login: ssh ${port === 22 ? '' : `-p ${port} `}${clean(account ?? 'ACCOUNT')}@${host}`,
    ...(hostKey === null ? [] : [`known_hosts: ${knownHostsLine(host, port, hostKey)}`]),
    ...(problem === null ? [] : [clean(problem)]),
  ];
}

/** Returns the host to log in to: if sshd listens on all addresses, the machine's name. */
function hostOf(host: string): string {
  return host === '0.0.0.0' || host === '::' ? hostname() : host;
}

export async function sshFingerprint(settings: Common, shell: Shell = processShell()): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const ssh = await desk.call('ssh.view', {});
    if (ssh.hostKey === null) throw new Error(ssh.problem ?? NO_SSHD);
    shell.out(`${ssh.hostKey.fingerprint}\n`);
    for (const line of loginLines(ssh)) shell.out(`${line}\n`);
    if (ssh.nextHostKey) shell.out(`next: ${ssh.nextHostKey.fingerprint}\n`);
    return EXIT_OK;
  });
}

const NO_SSHD =
  'this desk has no sshd of its own: [ssh] listen in config.toml, or --ssh, names where it listens';

export async function sshRotateHostKey(
  settings: Common & { readonly now?: boolean; readonly yes?: boolean },
  shell: Shell = processShell(),
): Promise<number> {
  const now = settings.now === true;
  return onDesk(shell, settings.dataDir, async (desk) => {
    const { nextHostKey } = await desk.call('ssh.view', {});
    if (now) {
      const known =
        nextHostKey === null
          ? 'No client knows the next key yet.'
          : 'Clients that logged in since it was made know it.';
      const question = `The desk's sshd is about to answer with another host key. ${known}`;
      const how = { yes: settings.yes === true, command: 'ssh rotate-host-key', question, word: 'y' };
      if (!(await consented(shell, how))) {
        shell.err('nothing was done\n');
        return EXIT_FAILURE;
      }
    }
    const ssh = granted(await desk.call('ssh.rotate', { now }));
    if (now) for (const line of loginLines(ssh)) shell.out(`${line}\n`);
    else {
      shell.out(`next: ${ssh.nextHostKey?.fingerprint}\n`);
      shell.err('who logs in from now on learns it; outcry ssh rotate-host-key --now changes over\n');
    }
    return EXIT_OK;
  });
}

/** Checks the login without a desk. Exit code 1: an operator could not log in. */
export async function sshCheck(settings: Common, shell: Shell = processShell()): Promise<number> {
  const folder = resolveDataFolder({ dataDir: settings.dataDir });
  const { problems, notes } = await checked(folder);
  for (const note of notes) shell.out(`ok    ${clean(note)}\n`);
  for (const problem of problems) shell.out(`wrong ${clean(problem)}\n`);
  return problems.length === 0 ? EXIT_OK : EXIT_FAILURE;
}

async function checked(folder: string): Promise<{ problems: string[]; notes: string[] }> {
  const problems: string[] = [];
  const notes: string[] = [];
  const sshd = findSshd();
  if (sshd === null)
    problems.push('there is no sshd on this machine: install OpenSSH (apt install openssh-server)');
  else await checkSshd(sshd, folder, { problems, notes });
  const account = thisAccount();
  if (account === null)
    problems.push('the account has no entry in /etc/passwd, and sshd lets nobody into it');
  else {
    const found = await machineProblems(account, join(folder, 'ssh', 'authorized_keys'));
    problems.push(...found);
    notes.push(`one logs in to the account ${account.name}, whose shell is ${account.shell}`);
    if (account.uid === 0)
      notes.push(
        'the desk runs as root: the machine’s own sshd needs PermitRootLogin forced-commands-only for it, better give the desk an account',
      );
  }
  if (!existsSync(folder)) problems.push(`there is no data folder ${folder}; outcry serve makes it`);
  else {
    const place = attachPlace(folder);
    const command = attachCommand({ name: 'name', role: 'viewer' }, place);
    if (!command.ok) problems.push(command.error.message);
    if (!existsSync(place.main)) problems.push(`${place.main} is not there; npm run build makes it`);
  }
  return { problems, notes };
}

async function checkSshd(
  sshd: string,
  folder: string,
  { problems, notes }: { problems: string[]; notes: string[] },
): Promise<void> {
  notes.push(`${sshd} is ${(await sshdVersion(sshd)) ?? 'of a version that it does not tell'}`);
  const hostKey = join(folder, 'ssh', 'host_ed25519');
  if (!existsSync(hostKey)) return;
  const knows = await askSshd(sshd, hostKey);
  if (!knows.ok) {
    problems.push(knows.error.message);
    return;
  }
  notes.push(
    isPostQuantum(knows.data)
      ? 'its key exchange withstands quantum computers'
      : 'its key exchange does not withstand quantum computers; that of OpenSSH 9.0 and later does',
  );
  if (!knows.data.has('persourcepenalties'))
    notes.push('it keeps no record of addresses that try keys; OpenSSH 9.8 and later does');
}
