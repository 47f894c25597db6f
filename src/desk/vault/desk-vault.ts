/** The vault of a desk: on its store, told to its consoles, and opened at its start where a file says how. */
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
  /** What tests put in place of the real thing. */
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

/** Before anything connects. Whatever is wrong is a line of the log: without the vault paper and the API go on. */
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
