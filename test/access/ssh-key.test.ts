/**
 * Public keys of operators: OpenSSH's lines are parsed and written anew; everything else is refused, with
 * what to do.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSshKey } from '../../src/access/ssh-key.ts';

const field = (bytes: Buffer | string) => {
  const value = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
};
const mpint = (base64url: string | undefined) => {
  const value = Buffer.from(base64url ?? '', 'base64url');
  return field((value[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), value]) : value);
};
const line = (type: string, ...fields: Buffer[]) =>
  `${type} ${Buffer.concat([field(type), ...fields]).toString('base64')}`;

function lineOf(key: KeyObject): string {
  const jwk = key.export({ format: 'jwk' });
  if (jwk.kty === 'RSA') return line('ssh-rsa', mpint(jwk.e), mpint(jwk.n));
  if (jwk.kty === 'OKP') return line('ssh-ed25519', field(Buffer.from(jwk.x ?? '', 'base64url')));
  const point = Buffer.concat([
    Buffer.of(4),
    Buffer.from(jwk.x ?? '', 'base64url'),
    Buffer.from(jwk.y ?? '', 'base64url'),
  ]);
  return line('ecdsa-sha2-nistp256', field('nistp256'), field(point));
}

const ED25519 = lineOf(generateKeyPairSync('ed25519').publicKey);
const RSA = (bits: number) => lineOf(generateKeyPairSync('rsa', { modulusLength: bits }).publicKey);

it.each([
  ['Ed25519', ED25519],
  ['ECDSA P-256', lineOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
  ['RSA 3072', RSA(3_072)],
  [
    'Ed25519 on a security key',
    line(
      'sk-ssh-ed25519@openssh.com',
      Buffer.from(ED25519.split(' ')[1] ?? '', 'base64').subarray(-36),
      field('ssh:'),
    ),
  ],
])('takes %s, and drops its comment', (_what, text) => {
  const read = readSshKey(`# my key\n${text} "; command="sh" # no-pty\n`);
  expect(read.ok && `${read.data.type} ${read.data.blob}`).toBe(text);
  expect(read.ok && read.data.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
});

it.each([
  ['RSA of 2048 bits', RSA(2_048), /2048 bits is too short; it must have 3072/],
  ['options before it', `command="sh",no-pty ${ED25519}`, /options before the key/],
  ['two keys', `${ED25519}\n${ED25519}`, /2 keys in it/],
  ['none', '\n# nothing\n', /no key in it/],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl', /private key; give the public one/],
  ['another type', 'ssh-dss AAAA', /"ssh-dss" is no type of key that is taken/],
  ['a type that is not that of the blob', ED25519.replace('ssh-ed25519', 'ssh-rsa'), /damaged/],
  [
    'a blob with more behind it',
    `ssh-ed25519 ${Buffer.concat([Buffer.from(ED25519.split(' ')[1] ?? '', 'base64'), Buffer.of(0)]).toString('base64')}`,
    /damaged/,
  ],
  [
    'a point under which anybody can sign',
    line('ssh-ed25519', field(Buffer.concat([Buffer.of(1), Buffer.alloc(31)]))),
    /./,
  ],
  [
    'a security key for the web',
    line(
      'sk-ssh-ed25519@openssh.com',
      Buffer.from(ED25519.split(' ')[1] ?? '', 'base64').subarray(-36),
      field('https://x'),
    ),
    /another use than SSH/,
  ],
  ['more than 8 KiB', `${ED25519} ${'x'.repeat(8_192)}`, /longer than 8192/],
])('refuses %s', (_what, text, words) => {
  const read = readSshKey(text);
  expect(read.ok).toBe(false);
  expect(!read.ok && read.error.message).toMatch(words);
});

it('never throws, and gives nothing but a type, Base64 and a fingerprint', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 300 }),
        fc.string().map((text) => `${ED25519} ${text}`),
        fc.string().map((text) => `${text} ${ED25519}`),
      ),
      (text) => {
        const read = readSshKey(text);
        if (!read.ok) return;
        expect(`${read.data.type} ${read.data.blob} ${read.data.fingerprint}`).toMatch(
          /^[a-z0-9@.-]+ [A-Za-z0-9+/=]+ SHA256:[A-Za-z0-9+/]+$/,
        );
      },
    ),
  );
});
