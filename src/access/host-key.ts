/**
 * The host key of the desk's own sshd: an Ed25519 key in OpenSSH's file format (`openssh-key-v1`,
 * PROTOCOL.key), written and read here so that no other program is needed. Pure: bytes in, text out.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { fingerprintOf } from './ssh-key.ts';

const TYPE = 'ssh-ed25519';
const MAGIC = Buffer.from('openssh-key-v1\0');
const SEED_BYTES = 32;
const BEGIN = '-----BEGIN OPENSSH PRIVATE KEY-----';
const END = '-----END OPENSSH PRIVATE KEY-----';
/** DER of PrivateKeyInfo for Ed25519 up to the 32 seed bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The public half of a host key. */
export interface HostKey {
  /** `ssh-ed25519 AAAA...`, without a comment. */
  readonly line: string;
  /** `SHA256:...`, as ssh shows it at a first login. */
  readonly fingerprint: string;
}

/**
 * The text of a new private key file. `random`: 32 bytes for the seed and 4 that mark the file; filled with
 * zeros here.
 */
export function hostKeyFile(random: Uint8Array): string {
  if (random.length !== SEED_BYTES + 4) throw new Error('a host key is made of 36 random bytes');
  const seed = Buffer.from(random.subarray(0, SEED_BYTES));
  const check = Buffer.from(random.subarray(SEED_BYTES));
  random.fill(0);
  const point = pointOf(seed);
  const secret = [check, check, field(TYPE), field(point), field(Buffer.concat([seed, point])), field('')];
  const length = secret.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.from(Array.from({ length: (8 - (length % 8)) % 8 }, (_, i) => i + 1));
  const body = Buffer.concat([
    MAGIC,
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(blobOf(point)),
    field(Buffer.concat([...secret, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g) ?? [];
  for (const bytes of [seed, body, ...secret]) bytes.fill(0);
  return [BEGIN, ...lines, END, ''].join('\n');
}

/** Reads the public half from such a file; else what is wrong with it, worded to follow the file's name. */
export function readHostKey(text: string): HostKey | { readonly problem: string } {
  const inner = text.trim();
  if (!inner.startsWith(BEGIN) || !inner.endsWith(END)) return { problem: 'is no private key of OpenSSH' };
  const body = Buffer.from(inner.slice(BEGIN.length, -END.length), 'base64');
  const point = pointIn(body);
  body.fill(0);
  return point === null
    ? { problem: 'is no whole Ed25519 key without a passphrase' }
    : { line: lineOf(point), fingerprint: fingerprintOf(blobOf(point)) };
}

/** The line of `known_hosts` for a server at this address and port. */
export function knownHostsLine(host: string, port: number, { line }: HostKey): string {
  return `${port === 22 ? host : `[${host}]:${port}`} ${line}`;
}

/** The public point in the file; null: it does not belong to the private half. */
function pointIn(body: Buffer): Buffer | null {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const outer = fieldsOf(body.subarray(MAGIC.length), 3);
  const [cipher, kdf] = outer?.fields ?? [];
  if (!outer || cipher?.toString() !== 'none' || kdf?.toString() !== 'none') return null;
  if (outer.rest.length < 4 || outer.rest.readUInt32BE(0) !== 1) return null;
  const halves = fieldsOf(outer.rest.subarray(4), 2);
  const [, secret] = halves?.fields ?? [];
  if (!secret || secret.length < 8) return null;
  const parts = fieldsOf(secret.subarray(8), 3)?.fields ?? [];
  const [type, point, pair] = parts;
  if (type?.toString() !== TYPE || point?.length !== 32 || pair?.length !== 64) return null;
  const right =
    pointOf(pair.subarray(0, SEED_BYTES)).equals(point) && pair.subarray(SEED_BYTES).equals(point);
  return right && halves?.fields[0]?.equals(blobOf(point)) ? Buffer.from(point) : null;
}

function pointOf(seed: Uint8Array): Buffer {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  der.fill(0);
  return Buffer.from(key.export({ format: 'der', type: 'spki' }).subarray(-32));
}

function blobOf(point: Buffer): Buffer {
  return Buffer.concat([field(TYPE), field(point)]);
}

function lineOf(point: Buffer): string {
  return `${TYPE} ${blobOf(point).toString('base64')}`;
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The first fields, each written after its length, and the rest; null: some are missing. */
function fieldsOf(bytes: Buffer, count: number): { fields: Buffer[]; rest: Buffer } | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (fields.length < count) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return { fields, rest: bytes.subarray(at) };
}
