/**
 * Self-signed certificates for tests, written byte by byte (DER, RFC 5280), since Node has no function for
 * it. P-256 and SHA-256.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';

export interface CertificateOptions {
  /** Begin of validity, Unix ms. Default: the validity is a year around now. */
  readonly from?: number;
  readonly to?: number;
  /** DNS names and IPv4 addresses. */
  readonly names?: readonly string[];
}

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

function der(tag: number, ...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (...bytes: number[]) => der(0x06, bytes);
const bits = (content: Buffer) => der(0x03, [0], content);
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

function time(at: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

function name(text: string): Buffer {
  const attribute = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)));
  return sequence(der(0x31, attribute));
}

function alternativeName(text: string): Buffer {
  return isIPv4(text) ? der(0x87, text.split('.').map(Number)) : der(0x82, Buffer.from(text));
}

/** Makes a self-signed certificate with its private key, both PEM. */
export function makeCertificate(options: CertificateOptions = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { cert: certificateOf(publicKey, privateKey, options), key: pemOf(privateKey) };
}

export function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function certificateOf(publicKey: KeyObject, privateKey: KeyObject, options: CertificateOptions): string {
  const now = Date.now();
  const { from = now - DAY_MS, to = now + 364 * DAY_MS, names = ['localhost', '127.0.0.1'] } = options;
  const subject = name('outcry test');
  const extension = sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...names.map(alternativeName))));
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ECDSA_SHA256,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(extension)),
  );
  const whole = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Writes both files, the key readable for its owner only; returns the paths. */
export function writeCertificate(
  folder: string,
  { cert, key }: TestCertificate,
): { certFile: string; keyFile: string } {
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}
