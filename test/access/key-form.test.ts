import { generateKeyPairSync } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { describe, expect, it } from 'vitest';
import { P, smallOrderEncodings, toLittleEndian, Y8 } from '../../src/access/edwards.ts';
import { checkPublicKey, SPKI_PREFIX } from '../../src/access/key-form.ts';
import { attacked } from '../support/attacks.ts';
import { withShared } from '../support/shared-data.ts';
import { BAD_KEYS, SIGNING } from './vectors.ts';

const problemOf = (text: string) => {
  const form = checkPublicKey(text);
  return 'problem' in form ? form.problem : 'accepted';
};
const pem = (der: Buffer) =>
  `-----BEGIN PUBLIC KEY-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END PUBLIC KEY-----\n`;
const goodKey = Buffer.from(SIGNING.public_key_b64url, 'base64url');

const SMALL_ORDER = 'small-order and non-canonical keys';

describe('public keys for registration', () => {
  it('computes the 14 encodings of small order that the list of bad keys names', () => {
    const listed = BAD_KEYS.filter((key) => key.why.startsWith('small order')).map((key) => key.hex);
    const computed = smallOrderEncodings().map((bytes) => bytes.toString('hex'));
    expect(computed.toSorted()).toEqual(listed.toSorted());
    for (const hex of computed) expect(Point.fromHex(hex, true).isSmallOrder()).toBe(true);
  });

  it('has a y of order 8 that solves d y^4 + 2 y^2 = 1, where d is -121665/121666', () => {
    const square = Y8 ** 2n % P;
    expect((-121665n * square ** 2n + 2n * 121666n * square - 121666n) % P).toBe(0n);
  });

  // proves: D44
  it.each(BAD_KEYS)('refuses $hex: $why', ({ hex, b64url, why }) => {
    const words = why.startsWith('small order') ? 'weak keys' : 'not an Ed25519 public key';
    expect(problemOf(b64url)).toContain(words);
    expect(problemOf(pem(Buffer.concat([SPKI_PREFIX, Buffer.from(hex, 'hex')])))).toContain(words);
  });

  it('refuses the 19 non-canonical numbers with either sign, whether points or not', () => {
    for (let extra = 0n; extra < 19n; extra++) {
      for (const sign of [0n, 2n ** 255n]) {
        const key = toLittleEndian(2n ** 255n - 19n + extra + sign).toString('base64url');
        expect(problemOf(key)).toMatch(/second spelling|weak keys/);
      }
    }
    attacked(SMALL_ORDER, 38, 38);
  });

  it('holds against each of the bad keys', () => {
    const held = BAD_KEYS.filter(({ b64url }) => problemOf(b64url) !== null).length;
    attacked(SMALL_ORDER, BAD_KEYS.length, held);
  });

  it(
    'refuses every key of the 196 small-order pairs',
    withShared('security/ed25519_small_order_196.json', 196, (text) => {
      const { cases } = JSON.parse(text) as { cases: { pk: string }[] };
      expect(cases).toHaveLength(196);
      for (const { pk } of cases) {
        expect(problemOf(Buffer.from(pk, 'hex').toString('base64url'))).toContain('weak keys');
      }
    }),
  );

  it('takes 43 characters and PEM, in the shapes a terminal pastes', () => {
    const id = SIGNING.public_key_b64url;
    const block = pem(Buffer.concat([SPKI_PREFIX, goodKey]));
    for (const text of [
      id,
      ` ${id}\n`,
      block,
      block.replaceAll('\n', '\r\n'),
      block.replaceAll('\n', ''),
      `\n${block}`,
    ]) {
      expect(checkPublicKey(text)).toEqual({ id, bytes: goodKey });
    }
  });

  // proves: rule sign-pure
  it('takes what openssl-style key tools make', () => {
    for (let i = 0; i < 20; i++) {
      const { publicKey } = generateKeyPairSync('ed25519');
      const der = publicKey.export({ format: 'der', type: 'spki' });
      expect(checkPublicKey(publicKey.export({ format: 'pem', type: 'spki' }).toString())).toEqual({
        id: der.subarray(-32).toString('base64url'),
        bytes: der.subarray(-32),
      });
    }
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  const x25519 = generateKeyPairSync('x25519').publicKey;
  it.each([
    ['nothing', '  ', 'is empty'],
    ['hex', goodKey.toString('hex'), 'this is hex'],
    ['an SSH line', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@host', 'SSH public key'],
    ['a private key', SIGNING.pkcs8_pem, 'this is a private key'],
    ['an RSA PEM', rsa.export({ format: 'pem', type: 'spki' }).toString(), 'another kind of key'],
    ['an X25519 PEM', x25519.export({ format: 'pem', type: 'spki' }).toString(), 'another kind of key'],
    ['a 33rd byte', pem(Buffer.concat([SPKI_PREFIX, goodKey, Buffer.alloc(1)])), 'holds 45 bytes'],
    ['a lost byte', pem(Buffer.concat([SPKI_PREFIX, goodKey.subarray(1)])), 'holds 43 bytes'],
    ['half a PEM', '-----BEGIN PUBLIC KEY-----\nMCow', 'not one complete'],
    ['two PEMs', pem(SPKI_PREFIX).repeat(2), 'not one complete'],
    ['damaged PEM', '-----BEGIN PUBLIC KEY-----\nMCo\n-----END PUBLIC KEY-----', 'damaged'],
    ['an alias of a key', 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbh', 'not canonical'],
  ])('explains %s', (_what, text, words) => {
    expect(problemOf(text)).toContain(words);
  });
});
