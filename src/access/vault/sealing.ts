/** AES-256-GCM over whole Buffers, and bytes as text of one form only. Knows nothing of what it seals. */
import { createCipheriv, createDecipheriv } from 'node:crypto';

export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
/** Always given: without it a tag of 4 bytes would be taken. */
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Ciphertext and tag. A nonce is used once with a key. */
export function sealBytes(key: Buffer, nonce: Buffer, plain: Buffer, bound: string): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS);
  cipher.setAAD(Buffer.from(bound));
  const sealed = cipher.update(plain);
  return Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]);
}

/** What was sealed, or null when anything differs: the key, the nonce, the bytes, or what they were bound to. */
export function unsealBytes(key: Buffer, nonce: Buffer, sealed: Buffer, bound: string): Buffer | null {
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, OPTIONS);
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return null;
  }
}

export function toText(bytes: Buffer): string {
  return bytes.toString('base64');
}

/** Null unless it is exactly what `toText` gives: Node's decoder passes over what it does not know. */
export function fromText(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return toText(bytes) === text ? bytes : null;
}
