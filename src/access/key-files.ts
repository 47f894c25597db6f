/**
 * Private key files: written once for keys that the console generates, read for the command line. Private
 * keys exist only in these files; nothing here keeps, prints or sends one.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { withoutEnds } from '../domain/text-ends.ts';
import { SPKI_PREFIX } from './key-form.ts';

/** DER of PrivateKeyInfo for Ed25519 up to the 32 seed bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** A key file has about 120 bytes; a much larger file is something else. */
const MAX_FILE_BYTES = 16_384;

export interface GeneratedKeyFile {
  readonly path: string;
  /** The 43 characters to register. */
  readonly publicKey: string;
  /** For `pingExample`; must not be kept. */
  readonly privateKey: KeyObject;
}

/**
 * Makes a key pair and writes its private half as PKCS#8 PEM to `<dir>/keys/<slug of label>.pem`, mode 0600,
 * synced to disk. Never overwrites: if the name exists, -2, -3, ... is added. Throws the file system's
 * errors.
 */
export function generateKeyFile(options: {
  readonly dir: string;
  readonly label: string;
  readonly randomBytes: (size: number) => Uint8Array;
}): GeneratedKeyFile {
  const der = Buffer.concat([PKCS8_PREFIX, options.randomBytes(32)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const folder = join(options.dir, 'keys');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory())
    throw new Error(`${folder} is not a folder but a link to one; put the folder there itself`);
  const path = writeNew(
    folder,
    slug(options.label),
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  );
  return { path, publicKey: publicKeyOf(privateKey), privateKey };
}

/** A worked example of signing: the exact bytes for `GET /v2/ping` at `now`, and their signature. */
export function pingExample(privateKey: KeyObject, now: number): { message: string; signature: string } {
  const message = `${now}GET/v2/ping`;
  return { message, signature: sign(null, Buffer.from(message), privateKey).toString('base64url') };
}

export type ReadKeyFile =
  | {
      readonly privateKey: KeyObject;
      readonly publicKey: string;
      /** One sentence when others can read the file, else null. */
      readonly warning: string | null;
    }
  | { readonly problem: string };

/** Reads a private key PEM; every problem is one sentence that names the file. */
export function readPrivateKeyFile(path: string): ReadKeyFile {
  let text: string;
  let mode: number;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { problem: `${path} is not a file` };
    if (stat.size > MAX_FILE_BYTES) return { problem: `${path} is too large for a private key` };
    mode = stat.mode;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: `there is no file ${path}` };
    if (code === 'EACCES' || code === 'EPERM') return { problem: `${path} may not be read by this user` };
    return { problem: `${path} cannot be read: ${code ?? String(error)}` };
  }
  const key = parsePrivateKey(text);
  if ('problem' in key) return { problem: `${path} ${key.problem}` };
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  const warning = open ? `others on this machine can read ${path}; run chmod 600 on it` : null;
  return { privateKey: key, publicKey: publicKeyOf(key), warning };
}

/** The public half, 43 characters. */
export function publicKeyOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return der.subarray(SPKI_PREFIX.length).toString('base64url');
}

function parsePrivateKey(text: string): KeyObject | { readonly problem: string } {
  if (/-----BEGIN PUBLIC KEY-----/.test(text))
    return { problem: 'holds a public key; the private key is needed' };
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(text)) {
    return { problem: 'is protected by a passphrase; write it without one (openssl pkey -in FILE -out NEW)' };
  }
  if (/-----BEGIN OPENSSH PRIVATE KEY-----/.test(text)) {
    return { problem: 'is an SSH key; a PKCS#8 PEM is needed (openssl genpkey -algorithm ed25519)' };
  }
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    return { problem: 'is not a private key in PEM form' };
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
    return { problem: `holds a key of type ${key.asymmetricKeyType}; Ed25519 is needed` };
  } catch {
    return { problem: 'is a damaged PEM; copy it anew' };
  }
}

function writeNew(folder: string, name: string, text: string): string {
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? `${name}.pem` : `${name}-${n}.pem`);
    let file: number;
    try {
      file = openSync(path, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    try {
      writeSync(file, text);
      fsyncSync(file);
    } catch (error) {
      unlinkSync(path);
      throw error;
    } finally {
      closeSync(file);
    }
    syncFolder(folder);
    return path;
  }
}

/** Makes the new file name itself durable. Not possible on Windows, and not needed there. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A plain file name: lower-case letters, digits and dashes. */
function slug(label: string): string {
  const plain = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return withoutEnds(plain, '-') || 'key';
}
