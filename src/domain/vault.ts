/** What the vault stores (money-at-risk.md 2): one wrapped data key, and secrets sealed under it. Plain data; nothing in it opens anything without the passphrase. */

/** What a secret may be used for; sealed with it as associated data, so that another use does not open it. */
export interface SecretUse {
  readonly connection: string;
  readonly venue: string;
  readonly environment: string;
  /** `apiKey`, `secret`, `passphrase`... */
  readonly field: string;
  /** Origins of all endpoints of the connection, sorted. */
  readonly origins: readonly string[];
}

/** The data key under a key from the passphrase. Bytes as base64. */
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
  /** In clear, authenticated by the seal. */
  readonly use: SecretUse;
  readonly nonce: string;
  /** Ciphertext and tag. */
  readonly sealed: string;
}

/** As it stands in the store, where anybody may have changed it: each document is looked at before it is used. */
export interface StoredVault {
  /** Null: no vault was made yet. */
  readonly key: { readonly doc: unknown } | null;
  readonly secrets: readonly StoredSecret[];
}

export interface StoredSecret {
  readonly connection: string;
  readonly field: string;
  readonly doc: unknown;
}
