/**
 * What the vault stores (money-at-risk.md 2): one wrapped data key, and secrets sealed under it. Plain data;
 * nothing can be opened without the passphrase.
 */

/**
 * What a secret may be used for; sealed together with it as associated data, so that it does not open for
 * another use.
 */
export interface SecretUse {
  readonly connection: string;
  readonly venue: string;
  readonly environment: string;
  /** `apiKey`, `secret`, `passphrase`... */
  readonly field: string;
  /** Origins of all endpoints of the connection, sorted. */
  readonly origins: readonly string[];
}

/** The data key, encrypted under a key from the passphrase. Bytes as base64. */
export interface VaultKey {
  readonly format: number;
  readonly salt: string;
  /** Argon2id: KiB, passes, lanes. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly nonce: string;
  /** Ciphertext and tag. */
  readonly wrapped: string;
}

export interface SealedSecret {
  readonly format: number;
  /** Stored in clear, authenticated by the seal. */
  readonly use: SecretUse;
  readonly nonce: string;
  /** Ciphertext and tag. */
  readonly sealed: string;
}

/**
 * The vault as read from the store, where anybody may have changed it: each document is validated before use.
 */
export interface StoredVault {
  /** The data key; null: no vault was made yet. */
  readonly key: { readonly doc: unknown } | null;
  readonly secrets: readonly StoredSecret[];
}

export interface StoredSecret {
  readonly connection: string;
  readonly field: string;
  readonly doc: unknown;
}
