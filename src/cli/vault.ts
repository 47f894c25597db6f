/**
 * `outcry vault init | unlock | lock | change | forget`: the vault of the running desk. Passphrases come from
 * files or are typed unseen, never from arguments or the environment.
 */
import { clean } from '../console/ui/clean.ts';
import { consented, granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { secretFromFile, secretText } from './secret-text.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

interface Common {
  readonly dataDir?: string;
}

export interface VaultSettings extends Common {
  readonly passphraseFile?: string;
}

export interface VaultChangeSettings extends VaultSettings {
  readonly newPassphraseFile?: string;
}

export interface VaultForgetSettings extends Common {
  readonly yes?: boolean;
  /** The connection's name. */
  readonly which: string;
}

const NEW = 'New passphrase of the vault (at least 12 characters): ';
const NOTHING_DONE = 'nothing was done\n';

export async function vaultInit(settings: VaultSettings, shell: Shell = processShell()): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const passphrase = await newPassphrase(shell, 'init', '--passphrase-file', settings.passphraseFile);
    if (passphrase === null) return notDone(shell);
    granted(await desk.call('vault.init', { passphrase }));
    shell.out('the vault is made and open\n');
    shell.err('Nobody can find the passphrase out: without it what is in the vault is lost.\n');
    return EXIT_OK;
  });
}

export async function vaultUnlock(settings: VaultSettings, shell: Shell = processShell()): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const passphrase = await oldPassphrase(shell, 'unlock', settings.passphraseFile);
    if (passphrase === null) return notDone(shell);
    granted(await desk.call('vault.unlock', { passphrase }));
    shell.out('the vault is open\n');
    return EXIT_OK;
  });
}

export async function vaultLock(settings: Common, shell: Shell = processShell()): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    granted(await desk.call('vault.lock', {}));
    shell.out('the vault is locked\n');
    return EXIT_OK;
  });
}

export async function vaultChange(
  settings: VaultChangeSettings,
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const old = await oldPassphrase(shell, 'change', settings.passphraseFile);
    if (old === null) return notDone(shell);
    const passphrase = await newPassphrase(
      shell,
      'change',
      '--new-passphrase-file',
      settings.newPassphraseFile,
    );
    if (passphrase === null) return notDone(shell);
    const { copies } = granted(await desk.call('vault.change', { old, passphrase }));
    shell.out('the vault opens with the new passphrase\n');
    if (copies.length > 0)
      shell.err(
        `These copies of the database open with the old one: ${copies.map((name) => clean(name)).join(', ')}. If somebody may know it, delete them and make new API keys at the exchange.\n`,
      );
    return EXIT_OK;
  });
}

export async function vaultForget(
  settings: VaultForgetSettings,
  shell: Shell = processShell(),
): Promise<number> {
  const { which: connection, yes = false } = settings;
  return onDesk(shell, settings.dataDir, async (desk) => {
    const name = clean(connection, 60);
    const question = `The secrets of ${name} are about to be taken out of the vault, for good.`;
    if (!(await consented(shell, { yes, command: 'vault forget', question, word: connection })))
      return notDone(shell);
    const { fields } = granted(await desk.call('vault.forget', { connection }));
    shell.out(`forgotten: ${fields.map((field) => clean(field)).join(', ')} of ${name}\n`);
    return EXIT_OK;
  });
}

function notDone(shell: Shell): number {
  shell.err(NOTHING_DONE);
  return EXIT_FAILURE;
}

/** Reads the current passphrase as text for the desk; null: the person gave up. */
async function oldPassphrase(
  shell: Shell,
  command: string,
  file: string | undefined,
): Promise<string | null> {
  if (file !== undefined) return secretFromFile('--passphrase-file', file);
  const typed = await asked(shell, command, '--passphrase-file')('Passphrase of the vault: ');
  return typed && secretText(typed);
}

async function newPassphrase(
  shell: Shell,
  command: string,
  flag: string,
  file: string | undefined,
): Promise<string | null> {
  if (file !== undefined) return secretFromFile(flag, file);
  const ask = asked(shell, command, flag);
  const typed = await ask(NEW);
  const again = typed && (await ask('The same once more: '));
  const isSame = typed && again ? typed.equals(again) : null;
  again?.fill(0);
  if (isSame) return typed && secretText(typed);
  typed?.fill(0);
  if (isSame === false) shell.err('the two are not the same\n');
  return null;
}

function asked(shell: Shell, command: string, flag: string): NonNullable<Shell['secret']> {
  if (shell.secret) return shell.secret;
  throw new UsageError(
    `outcry vault ${command} asks for a passphrase, and there is no terminal to ask at: add ${flag} FILE`,
  );
}
