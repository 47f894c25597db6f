/**
 * Ed25519 verification through node:crypto with imported keys kept (research 2.2: a third faster than importing each
 * time). Says yes or no only; which keys exist is not its business. Relies on the runtime for edge cases, which
 * `self-test.ts` checks at start.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SPKI_PREFIX } from './key-form.ts';

/** Far above the active keys of any one desk; a bound all the same. */
const KEPT_KEYS = 1024;

/** Any well-formed key: the base point's encoding (y = 4/5). Its answer is never used. */
const DUMMY_KEY = Buffer.from(`58${'66'.repeat(31)}`, 'hex').toString('base64url');

export class Verifier {
  readonly #kept = new Map<string, KeyObject>();
  readonly #limit: number;

  constructor(limit: number = KEPT_KEYS) {
    this.#limit = limit;
  }

  /** Whether `signature` (64 bytes) is the key's over `message`. `keyId` is the 43-character public key. */
  verify(keyId: string, message: Uint8Array, signature: Uint8Array): boolean {
    return verify(null, message, this.#key(keyId), signature);
  }

  /** Takes as long as a real verification, so that the answer's time does not tell which keys are registered (D3). */
  pretend(message: Uint8Array, signature: Uint8Array): void {
    this.verify(DUMMY_KEY, message, signature);
  }

  get size(): number {
    return this.#kept.size;
  }

  #key(keyId: string): KeyObject {
    const kept = this.#kept.get(keyId);
    // Map keeps insertion order: the first is the one that has gone unused longest.
    if (kept) this.#kept.delete(keyId);
    const key = kept ?? importPublicKey(Buffer.from(keyId, 'base64url'));
    this.#kept.set(keyId, key);
    if (this.#kept.size > this.#limit) {
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    }
    return key;
  }
}

/** Imports 32 raw bytes. Does not judge the point: that is `checkPublicKey`'s. */
export function importPublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

/** One verification without keeping anything; a key that cannot be imported verifies nothing. */
export function verifyOnce(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, message, importPublicKey(publicKey), signature);
  } catch {
    return false;
  }
}
