/** `outcry keys add | list | revoke`: API keys from the shell, also where a console could not load. */
import { readFileSync } from 'node:fs';
import { clean } from '../console/ui/clean.ts';
import type { DeskClient } from '../desk/console/protocol.ts';
import type { AccessKey, KeySettings } from '../domain/access-key.ts';
import type { Tier } from '../domain/actor.ts';
import { closest } from '../domain/did-you-mean.ts';
import { jsonLine } from './json-line.ts';
import { consented, granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

interface Common {
  readonly dataDir?: string;
  readonly yes?: boolean;
}

export interface KeysAddSettings extends Common {
  readonly name: string;
  readonly tier?: Tier;
  readonly ip?: readonly string[];
  readonly exchange?: readonly string[];
  /** The file of a public key that was made elsewhere. */
  readonly publicKey?: string;
}

export interface KeysListSettings extends Common {
  readonly json?: boolean;
}

export interface KeysRevokeSettings extends Common {
  /** The key's id or name. */
  readonly which: string;
}

/** A public key is a line or a short PEM file. */
const MAX_KEY_FILE_CHARACTERS = 4_096;
const NOTHING_DONE = 'nothing was done\n';

export async function keysAdd(settings: KeysAddSettings, shell: Shell = processShell()): Promise<number> {
  const { name, tier = 'read', ip, exchange, publicKey } = settings;
  const wanted: KeySettings = { label: name, tier, ipList: ip ?? null, allowedExchanges: exchange ?? null };
  const text = publicKey === undefined ? null : readPublicKey(publicKey);
  return onDesk(shell, settings.dataDir, async (desk) => {
    const question = `A key named ${clean(name)} of tier ${tier} is about to be made.`;
    if (!(await consented(shell, { yes: settings.yes === true, command: 'keys add', question, word: 'y' })))
      return notDone(shell);
    if (text !== null) {
      const key = granted(await desk.call('keys.register', { ...wanted, publicKey: text }));
      shell.out(`${key.id}\n`);
      shell.err(`${keyWords(key)} is registered\n`);
      return EXIT_OK;
    }
    const { key, path, example } = granted(await desk.call('keys.generate', wanted));
    const { pem } = granted(await desk.call('keys.reveal', { id: key.id }));
    shell.out(pem);
    shell.err(`${keyWords(key)} is made: id ${key.id}\n`);
    shell.err(`The private key above is shown this once; it is in ${clean(path)} as well.\n`);
    shell.err(`Try it: ${clean(example.command)}\n`);
    return EXIT_OK;
  });
}

export async function keysList(settings: KeysListSettings, shell: Shell = processShell()): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const keys = await desk.call('keys.list', {});
    if (settings.json) for (const key of keys) shell.out(`${jsonLine(key)}\n`);
    else shell.out(tableOf(keys));
    return EXIT_OK;
  });
}

export async function keysRevoke(
  settings: KeysRevokeSettings,
  shell: Shell = processShell(),
): Promise<number> {
  return onDesk(shell, settings.dataDir, async (desk) => {
    const key = await findKey(desk, settings.which);
    const question = `${keyWords(key)} is about to be revoked, for good.`;
    if (
      !(await consented(shell, { yes: settings.yes === true, command: 'keys revoke', question, word: 'y' }))
    )
      return notDone(shell);
    const { closedSockets } = granted(await desk.call('keys.revoke', { id: key.id }));
    const sockets = closedSockets === 1 ? '1 WebSocket' : `${closedSockets} WebSockets`;
    shell.out(`${keyWords(key)} is revoked${closedSockets > 0 ? `, ${sockets} of it closed` : ''}\n`);
    return EXIT_OK;
  });
}

function notDone(shell: Shell): number {
  shell.err(NOTHING_DONE);
  return EXIT_FAILURE;
}

/** Finds an active key by its whole id, or by its name. */
async function findKey(desk: DeskClient, which: string): Promise<AccessKey> {
  const keys = await desk.call('keys.list', {});
  const active = keys.filter(({ revokedAt }) => revokedAt === null);
  const found = active.find(({ id }) => id === which) ?? active.find(({ label }) => label === which);
  if (found) return found;
  const revoked = keys.find(({ id, label }) => id === which || label === which);
  if (revoked) throw new Error(`${keyWords(revoked)} was revoked already`);
  const near = closest(
    which,
    active.map(({ label }) => label),
  );
  const more = near === null ? 'outcry keys list shows the keys' : `did you mean ${clean(near)}?`;
  throw new Error(`there is no key ${clean(which, 60)}: ${more}`);
}

function readPublicKey(file: string): string {
  const right = 'a public key of 43 characters, or its PEM';
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length <= MAX_KEY_FILE_CHARACTERS) return text.trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(
      `option --public-key: ${clean(file)} cannot be read (${code}); it takes the file of ${right}`,
    );
  }
  throw new UsageError(`option --public-key: ${clean(file)} is too long; it takes the file of ${right}`);
}

function keyWords({ id, label }: AccessKey): string {
  return `key ${clean(label)} (${id.slice(0, 8)})`;
}

function tableOf(keys: readonly AccessKey[]): string {
  if (keys.length === 0) return 'there are no keys: outcry keys add makes one\n';
  const rows = keys.map((key) => [
    key.id,
    clean(key.label),
    key.tier,
    key.revokedAt === null ? 'active' : 'revoked',
    key.lastUsedAt === null ? 'never' : new Date(key.lastUsedAt).toISOString().slice(0, 19),
    clean(key.ipList?.join(' ') ?? 'any'),
    clean(key.allowedExchanges?.join(' ') ?? 'all'),
  ]);
  const all = [['id', 'name', 'tier', 'state', 'last used', 'addresses', 'accounts'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}
