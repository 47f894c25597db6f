/** Facts of the vault that every screen needs. Pure. */
import type { VaultView } from '../../desk/console/protocol.ts';
import { counted } from '../ui/format.ts';

/** The vault in words, for the title line of the accounts. */
export function vaultWords({ state, connections }: VaultView): string {
  const held =
    state === 'locked' && connections.length > 0 ? ` with ${counted(connections.length, 'connection')}` : '';
  return `vault ${state}${held}`;
}

/** Whether the vault should be unlocked: it holds secrets of a connection and is locked. */
export function isMissed({ state, connections }: VaultView): boolean {
  return state === 'locked' && connections.length > 0;
}
