/**
 * Ed25519 verification through node:crypto. Imported keys are kept (borders.md 1: a third faster than
 * importing each time). Verifying is by far the most expensive part of a request, and the thread that receives
 * requests also trades: only a request that comes alone is verified on it, since a thread of its own answers
 * twice as late; the others are verified on node's own threads. Only answers yes or no; it does not know which
 * keys exist. Relies on the runtime for edge cases, which `self-test.ts` checks at start.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SPKI_PREFIX } from './key-form.ts';

/** Most keys kept: far more than the active keys of any one desk. */
const KEPT_KEYS = 1024;

/** Any well-formed key: the base point's encoding (y = 4/5). Its answer is never used. */
const DUMMY_KEY = Buffer.from(`58${'66'.repeat(31)}`, 'hex').toString('base64url');

/** Longer messages are hashed longer than this thread should wait: an order is far shorter. */
const SHORT_BYTES = 8_192;

/** A verification under way; `settle` is set once its answer is there. */
interface Asked {
  settle: (() => void) | null;
}

export class Verifier {
  readonly #kept = new Map<string, KeyObject>();
  readonly #limit: number;
  /** Verifications on other threads, in the order of their calls. */
  readonly #asked: Asked[] = [];
  /** This thread has verified a request in the present turn of its event loop. */
  #hasVerified = false;

  constructor(limit: number = KEPT_KEYS) {
    this.#limit = limit;
  }

  /**
   * Whether `signature` (64 bytes) is the key's over `message`. `keyId` is the 43-character public key.
   * Answers come in the order of the calls, so that requests sent one after the other on a connection are
   * judged in that order.
   */
  verify(keyId: string, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#asked.length === 0 && !this.#hasVerified && message.length <= SHORT_BYTES) {
        this.#hasVerified = true;
        setImmediate(() => {
          this.#hasVerified = false;
        });
        resolve(this.verifyNow(keyId, message, signature));
        return;
      }
      const key = this.#key(keyId);
      const asked: Asked = { settle: null };
      verify(null, message, key, signature, (error, right) => {
        asked.settle = () => (error ? reject(error) : resolve(right));
        this.#answer();
      });
      // Only verifications that have begun are waited for.
      this.#asked.push(asked);
    });
  }

  /**
   * Takes as long as a real verification, so that the answer's time does not tell which keys are registered
   * (D3).
   */
  async pretend(message: Uint8Array, signature: Uint8Array): Promise<void> {
    await this.verify(DUMMY_KEY, message, signature);
  }

  /** Does the same as `verify`, on this thread. */
  verifyNow(keyId: string, message: Uint8Array, signature: Uint8Array): boolean {
    return verify(null, message, this.#key(keyId), signature);
  }

  /** Does the same as `pretend`, on this thread. */
  pretendNow(message: Uint8Array, signature: Uint8Array): void {
    this.verifyNow(DUMMY_KEY, message, signature);
  }

  /** Settles the finished verifications, up to the first that is still under way. */
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
    // Map keeps insertion order: the first key is the one unused for longest.
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

/** Imports 32 raw bytes. Does not check the point: `checkPublicKey` does. */
export function importPublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

/** Verifies once without keeping anything; false for a key that cannot be imported. */
export function verifyOnce(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, message, importPublicKey(publicKey), signature);
  } catch {
    return false;
  }
}
