/**
 * The vault in the contract between a terminal and the desk: what is shown of it, and its calls. Types only.
 */
import type { Outcome } from '../../domain/errors.ts';

export interface VaultView {
  readonly state: 'none' | 'locked' | 'open';
  /** Connections with a secret in the vault, the first of them in order. */
  readonly connections: readonly string[];
  /** Wall time from which a passphrase is accepted again after wrong ones; null: now. */
  readonly retryAt: number | null;
  /**
   * Connections whose stops this desk holds although no file opens the vault after a restart; left out: none.
   */
  readonly unattended?: readonly string[];
}

/** Passphrases come as text, and are turned into Buffers on arrival. */
export interface VaultMethods {
  'vault.init': [{ passphrase: string }, Outcome<null>];
  'vault.unlock': [{ passphrase: string }, Outcome<null>];
  'vault.lock': [Record<string, never>, Outcome<null>];
  /** `copies`: files of the data folder that still open with the old passphrase. */
  'vault.change': [{ old: string; passphrase: string }, Outcome<{ copies: readonly string[] }>];
  /** Removes every secret of a connection, for good. */
  'vault.forget': [{ connection: string }, Outcome<{ fields: readonly string[] }>];
}
