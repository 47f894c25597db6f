/** What every screen has to know of the vault. Pure. */
import type { VaultView } from '../../desk/console/protocol.ts';
import { counted } from '../ui/format.ts';

/** For the title line of the accounts. */
export function vaultWords({ state, connections }: VaultView): string {
  const held =
    state === 'locked' && connections.length > 0 ? ` with ${counted(connections.length, 'connection')}` : '';
  return `vault ${state}${held}`;
}

/** Somebody waits for it: a connection's secrets are in it, and it is locked. */
export function isMissed({ state, connections }: VaultView): boolean {
  return state === 'locked' && connections.length > 0;
}
