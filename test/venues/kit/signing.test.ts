/** Signatures, against vectors computed with another library: from keys and bytes to signatures. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ed25519, formOfSecret, hmac, signature } from '../../../src/venues/kit/signing.ts';

/** PKCS#8 of the Ed25519 key whose seed is thirty-two times 1. */
const DER = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 1)]);
const PEM = `-----BEGIN PRIVATE KEY-----\n${DER.toString('base64')}\n-----END PRIVATE KEY-----\n`;
const ORDER =
  'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001&price=60000&recvWindow=5000&timestamp=1700000000000';
const ORDER_SIGNED =
  'cvG8hkypLRcNYcfWfCDnhsNzJIFvYHxasdidX/mxen6boeJwZXkEmi/2c08REjonYmBDMhBfXHdF1xQYc+pfCg==';

describe('a signature', () => {
  it.each([
    [
      'timestamp=1700000000000&symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001&price=60000&newClientOrderId=x-TKT5PX2Febbf86fa03364a549cc2f8&recvWindow=5000',
      '16b7b3edd2582b6b3c6df127a2094b633fe9fc29e91b3d55e17a64cc5de39d06',
    ],
    [
      'apiKey=APIKEY&recvWindow=5000&timestamp=1700000000000',
      '6aab3508836c6e2082a6f3df53e7df9d8369c3eb67c732231af16003ded19d62',
    ],
  ])('of a secret is an HMAC of the bytes: %s', (payload, signed) => {
    expect(signature(Buffer.from('SECRET'), payload)).toBe(signed);
  });

  it('is the same as that of the runtime, for secrets below, at and above a block, and for any text', () => {
    const secrets = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ minLength: 63, maxLength: 65 }),
    );
    const property = fc.property(secrets, fc.string({ unit: 'binary', maxLength: 300 }), (secret, text) => {
      const before = Uint8Array.from(secret);
      expect(hmac(secret, text)).toBe(createHmac('sha256', secret).update(text, 'utf8').digest('hex'));
      expect(secret).toEqual(before);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('of a secret in base64 is the same HMAC', () => {
    expect(hmac(Buffer.from('SECRET'), '1700000000GET/users/self/verify', 'base64')).toBe(
      'yLXe4pYye8dUwkwJKgvSq2Mufwu5iC5yyqdTRItP8wo=',
    );
  });

  it.each([
    ['PEM', PEM],
    ['PEM whose line ends have become blanks', PEM.trim().replaceAll('\n', ' ')],
    ['PEM with the line ends of Windows', PEM.replaceAll('\n', '\r\n')],
    ['its base64 alone', DER.toString('base64')],
  ])('of an Ed25519 key as %s is of that key', (_, text) => {
    expect(formOfSecret(Buffer.from(text))).toBe('ed25519');
    expect(signature(Buffer.from(text), ORDER)).toBe(ORDER_SIGNED);
    expect(signature(Buffer.from(text), 'apiKey=APIKEY&timestamp=1700000000000')).toBe(
      'pWRDm6r1GE1xc5UqCBXDcvzD3OdSZjRlZQpbIlwdHc7NENNV+ijYYS8LkdXTgK4JWkAjoi3QTd5y+w4zBk4EAQ==',
    );
  });

  it('leaves the buffer of the secret as it is', () => {
    const secret = Buffer.from(PEM.replaceAll('\n', ' '));
    const before = Buffer.from(secret);
    ed25519(secret, ORDER);
    expect(secret.equals(before)).toBe(true);
  });

  it('is refused of another kind of key, and of a broken one, without a word of it', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    expect(() => signature(Buffer.from(other), 'x')).toThrow(
      'is ec, which is not used here: make one of Ed25519',
    );
    const broken = Buffer.from(PEM.replace('MC4', 'XX4'));
    expect(() => signature(broken, 'x')).toThrow(/^the private key cannot be read: it is PKCS#8 in PEM/);
  });
});
