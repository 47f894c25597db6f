/**
 * The certificate and private key of the API (D46): read once at the start and checked closely, so that a
 * wrong file gives a sentence then and not a broken handshake later. Never logs or keeps more of the key than
 * Node needs.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ApiStartError } from './start-error.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  /** The certificate, then the intermediate certificates. */
  readonly certFile: string;
  /** The private key, without a passphrase. */
  readonly keyFile: string;
}

export interface TlsMaterial {
  readonly context: SecureContextOptions;
  /** Warnings for the log, one sentence each. */
  readonly warnings: readonly string[];
}

/** Largest file that is read, bytes: a larger one is no certificate. */
const MAX_BYTES = 1_048_576;
const OTHERS = 0o077;
const DAY_MS = 86_400_000;
/** Time before the certificate's end from which a start warns of it. */
const SOON_MS = 14 * DAY_MS;

/** TLS 1.3, and those ciphers of 1.2 with forward secrecy and authenticated encryption. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Loads certificate and key; throws an ApiStartError that names the file. `now`: Unix ms. */
export function loadTls({ certFile, keyFile }: TlsFiles, now: number): TlsMaterial {
  const cert = readPem(certFile, 'certificate');
  const key = readPem(keyFile, 'private key');
  const certificate = parseCertificate(certFile, cert);
  checkDates(certFile, certificate, now);
  if (!certificate.checkPrivateKey(parseKey(keyFile, key)))
    throw wrong(`the private key in ${keyFile} does not belong to the certificate in ${certFile}`);
  const context: SecureContextOptions = {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: true,
  };
  try {
    createSecureContext(context);
  } catch (error) {
    throw wrong(`${certFile} and ${keyFile} cannot be used for TLS (${reasonOf(error)})`, error);
  }
  return { context, warnings: [...openKey(keyFile), ...endsSoon(certFile, certificate, now)] };
}

function readPem(file: string, what: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size <= MAX_BYTES) return readFileSync(file);
  } catch (error) {
    throw wrong(`the ${what} file ${file} cannot be read (${reasonOf(error)}); it must be a PEM file`, error);
  }
  throw wrong(`the ${what} file ${file} is larger than 1 MiB; it must be a PEM file`);
}

function parseCertificate(file: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw wrong(`${file} holds no certificate in PEM form`, error);
  }
}

function parseKey(file: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    // Both PEM forms of an encrypted key say so; node's own messages for them differ.
    const locked = pem.includes('ENCRYPTED');
    throw wrong(
      locked
        ? `the private key in ${file} is locked with a passphrase; the API needs one without`
        : `${file} holds no private key in PEM form`,
      error,
    );
  }
}

function checkDates(file: string, { validFromDate, validToDate }: X509Certificate, now: number): void {
  if (validToDate.getTime() < now)
    throw wrong(`the certificate in ${file} expired on ${validToDate.toISOString()}; renew it`);
  if (validFromDate.getTime() > now)
    throw wrong(`the certificate in ${file} is not valid before ${validFromDate.toISOString()}`);
}

function openKey(file: string): string[] {
  // Windows has no file modes of this kind.
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o777;
  if ((mode & OTHERS) === 0) return [];
  const octal = mode.toString(8).padStart(4, '0');
  return [
    `the private key file ${file} is open to other users of this machine (mode ${octal}); make it 0600`,
  ];
}

function endsSoon(file: string, { validToDate }: X509Certificate, now: number): string[] {
  const left = validToDate.getTime() - now;
  if (left > SOON_MS) return [];
  return [
    `the certificate in ${file} ends in ${Math.floor(left / DAY_MS)} days, on ${validToDate.toISOString()}`,
  ];
}

function reasonOf(error: unknown): string {
  const { code, reason } = error as { code?: string; reason?: string };
  return reason ?? code ?? String(error);
}

function wrong(message: string, cause?: unknown): ApiStartError {
  return new ApiStartError('TLS', message, { cause });
}
