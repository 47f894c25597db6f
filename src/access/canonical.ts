/**
 * Base64 text with exactly one accepted form per value (borders.md 1). Node's decoder accepts slack bits,
 * junk, `=` and either alphabet, so 64 bytes can be written in many ways; code that compares or caches texts
 * must never see two texts for one value. Pure.
 */

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
/** Characters of a key as text. */
export const KEY_CHARACTERS = 43;

/** The bytes of an unpadded Base64url text; null: it is not the one canonical form of `length` bytes. */
export function decodeBase64url(text: string, length: number): Buffer | null {
  return decodeCanonical(text, 'base64url', length);
}

/** What is wrong with a text that `decodeBase64url` refused, in words for its sender. Null: nothing. */
export function base64urlProblem(text: string, length: number): string | null {
  if (decodeBase64url(text, length)) return null;
  const right = Math.ceil((length * 4) / 3);
  if (text === '') return 'is empty';
  if (text.includes('=')) return 'has = padding; send Base64url without it';
  if (/^[A-Za-z0-9+/]+$/.test(text) && /[+/]/.test(text)) {
    return 'is standard Base64; send Base64url, with - and _ in place of + and /';
  }
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return 'has characters outside Base64url (A-Z a-z 0-9 _ -)';
  if (text.length !== right) {
    return `has ${text.length} characters; ${length} bytes of Base64url have ${right}`;
  }
  return 'is not canonical: its last character sets bits beyond the last byte; encode the bytes anew';
}

/**
 * The `sign` argument of a WebSocket auth message: standard Base64 with its padding, or Base64url without,
 * each in its one canonical form. Null for everything else.
 */
export function parseWsSignature(text: string): Buffer | null {
  return (
    decodeCanonical(text, 'base64url', SIGNATURE_BYTES) ?? decodeCanonical(text, 'base64', SIGNATURE_BYTES)
  );
}

function decodeCanonical(text: string, encoding: 'base64' | 'base64url', length: number): Buffer | null {
  // Longer than any valid text: not worth decoding.
  if (text.length > 2 * length) return null;
  const bytes = Buffer.from(text, encoding);
  return bytes.length === length && bytes.toString(encoding) === text ? bytes : null;
}
