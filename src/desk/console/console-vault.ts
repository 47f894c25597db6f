/**
 * The consoles' calls about the vault, only for owners. A passphrase is turned into a Buffer here at once: no
 * line of the log, no refusal and no state has any part of it.
 */
import { readdirSync } from 'node:fs';
import type { Vault } from '../../access/vault/vault.ts';
import { OWNER } from '../../domain/actor.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { Connections } from '../connections/connections.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { Params, Result } from './protocol.ts';
import type { VaultView } from './vault-view.ts';

export interface VaultDeskOptions {
  readonly core: DeskCore;
  readonly vault: Vault;
  readonly dataDir: string;
  readonly connections: Pick<Connections, 'forgotten'>;
}

/** Most names of connections that terminals mirror. */
const MIRRORED_CONNECTIONS = 100;

export function vaultHandlers({ core, vault, dataDir, connections }: VaultDeskOptions) {
  const report = (level: LogLine['level'], text: string) => core.report(level, 'vault', text);
  /** Logs the outcome of a passphrase once. */
  const said = async (outcome: Promise<Outcome<null>>, done: string): Promise<Outcome<null>> => {
    const came = await outcome;
    if (came.ok) report('info', done);
    else if (came.error.code === 'FORBIDDEN') report('warn', 'a wrong passphrase was given');
    return came;
  };
  const names = () => [
    OWNER,
    ...vault.connections(),
    ...core.engine.memory.accountsOf(OWNER).map(({ account }) => account.id),
  ];
  return {
    'vault.init': ({ passphrase }: Params<'vault.init'>): Promise<Outcome<null>> =>
      said(vault.init(bytesOf(passphrase), names()), 'made and open'),
    'vault.unlock': ({ passphrase }: Params<'vault.unlock'>): Promise<Outcome<null>> =>
      said(vault.unlock(bytesOf(passphrase)), 'opened from a terminal'),
    'vault.lock': (_: Params<'vault.lock'>): Outcome<null> => {
      const { state } = vault;
      if (state === 'none') return refuse('NOT_FOUND', 'there is no vault yet: outcry vault init makes one');
      vault.lock();
      if (state === 'open') report('info', 'locked from a terminal');
      return ok(null);
    },
    'vault.change': async ({ old, passphrase }: Params<'vault.change'>): Promise<Result<'vault.change'>> => {
      const change = vault.change(bytesOf(old), bytesOf(passphrase), names());
      const came = await said(change, 'another passphrase is set');
      return came.ok ? ok({ copies: copiesIn(dataDir) }) : came;
    },
    'vault.forget': async ({ connection }: Params<'vault.forget'>): Promise<Result<'vault.forget'>> => {
      const fields = vault.fieldsOf(connection);
      if (fields.length === 0) return refuse('NOT_FOUND', `nothing of ${connection} is in the vault`);
      core.turn.store(vault.forget(connection), true);
      try {
        await core.turn.read(() => core.mark({ kind: 'vault' }));
      } catch {
        return refuse('SERVICE_UNAVAILABLE', 'the change could not be stored; try again');
      }
      report('warn', `the secrets of ${connection} are forgotten`);
      await connections.forgotten(connection);
      return ok({ fields });
    },
  };
}

export function vaultViewOf(vault: Vault, wall: number, unattended: readonly string[]): VaultView {
  const { waitMs } = vault;
  return {
    state: vault.state,
    connections: vault.connections().slice(0, MIRRORED_CONNECTIONS),
    retryAt: waitMs > 0 ? wall + waitMs : null,
    ...(unattended.length > 0 ? { unattended: unattended.slice(0, MIRRORED_CONNECTIONS) } : {}),
  };
}

/** Copies a text into a buffer of its own, all of which is filled with zeros later. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Returns the databases that were copied before a migration; they hold the vault as it was then. */
function copiesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir).filter((name) => /^outcry\.db\.v\d+\.bak$/.test(name));
  } catch {
    return [];
  }
}
