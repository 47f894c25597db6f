/**
 * Signs request bytes (specification, "Signing rule") with strictly rising timestamps per key: two equal
 * requests in one millisecond would have one signature, and the second would be refused as a replay.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  /** The 43 characters of X-SVC-KEY. */
  readonly id: string;
  readonly privateKey: KeyObject;
}

/**
 * Makes a signing key from a PKCS#8 PEM or an imported key; throws a sentence when it is not an Ed25519
 * private key.
 */
export function signingKey(
  key: { readonly privateKeyPem: string } | { readonly privateKey: KeyObject },
): SigningKey {
  const privateKey = 'privateKey' in key ? key.privateKey : createPrivateKey(key.privateKeyPem);
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519') {
    throw new TypeError('the client needs an Ed25519 private key');
  }
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { id: der.subarray(-32).toString('base64url'), privateKey };
}

/** Returns the three headers for these bytes. `path` starts at /v2 and includes its query. */
export function signedHeaders(
  key: SigningKey,
  timestamp: number,
  method: string,
  path: string,
  body: Buffer | null,
): Record<string, string> {
  const head = Buffer.from(`${timestamp}${method}${path}`);
  const message = body ? Buffer.concat([head, body]) : head;
  return {
    'X-SVC-KEY': key.id,
    'X-SVC-SIGN': sign(null, message, key.privateKey).toString('base64url'),
    'X-SVC-TIMESTAMP': String(timestamp),
  };
}

/** How far the timestamps of a burst may run ahead of the clock; the service allows 5000 ms. */
const MAX_AHEAD_MS = 4000;
/** Further ahead than this the clock was set back; earlier timestamps are outside the window anyway. */
const CLOCK_SET_BACK_MS = 5000;

/** Last timestamp by key id, shared by all clients of the process. */
const lastUsed = new Map<string, number>();

/**
 * Returns the next timestamp for a key: the clock's, or one after the last. Waits when a burst has run too
 * far ahead.
 */
export async function nextTimestamp(
  keyId: string,
  now: () => number,
  sleep: (ms: number) => Promise<void>,
): Promise<number> {
  for (;;) {
    const present = Math.round(now());
    const last = lastUsed.get(keyId) ?? 0;
    const ahead = last + 1 - present;
    if (ahead > MAX_AHEAD_MS && ahead <= CLOCK_SET_BACK_MS) {
      await sleep(ahead - MAX_AHEAD_MS);
      continue;
    }
    const timestamp = ahead > CLOCK_SET_BACK_MS ? present : Math.max(present, last + 1);
    lastUsed.set(keyId, timestamp);
    return timestamp;
  }
}

/**
 * Returns the answer to a WebSocket's challenge (specification, "WebSocket authentication"). `timestamp`:
 * Unix ms.
 */
export function streamAuthArgs(
  key: SigningKey,
  timestamp: number,
  challenge: string,
): { key: string; sign: string; timestamp: number } {
  const message = Buffer.from(`WSAuth${timestamp}${challenge}`);
  return { key: key.id, sign: sign(null, message, key.privateKey).toString('base64'), timestamp };
}
