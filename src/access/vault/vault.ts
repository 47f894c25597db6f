/**
 * The vault (money-at-risk.md 2): secrets of connections, sealed in the store under a random data key, which a key from the
 * passphrase wraps. Locked it opens nothing. It never shows, logs or returns a passphrase or the data key, and every Buffer
 * that it holds or is given is filled with zeros when it is done with.
 */
import type { Outcome } from '../../domain/errors.ts';
import type { Row } from '../../domain/rows.ts';
import type { SecretUse, StoredVault } from '../../domain/vault.ts';

export type { SecretUse } from '../../domain/vault.ts';

export type VaultState = 'none' | 'locked' | 'open';

/** A secret that was asked for, which the caller fills with zeros when done; or why there is none. */
export type Opened =
  | { readonly ok: true; readonly secret: Buffer }
  | { readonly ok: false; readonly why: 'locked' | 'absent' | 'damaged' }
  /** It was sealed for another use: the configuration has changed since. */
  | { readonly ok: false; readonly why: 'other use'; readonly sealedFor: SecretUse };

export interface VaultPorts {
  /** What is stored now: the vault keeps no copy, so that what could not be stored is not there. */
  readonly stored: () => StoredVault;
  /** Resolves once the rows are durable; rejects when they could not be stored. */
  readonly store: (rows: Row[]) => Promise<void>;
  /** Milliseconds, never falling. */
  readonly monotonic: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

export interface Vault {
  readonly state: VaultState;
  /** Milliseconds until the next passphrase is looked at; 0: at once. */
  readonly waitMs: number;
  /** Makes the vault and leaves it open. `avoid`: names that are no passphrase. Each passphrase is filled with zeros. */
  init(passphrase: Buffer, avoid?: readonly string[]): Promise<Outcome<null>>;
  unlock(passphrase: Buffer): Promise<Outcome<null>>;
  /** At once; an unlocking that is under way does not open it any more. */
  lock(): void;
  /** Rewraps the data key; the secrets stay as they are, and so does the state. */
  change(old: Buffer, passphrase: Buffer, avoid?: readonly string[]): Promise<Outcome<null>>;
  /** Rows for the caller to commit; 503 while locked. Fills `secret` with zeros, sealed or not. */
  seal(use: SecretUse, secret: Buffer): Outcome<Row[]>;
  open(connection: string, field: string, use: SecretUse): Opened;
  /** What the connection's secrets were sealed for, to show what has changed; null: there are none. Believe it only when it opens. */
  sealedFor(connection: string): SecretUse | null;
  /** Fields of the connection that are sealed. */
  fieldsOf(connection: string): readonly string[];
  /** Connections with something sealed, in order. */
  connections(): readonly string[];
  /** Rows that seal the connection's secrets for other addresses. `from`: what the owner was shown; refused when they differ. */
  reseal(connection: string, from: readonly string[], to: readonly string[]): Outcome<Row[]>;
  /** Rows that take away all secrets of a connection; also while locked. */
  forget(connection: string): Row[];
  /** Called after each change of `state` and `waitMs`. Returns the way to stop listening. */
  onChanged(listener: () => void): () => void;
}
