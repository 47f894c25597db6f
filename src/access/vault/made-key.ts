/**
 * An Ed25519 key pair made here: the private half as PKCS#8 PEM in its own memory, never as a text; the
 * public half as SPKI PEM, to be registered where it is used.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';

/** DER of PrivateKeyInfo for Ed25519 up to the 32 seed bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const BEGIN = '-----BEGIN PRIVATE KEY-----\n';
const END = '\n-----END PRIVATE KEY-----\n';
const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

export interface MadeKey {
  /** The private half; the caller fills it with zeros. */
  readonly privatePem: Buffer;
  readonly publicPem: string;
}

export function makeKey(randomBytes: (size: number) => Buffer): MadeKey {
  const seed = randomBytes(SEED_BYTES);
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  seed.fill(0);
  try {
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const publicPem = createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString();
    return { privatePem: pemOf(der), publicPem };
  } finally {
    der.fill(0);
  }
}

/** PEM of a DER key: 48 bytes are 64 characters of base64, so one line without padding. */
function pemOf(der: Buffer): Buffer {
  const pem = Buffer.alloc(BEGIN.length + (der.length / 3) * 4 + END.length);
  let at = pem.write(BEGIN);
  for (let from = 0; from < der.length; from += 3) {
    const bits = der.readUIntBE(from, 3);
    for (const shift of [18, 12, 6, 0]) pem[at++] = BASE64[(bits >> shift) & 63] as number;
  }
  pem.write(END, at);
  return pem;
}
