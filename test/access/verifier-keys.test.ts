/** Which imported keys the verifier keeps: those that were used last, so that a key in use is imported once. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import { Verifier } from '../../src/access/verifier.ts';

const imports = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const createPublicKey: typeof crypto.createPublicKey = (key) => {
    imports.count += 1;
    return crypto.createPublicKey(key);
  };
  return { ...crypto, createPublicKey };
});

const MESSAGE = Buffer.from('a message');

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
  return { id, signature: sign(null, MESSAGE, privateKey) };
}

const [a, b, c, d] = [newKey(), newKey(), newKey(), newKey()];

let verifier: Verifier;
/** How many imports it takes to verify with these keys, one after the other. */
function importsFor(...keys: readonly ReturnType<typeof newKey>[]): number {
  imports.count = 0;
  for (const { id, signature } of keys) expect(verifier.verifyNow(id, MESSAGE, signature)).toBe(true);
  return imports.count;
}

beforeEach(() => {
  verifier = new Verifier(3);
});

it('a key is imported once, however often it verifies', () => {
  expect(importsFor(a, a, b, a, b)).toBe(2);
});

it('with one key too many the one that has gone unused longest is dropped, not the one that came first', () => {
  expect(importsFor(a, b, c, a, d)).toBe(4);
  expect(verifier.size).toBe(3);
  expect(importsFor(a, c, d)).toBe(0);
  expect(importsFor(b)).toBe(1);
});

it('a key in use stays while others come and go', () => {
  importsFor(a);
  for (let n = 0; n < 20; n++) expect(importsFor(newKey(), a)).toBe(1);
  expect(verifier.size).toBe(3);
});
