/**
 * Signatures over the exact bytes that go over the wire, made from the buffers of a connection's credentials:
 * no part of a secret is kept, and copies are overwritten with zeros at once.
 */
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';

/** SHA-256 works on blocks of this many bytes, and HMAC pads its key to one. */
const BLOCK = 64;

/**
 * HMAC-SHA256 (RFC 2104), made of two hashes. `createHmac` throws and catches two errors for a key given as
 * bytes, which takes longer than all the rest of a signature; with a key object it does not, but that leaves a
 * copy of the secret in memory until garbage collection.
 */
export function hmac(secret: Uint8Array, payload: string, encoding: 'hex' | 'base64' = 'hex'): string {
  const key = Buffer.alloc(BLOCK);
  // The hash of a long secret signs as the secret does.
  const short = secret.length > BLOCK ? hash('sha256', secret, 'buffer') : null;
  const text = Buffer.from(payload, 'utf8');
  const inner = Buffer.alloc(BLOCK + text.length);
  const outer = Buffer.alloc(BLOCK + 32);
  try {
    key.set(short ?? secret);
    for (let at = 0; at < BLOCK; at += 1) {
      const byte = key[at] as number;
      inner[at] = byte ^ 0x36;
      outer[at] = byte ^ 0x5c;
    }
    inner.set(text, BLOCK);
    outer.set(hash('sha256', inner, 'buffer'), BLOCK);
    return hash('sha256', outer, encoding);
  } finally {
    for (const copy of [key, short, inner, outer]) copy?.fill(0);
  }
}

/**
 * Ed25519, base64. `secret`: a private key as PKCS#8, in PEM or as its base64 alone. Throws messages that
 * contain nothing of the secret.
 */
export function ed25519(secret: Uint8Array, payload: string): string {
  return sign(null, Buffer.from(payload, 'utf8'), privateKey(secret)).toString('base64');
}

export type SecretForm = 'hmac' | 'ed25519';

/** How a secret signs, recognised by its form: a private key is Ed25519, everything else is an HMAC key. */
export function formOfSecret(secret: Uint8Array): SecretForm {
  return isPem(secret) || startsWith(secret, DER_START) ? 'ed25519' : 'hmac';
}

/** Signs as the secret's form requires: HMAC-SHA256 in hex, or Ed25519 in base64. */
export function signature(secret: Uint8Array, payload: string): string {
  return formOfSecret(secret) === 'ed25519' ? ed25519(secret, payload) : hmac(secret, payload);
}

const PEM_START = '-----BEGIN ';
const PEM_HEAD = '-----BEGIN PRIVATE KEY-----';
const PEM_FOOT = '-----END PRIVATE KEY-----';
/** The base64 of the first bytes of an Ed25519 key in PKCS#8. */
const DER_START = 'MC4CAQAwBQYDK2Vw';

function isPem(secret: Uint8Array): boolean {
  return startsWith(secret, PEM_START);
}

function startsWith(secret: Uint8Array, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (secret[at] !== text.charCodeAt(at)) return false;
  return true;
}

function privateKey(secret: Uint8Array): KeyObject {
  const pem = pemOf(secret);
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    throw new Error(
      'the private key cannot be read: it is PKCS#8 in PEM, which begins with BEGIN PRIVATE KEY',
    );
  } finally {
    pem.fill(0);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `the private key is ${key.asymmetricKeyType}, which is not used here: make one of Ed25519`,
    );
  return key;
}

/**
 * A copy as bytes, with head and foot on lines of their own: pasting may have turned line ends into blanks.
 */
function pemOf(secret: Uint8Array): Buffer {
  if (!isPem(secret))
    return Buffer.concat([Buffer.from(`${PEM_HEAD}\n`), secret, Buffer.from(`\n${PEM_FOOT}\n`)]);
  const pem = Buffer.from(secret);
  const foot = pem.indexOf(PEM_FOOT);
  if (startsWith(pem, PEM_HEAD))
    for (let at = PEM_HEAD.length; at < foot; at += 1) if (pem[at] === BLANK) pem[at] = LINE_END;
  return pem;
}

const BLANK = 0x20;
const LINE_END = 0x0a;
