/**
 * Ed25519 verification through node:crypto with imported keys kept (borders.md 1: a third faster than importing each
 * time), on node's own threads: it is the dearest part of a request by far, and the thread it came in on trades. Says
 * yes or no only; which keys exist is not its business. Relies on the runtime for edge cases, which `self-test.ts`
 * checks at start.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SPKI_PREFIX } from './key-form.ts';

/** Far above the active keys of any one desk; a bound all the same. */
const KEPT_KEYS = 1024;

/** Any well-formed key: the base point's encoding (y = 4/5). Its answer is never used. */
const DUMMY_KEY = Buffer.from(`58${'66'.repeat(31)}`, 'hex').toString('base64url');

/** A verification under way; `settle` once its answer is there. */
interface Asked {
  settle: (() => void) | null;
}

export class Verifier {
  readonly #kept = new Map<string, KeyObject>();
  readonly #limit: number;
  /** In the order of their calls. */
  readonly #asked: Asked[] = [];

  constructor(limit: number = KEPT_KEYS) {
    this.#limit = limit;
  }

  /**
   * Whether `signature` (64 bytes) is the key's over `message`. `keyId` is the 43-character public key. Answers come in
   * the order of the calls, so that requests one connection sent one after the other are judged one after the other.
   */
  verify(keyId: string, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const key = this.#key(keyId);
      const asked: Asked = { settle: null };
      verify(null, message, key, signature, (error, right) => {
        asked.settle = () => (error ? reject(error) : resolve(right));
        this.#answer();
      });
      // Only what has begun is waited for.
      this.#asked.push(asked);
    });
  }

  /** Takes as long as a real verification, so that the answer's time does not tell which keys are registered (D3). */
  async pretend(message: Uint8Array, signature: Uint8Array): Promise<void> {
    await this.verify(DUMMY_KEY, message, signature);
  }

  /** As `verify`, on this thread. */
  verifyNow(keyId: string, message: Uint8Array, signature: Uint8Array): boolean {
    return verify(null, message, this.#key(keyId), signature);
  }

  /** As `pretend`, on this thread. */
  pretendNow(message: Uint8Array, signature: Uint8Array): void {
    this.verifyNow(DUMMY_KEY, message, signature);
  }

  /** Those whose answer is there, up to the first that is still waited for. */
  #answer(): void {
    for (let first = this.#asked[0]; first?.settle; first = this.#asked[0]) {
      this.#asked.shift();
      first.settle();
    }
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
