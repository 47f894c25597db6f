/**
 * OpenSSH public keys as operators register them: one line with one key is parsed and written anew, so that
 * nothing else in the line (options, comment) is kept. Accepted: Ed25519, the same on a security key, ECDSA
 * P-256, RSA from 3,072 bits.
 */
import { createHash } from 'node:crypto';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { OperatorKey } from '../domain/operator.ts';
import { checkPublicKey } from './key-form.ts';

/** Longest text of a key file, bytes: an RSA key of 16,384 bits has 2,800. */
export const KEY_TEXT_MAX = 8_192;
const RSA_BITS_MIN = 3_072;
const RSA_BITS_MAX = 16_384;

const TYPES = ['ssh-ed25519', 'sk-ssh-ed25519@openssh.com', 'ecdsa-sha2-nistp256', 'ssh-rsa'] as const;
type KeyType = (typeof TYPES)[number];

/** Reads the only key of a text such as `id_ed25519.pub`; more than one, or none, is refused. */
export function readSshKey(text: string): Outcome<OperatorKey> {
  if (Buffer.byteLength(text) > KEY_TEXT_MAX) return bad(`the key is longer than ${KEY_TEXT_MAX} bytes`);
  if (/PRIVATE KEY/.test(text)) return bad('this is a private key; give the public one, which ends in .pub');
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const [line] = keys;
  if (line === undefined) return bad('there is no key in it; give the file that ends in .pub');
  if (keys.length > 1) return bad(`there are ${keys.length} keys in it; give one key a file`);
  const words = line.split(/[ \t]+/);
  const at = words.findIndex(isTaken);
  if (at < 0) return bad(`${shown(words[0] ?? '')} is no type of key that is taken: ${TYPES.join(', ')}`);
  if (at > 0) return bad('there are options before the key; give the key alone');
  return readBlob(words[0] as KeyType, words[1] ?? '');
}

function readBlob(type: KeyType, base64: string): Outcome<OperatorKey> {
  const bytes = Buffer.from(base64, 'base64');
  const canonical = bytes.toString('base64');
  if (base64 === '' || unpadded(canonical) !== unpadded(base64))
    return bad('the key is damaged: its middle part is no Base64');
  const parts = fieldsOf(bytes);
  if (!parts || parts[0]?.toString('latin1') !== type) return bad(`the key is damaged: it is no ${type}`);
  const problem = problemOf(type, parts);
  if (problem !== null) return bad(problem);
  return ok({ type, blob: canonical, fingerprint: fingerprintOf(bytes) });
}

function isTaken(word: string): boolean {
  return TYPES.some((type) => type === word);
}

/** The fingerprint as `ssh-keygen -l` shows it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${unpadded(createHash('sha256').update(blob).digest('base64'))}`;
}

function problemOf(type: KeyType, parts: readonly Buffer[]): string | null {
  const [, first = Buffer.alloc(0), second = Buffer.alloc(0)] = parts;
  const damaged = `the key is damaged: it is no ${type}`;
  switch (type) {
    case 'ssh-ed25519':
      if (parts.length !== 2 || first.length !== 32) return damaged;
      return pointProblem(first);
    case 'sk-ssh-ed25519@openssh.com': {
      if (parts.length !== 3 || first.length !== 32) return damaged;
      if (!/^ssh:[\x20-\x7e]{0,64}$/.test(second.toString('latin1')))
        return 'the key was made for another use than SSH: its application does not begin with ssh:';
      return pointProblem(first);
    }
    case 'ecdsa-sha2-nistp256':
      return parts.length === 3 &&
        first.toString('latin1') === 'nistp256' &&
        second.length === 65 &&
        second[0] === 4
        ? null
        : damaged;
    case 'ssh-rsa': {
      if (parts.length !== 3) return damaged;
      const bits = bitsOf(second);
      if (bits < RSA_BITS_MIN)
        return `an RSA key of ${bits} bits is too short; it must have ${RSA_BITS_MIN} at least`;
      return bits > RSA_BITS_MAX ? `an RSA key of ${bits} bits is longer than ${RSA_BITS_MAX}` : null;
    }
  }
}

/** The rules of an API key: canonical, on the curve, not of small order. */
function pointProblem(point: Buffer): string | null {
  const form = checkPublicKey(point.toString('base64url'));
  return 'problem' in form ? form.problem : null;
}

function bitsOf(number: Buffer): number {
  const digits = number.toString('hex').replace(/^0+/, '');
  return digits === ''
    ? 0
    : (digits.length - 1) * 4 + Number.parseInt(digits.charAt(0), 16).toString(2).length;
}

/** Base64 without its padding, at most two characters. */
function unpadded(text: string): string {
  if (text.endsWith('==')) return text.slice(0, -2);
  return text.endsWith('=') ? text.slice(0, -1) : text;
}

/** The length-prefixed fields of a blob; null: bytes are left over or missing. */
function fieldsOf(blob: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < blob.length) {
    if (at + 4 > blob.length || fields.length > 8) return null;
    const length = blob.readUInt32BE(at);
    if (at + 4 + length > blob.length) return null;
    fields.push(blob.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

function shown(word: string): string {
  return JSON.stringify(word.slice(0, 40).replaceAll(/[^\x20-\x7e]/g, '?'));
}

function bad(message: string): Outcome<never> {
  return refuse('INVALID_REQUEST', message, 'FIELD');
}
