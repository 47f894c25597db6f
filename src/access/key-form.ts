/**
 * What may be registered as a public key (D44): 43 canonical Base64url characters or an SPKI PEM, of a point
 * that is on the curve, canonically encoded and not of small order. Every refusal says what was pasted and
 * what is expected. Pure; slow (big integers), so never on the request path.
 */
import { Point } from '@noble/ed25519';
import { base64urlProblem, decodeBase64url, KEY_BYTES } from './canonical.ts';
import { encodedY, P, smallOrderEncodings } from './edwards.ts';

export type PublicKeyForm =
  | {
      /** The 43 characters: the key's id. */
      readonly id: string;
      readonly bytes: Buffer;
    }
  | { readonly problem: string };

/** DER of SubjectPublicKeyInfo for Ed25519 up to the 32 key bytes (RFC 8410). */
export const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Checks a pasted public key. Surrounding white space is ignored. */
export function checkPublicKey(text: string): PublicKeyForm {
  const trimmed = text.trim();
  const read = trimmed.startsWith('-----') ? readPem(trimmed) : readText(trimmed);
  if ('problem' in read) return read;
  const problem = pointProblem(read.bytes);
  return problem ? { problem } : { id: read.bytes.toString('base64url'), bytes: read.bytes };
}

const WANTED = 'paste the 43 Base64url characters or the PEM that starts with -----BEGIN PUBLIC KEY-----';

type Bytes = { readonly bytes: Buffer } | { readonly problem: string };

function readText(text: string): Bytes {
  const bytes = decodeBase64url(text, KEY_BYTES);
  if (bytes) return { bytes };
  if (text === '') return { problem: `the public key is empty; ${WANTED}` };
  if (/^ssh-|^ecdsa-/.test(text)) return { problem: `this is an SSH public key line; ${WANTED}` };
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    return { problem: `this is hex; the same 32 bytes as Base64url have 43 characters; ${WANTED}` };
  }
  return { problem: `the public key ${base64urlProblem(text, KEY_BYTES)}` };
}

function readPem(text: string): Bytes {
  if (/BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY/.test(text)) {
    return {
      problem:
        'this is a private key and must stay with its owner; paste the public half (openssl pkey -in key.pem -pubout)',
    };
  }
  const body = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----$/.exec(text)?.[1];
  if (body === undefined) return { problem: `this PEM is not one complete PUBLIC KEY block; ${WANTED}` };
  const base64 = body.replace(/\s+/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64)
    return { problem: 'the Base64 inside this PEM is damaged; copy it anew' };
  // OpenSSL accepts trailing bytes and other algorithms; the length and all bytes before the key are fixed
  // (RFC 8410).
  if (!der.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)) {
    return {
      problem:
        'this PEM holds another kind of key; an Ed25519 key is needed (openssl genpkey -algorithm ed25519)',
    };
  }
  if (der.length !== SPKI_PREFIX.length + KEY_BYTES) {
    return {
      problem: `this PEM holds ${der.length} bytes; an Ed25519 public key has ${SPKI_PREFIX.length + KEY_BYTES}`,
    };
  }
  return { bytes: der.subarray(SPKI_PREFIX.length) };
}

function pointProblem(bytes: Buffer): string | null {
  if (smallOrderEncodings().some((bad) => bad.equals(bytes))) return SMALL_ORDER;
  if (encodedY(bytes) >= P) {
    return 'this is a second spelling of another key (its number is not below 2^255 - 19); no key tool makes it';
  }
  try {
    return Point.fromBytes(bytes).isSmallOrder() ? SMALL_ORDER : null;
  } catch {
    return 'these 32 bytes are not an Ed25519 public key (no point of the curve); check that nothing was lost in copying';
  }
}

const SMALL_ORDER =
  'this is one of the 14 weak keys (small order): signatures under it can be made by anyone, so it is refused';
