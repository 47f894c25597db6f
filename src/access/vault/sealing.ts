/** AES-256-GCM over whole Buffers, and bytes as text in one form only. Knows nothing of the content. */
import { createCipheriv, createDecipheriv } from 'node:crypto';

export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
/** Always passed: without it a tag of 4 bytes would be accepted. */
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Returns ciphertext and tag. A nonce must be used only once with a key. */
export function sealBytes(key: Buffer, nonce: Buffer, plain: Buffer, bound: string): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS);
  cipher.setAAD(Buffer.from(bound));
  const sealed = cipher.update(plain);
  return Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]);
}

/**
 * Returns what was sealed; null when anything differs: the key, the nonce, the bytes, or what they were bound
 * to.
 */
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

/**
 * The bytes of a text. Null unless it is exactly what `toText` gives: Node's decoder skips characters that it
 * does not know.
 */
export function fromText(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return toText(bytes) === text ? bytes : null;
}
