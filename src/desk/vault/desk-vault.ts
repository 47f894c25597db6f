/**
 * The vault of a desk: kept in its store; consoles are told of changes; opened at the start where a file has
 * the passphrase.
 */
import { randomBytes } from 'node:crypto';
import { readSecretBytes } from '../../access/secret-file.ts';
import { Vault, type VaultPorts } from '../../access/vault/vault.ts';
import type { Clock } from '../../domain/clock.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DeskCore } from '../core/desk-core.ts';

export interface DeskVaultGiven {
  readonly store: Store;
  readonly clock: Clock;
  readonly core: () => DeskCore;
  /** Replacements that tests give for the real thing. */
  readonly ports?: Partial<VaultPorts> | undefined;
}

export function openDeskVault({ store, clock, core, ports }: DeskVaultGiven): Vault {
  const vault = new Vault({
    stored: () => store.vault(),
    store: (rows) => {
      core().turn.store(rows, true);
      return core().turn.read(() => {});
    },
    monotonic: () => clock.monotonic(),
    randomBytes,
    ...ports,
  });
  vault.onChanged(() => core().mark({ kind: 'vault' }));
  return vault;
}

/**
 * Opens the vault before anything connects. Any problem becomes a line of the log: paper accounts and the API
 * work without the vault.
 */
export async function unlockAtStart(
  vault: Vault,
  file: string | null,
  report: (level: LogLine['level'], source: string, text: string) => void,
): Promise<void> {
  if (file === null) return;
  const read = readSecretBytes(file);
  if ('problem' in read)
    return report('error', 'vault', `vault.passphrase_file: ${read.problem}; the vault stays locked`);
  const unlocked = await vault.unlock(read.bytes);
  if (unlocked.ok) report('info', 'vault', 'opened with the passphrase file');
  else report('error', 'vault', `vault.passphrase_file: ${unlocked.error.message}`);
}
